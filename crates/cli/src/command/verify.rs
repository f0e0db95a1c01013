//! `repertoire verify`.

#[cfg(feature = "install")]
mod installed_folder;
mod skill_hashes;
#[cfg(feature = "install")]
mod tool_locks;

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use clap::Args;
use repertoire::Id;
use repertoire::skill::{Digest, Omission};
#[cfg(feature = "install")]
use repertoire_install::ProjectFolder;
use serde::Serialize;

use crate::context::CommandContext;
use crate::diagnostics::{counted, quoted};
use crate::failure::Failure;
#[cfg(feature = "install")]
use crate::lock::tool_lock::ToolLock;
use crate::lock::{
    Inventory, LockEntry, NotCompared, Present, RepertoireLock, SkillsLock,
    differs_only_in_line_ends,
};
use crate::options::ConnectableFolders;
use crate::output::{Output, word};

/// Verify the project's skills against the lock file.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  repertoire verify --trust-project")]
pub(crate) struct VerifyCommand {
    #[command(flatten)]
    pub(super) searched: ConnectableFolders,
    /// Directory of the lock files [default: current directory].
    #[arg(long, value_name = "DIR")]
    lock_dir: Option<PathBuf>,
}

/// The differences between skills and lock files.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct VerifyOutput {
    /// The lock files that exist.
    #[cfg_attr(feature = "schema", schemars(extend("items" = { "enum": lock_names() })))]
    locks: Vec<&'static str>,
    /// The number of compared skills.
    skills: usize,
    differences: Vec<Difference>,
    /// The files and folders of skills that were not compared, and the dependency folders that are in a lock and do not exist.
    not_compared: Vec<NotCompared>,
    #[serde(skip)]
    notes: Vec<String>,
}

/// A difference between a skill and a lock file.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Difference {
    #[cfg_attr(feature = "schema", schemars(extend("enum" = lock_names())))]
    lock: &'static str,
    difference: DifferenceKind,
    /// The name in the lock file, if it has one.
    id: String,
    /// The skill's folder, relative to the lock directory; null where the lock has none.
    path: Option<String>,
    /// The file or the dependency folder in it; null for the whole skill.
    file: Option<String>,
    /// The digest in the lock file, as it is written there.
    locked: Option<String>,
    found: Option<String>,
    /// Whether the texts differ only in line endings.
    only_line_ends: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
enum DifferenceKind {
    Changed,
    Missing,
    Extra,
}

impl VerifyCommand {
    pub(super) async fn run(
        &self,
        context: &CommandContext,
        out: &mut Output,
    ) -> Result<(), Failure> {
        let base = lock_folder(self.lock_dir.as_deref(), context)?;
        let Some(verified) = VerifyOutput::of(context, &base).await? else {
            let failure = Failure::new(format!(
                "no {} or {} found",
                RepertoireLock::NAME,
                SkillsLock::NAME
            ));
            return Err(failure.help("run `repertoire lock` to create them"));
        };
        out.found_problems(verified.is_changed());
        if !out.write_json(&verified) {
            verified.write(out);
            out.notes(verified.notes);
        }
        Ok(())
    }
}

pub(super) fn lock_folder(
    folder: Option<&Path>,
    context: &CommandContext,
) -> Result<PathBuf, Failure> {
    let folder = folder.unwrap_or(Path::new("."));
    let failure = |error| {
        Failure::io(
            format!("cannot read the folder `{}`", folder.display()),
            &error,
        )
    };
    let real = context.cwd.join(folder).canonicalize().map_err(failure)?;
    if real.is_dir() {
        Ok(real)
    } else {
        Err(failure(io::ErrorKind::NotADirectory.into()))
    }
}

pub(super) fn not_compared_notes(rows: &[NotCompared]) -> Vec<String> {
    let mut paths: BTreeMap<&str, Vec<_>> = BTreeMap::new();
    for NotCompared { path, why } in rows {
        paths.entry(why).or_default().push(path);
    }
    paths
        .into_iter()
        .map(|(why, paths)| format!("not compared, {why}: {}", quoted(paths)))
        .collect()
}

impl Difference {
    fn new(lock: &'static str, difference: DifferenceKind, id: &str) -> Difference {
        let id = id.to_owned();
        Difference {
            lock,
            difference,
            id,
            path: None,
            file: None,
            locked: None,
            found: None,
            only_line_ends: false,
        }
    }

    /// Returns a difference of a skill in `repertoire.lock.json`, or of a file in it.
    fn of_skill(kind: DifferenceKind, id: &Id, path: &str, file: Option<&str>) -> Difference {
        let whole = Difference::new(RepertoireLock::NAME, kind, id.as_str());
        Difference {
            path: Some(path.to_owned()),
            file: file.map(str::to_owned),
            ..whole
        }
    }
}

impl VerifyOutput {
    /// Compares the skills of `context` with the lock files in the folder `base`; returns `None` if there are no such files.
    pub(super) async fn of(
        context: &CommandContext,
        base: &Path,
    ) -> Result<Option<VerifyOutput>, Failure> {
        let (ours, theirs) = (RepertoireLock::read(base)?, SkillsLock::read(base)?);
        #[cfg(feature = "install")]
        let tools = ToolLock::read_all(base)?;
        let is_locked = ours.is_some() || theirs.is_some();
        #[cfg(feature = "install")]
        let is_locked = is_locked || !tools.is_empty();
        if !is_locked {
            return Ok(None);
        }
        let inventory = Inventory::take(context, base).await?;
        let mut verified = VerifyOutput {
            locks: Vec::new(),
            skills: inventory.skills.len(),
            differences: Vec::new(),
            not_compared: inventory.not_compared().cloned().collect(),
            notes: context.hidden_text_note().await.into_iter().collect(),
        };
        match &ours {
            Some(lock) => {
                verified.locks.push(RepertoireLock::NAME);
                verified.compare_files(lock, &inventory, base)?;
                verified.skills = match lock.covers_project() {
                    true => {
                        let others = lock.installed.keys();
                        let others = others.filter(|path| !inventory.skills.contains_key(*path));
                        inventory.skills.len() + others.count()
                    }
                    false => lock.skills.len(),
                };
                #[cfg(feature = "install")]
                if ProjectFolder::journal(base).exists() {
                    let note =
                        "an installation was interrupted; run `repertoire sync` to complete it";
                    verified.notes.push(note.to_owned());
                }
            }
            None => verified
                .notes
                .push(format!("no {} found", RepertoireLock::NAME)),
        }
        if let Some(lock) = &theirs {
            verified.locks.push(SkillsLock::NAME);
            verified.compare_hashes(lock, ours.as_ref(), &inventory, base)?;
        }
        #[cfg(feature = "install")]
        for lock in &tools {
            verified.compare_tool_lock(lock, ours.as_ref(), &inventory, base)?;
        }
        verified
            .notes
            .extend(not_compared_notes(&verified.not_compared));
        if verified
            .differences
            .iter()
            .any(|difference| difference.only_line_ends)
        {
            let note = "line endings differ, as in a checkout on Windows; `* -text` in `.gitattributes` preserves them";
            verified.notes.push(note.to_owned());
        }
        Ok(Some(verified))
    }

    pub(super) fn is_changed(&self) -> bool {
        !self.differences.is_empty()
    }

    /// Returns each skill that differs: the kind of difference, its name, and its place with the files.
    pub(super) fn changed_skills(&self) -> Vec<(&'static str, &str, String)> {
        let mut skills: BTreeMap<(&str, Option<&str>), Vec<&Difference>> = BTreeMap::new();
        for difference in &self.differences {
            let key = (difference.id.as_str(), difference.path.as_deref());
            skills.entry(key).or_default().push(difference);
        }
        // A row without a path repeats one of a lock that has paths.
        let with_path: BTreeSet<&str> = self
            .differences
            .iter()
            .filter(|difference| difference.path.is_some())
            .map(|difference| difference.id.as_str())
            .collect();
        let skills = skills
            .into_iter()
            .filter(|((id, path), _)| path.is_some() || !with_path.contains(id));
        let changed = skills.map(|((id, path), differences)| {
            // Two locks may state the same file.
            let files: BTreeSet<_> = differences
                .iter()
                .filter_map(|difference| difference.file.as_deref())
                .collect();
            let files: Vec<_> = files.into_iter().collect();
            let kind = match differences.first().map(|first| first.difference) {
                _ if !files.is_empty() => "changed",
                Some(DifferenceKind::Missing) => "missing",
                Some(DifferenceKind::Extra) => "new",
                _ => "changed",
            };
            let place = path.unwrap_or_default();
            let files = match files.as_slice() {
                [] => place.to_owned(),
                files => format!("{place}: {}", files.join(", ")),
            };
            (kind, id, files)
        });
        changed.collect()
    }

    fn write(&self, out: &mut Output) {
        for Difference {
            lock,
            difference,
            id,
            path,
            file,
            locked,
            found,
            only_line_ends,
        } in &self.differences
        {
            let place = [path.as_deref(), file.as_deref()]
                .into_iter()
                .flatten()
                .collect::<Vec<_>>()
                .join("/");
            let gap = if place.is_empty() { "" } else { "  " };
            out.line(format!(
                "{:<8} {id}{gap}{place}  ({lock})",
                word(difference)
            ));
            for (what, digest) in [("locked", locked), ("found", found)] {
                if let Some(digest) = digest {
                    out.line(format!("  {what:<6} {digest}"));
                }
            }
            if *only_line_ends {
                out.line("  only line endings differ");
            }
        }
        let (skills, locks) = (counted(self.skills, "skill"), self.locks.join(" and "));
        out.line(match self.differences.len() {
            0 if self.skills == 1 => format!("{skills} matches {locks}"),
            0 => format!("{skills} match {locks}"),
            count => format!(
                "{}; {skills} compared with {locks}",
                counted(count, "difference")
            ),
        });
    }

    fn compare_files(
        &mut self,
        lock: &RepertoireLock,
        inventory: &Inventory,
        base: &Path,
    ) -> Result<(), Failure> {
        for (path, locked) in &lock.skills {
            let present = inventory.skills.get(path);
            match present {
                Some(present) => self.compare_skill(path.as_str(), locked, present),
                None if base.join(path.as_str()).is_dir() && lock.installed.contains_key(path) => {
                    #[cfg(feature = "install")]
                    self.differences
                        .extend(installed_folder::compare(base, path, locked)?);
                    #[cfg(not(feature = "install"))]
                    self.not_compared.push(NotCompared {
                        path: path.to_string(),
                        why: "no source has it, and this program cannot install skills".to_owned(),
                    });
                }
                None => {
                    let missing = Difference::of_skill(
                        DifferenceKind::Missing,
                        &locked.id,
                        path.as_str(),
                        None,
                    );
                    let digest = locked.manifest.digest().to_string();
                    self.differences.push(Difference {
                        locked: Some(digest),
                        ..missing
                    });
                }
            }
        }
        let all = inventory.skills.iter().filter(|_| lock.covers_project());
        for (path, present) in all.filter(|(path, _)| !lock.skills.contains_key(*path)) {
            let extra =
                Difference::of_skill(DifferenceKind::Extra, &present.id, path.as_str(), None);
            let digest = present.compared.manifest.digest().to_string();
            self.differences.push(Difference {
                found: Some(digest),
                ..extra
            });
        }
        Ok(())
    }

    fn compare_skill(&mut self, path: &str, locked: &LockEntry, present: &Present) {
        let now = &present.compared;
        for (before, after) in locked.manifest.changes(&now.manifest) {
            let Some(file) = after.or(before) else {
                continue;
            };
            let (kind, only_line_ends) = match (before, after) {
                (None, _) => (DifferenceKind::Extra, false),
                (_, None) => (DifferenceKind::Missing, false),
                (Some(before), Some(_)) => (
                    DifferenceKind::Changed,
                    differs_only_in_line_ends(
                        &present.folder.join(file.path.as_str()),
                        before.digest,
                    ),
                ),
            };
            self.differences.push(Difference {
                locked: before.map(|file| file.digest.into()),
                found: after.map(|file| file.digest.into()),
                only_line_ends,
                ..Difference::of_skill(kind, &locked.id, path, Some(file.path.as_str()))
            });
        }
        let [omitted, omitted_now] =
            [&locked.manifest, &now.manifest].map(|manifest| by_path(manifest.omissions()));
        let whole = Difference::of_skill(DifferenceKind::Changed, &locked.id, path, None);
        self.compare_rows(&whole, &omitted, &omitted_now, |omission| {
            omission.digest.map_or_else(|| omission.why(), String::from)
        });
        let mut dependencies = locked.dependencies.clone();
        dependencies.retain(|folder, _| {
            let exists = now.dependencies.contains_key(folder)
                || present.folder.join(folder).symlink_metadata().is_ok();
            if !exists {
                let why = format!("it is in `{}` and does not exist", RepertoireLock::NAME);
                self.not_compared.push(NotCompared {
                    path: format!("{path}/{folder}"),
                    why,
                });
            }
            exists
        });
        self.compare_rows(&whole, &dependencies, &now.dependencies, Digest::to_string);
    }

    /// Compares rows by path; `whole` is a difference of their skill, and `describe` returns what is printed of a row.
    fn compare_rows<T: PartialEq>(
        &mut self,
        whole: &Difference,
        locked: &BTreeMap<String, T>,
        found: &BTreeMap<String, T>,
        describe: impl Fn(&T) -> String,
    ) {
        for (file, old) in locked {
            let (kind, new) = match found.get(file) {
                Some(new) if new == old => continue,
                Some(new) => (DifferenceKind::Changed, Some(describe(new))),
                None => (DifferenceKind::Missing, None),
            };
            self.differences.push(Difference {
                difference: kind,
                file: Some(file.clone()),
                locked: Some(describe(old)),
                found: new,
                ..whole.clone()
            });
        }
        for (file, new) in found.iter().filter(|(file, _)| !locked.contains_key(*file)) {
            self.differences.push(Difference {
                difference: DifferenceKind::Extra,
                file: Some(file.clone()),
                found: Some(describe(new)),
                ..whole.clone()
            });
        }
    }
}

/// Returns the names of the lock files that are compared.
#[cfg(feature = "schema")]
fn lock_names() -> Vec<&'static str> {
    let own = [RepertoireLock::NAME, SkillsLock::NAME];
    own.into_iter()
        .chain(crate::lock::tool_lock::NAMES)
        .collect()
}

fn by_path(omissions: &[Omission]) -> BTreeMap<String, Omission> {
    omissions
        .iter()
        .map(|omission| (omission.path.to_string(), omission.clone()))
        .collect()
}
