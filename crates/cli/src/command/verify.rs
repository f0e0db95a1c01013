//! `repertoire verify`.

use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use repertoire::{Digest, FileChange, Id, Omission};
use serde::Serialize;
use serde_json::Value;

use crate::answer::{Answer, json};
use crate::arguments::Connect;
use crate::failure::Failure;
use crate::finding::counted;
use crate::lock::{Hashed, Inventory, NotCompared, RepertoireLock, SkillsLock, folder_hash, line_feeds};
use crate::session::Session;
use crate::shown::shown;
use crate::{Exit, Stream};

/// Compare every file of the project's skills with what `lock` wrote down.
#[derive(Debug, Args)]
pub(crate) struct Verify {
    /// Look in these folders, in place of the standard ones and the built-in skills.
    #[arg(value_name = "DIR")]
    pub(crate) folders: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) connect: Connect,
    /// The folder of the lock files; the working folder by default.
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
}

/// What is not as it was written down; also of `lock --check`.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Verified {
    /// The lock files that were there.
    #[cfg_attr(feature = "schema", schemars(extend("items" = { "enum": [RepertoireLock::NAME, SkillsLock::NAME] })))]
    locks: Vec<&'static str>,
    /// How many were compared.
    skills: usize,
    differences: Vec<Difference>,
    /// What lies in the folders of skills and was not compared, and the folders of dependencies that a lock knows and that are
    /// not there.
    not_compared: Vec<NotCompared>,
    #[serde(skip)]
    notes: Vec<String>,
}

/// Something that is not as a lock file says.
#[derive(Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Difference {
    #[cfg_attr(feature = "schema", schemars(extend("enum" = [RepertoireLock::NAME, SkillsLock::NAME])))]
    lock: &'static str,
    difference: Kind,
    /// As the lock file calls it, if it does.
    id: String,
    /// The skill's folder, from that of the lock; `skills-lock.json` knows none.
    path: Option<String>,
    /// The file or the folder of dependencies in it; null for the skill as a whole.
    file: Option<String>,
    /// The digest, as the lock file spells it.
    locked: Option<String>,
    found: Option<String>,
    /// Whether the text is the same but for its line ends.
    only_line_ends: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "DifferenceKind"))]
#[serde(rename_all = "lowercase")]
enum Kind {
    Changed,
    Missing,
    Extra,
}

impl Verify {
    pub(crate) async fn answer(&self, session: &Session<'_>) -> Result<impl Answer + use<>, Failure> {
        let base = base(self.out.as_deref(), session)?;
        let (ours, theirs) = (RepertoireLock::read(&base)?, SkillsLock::read(&base)?);
        if ours.is_none() && theirs.is_none() {
            let failure =
                Failure::new(format!("neither `{}` nor `{}` is there", RepertoireLock::NAME, SkillsLock::NAME));
            return Err(failure.help("`repertoire lock` writes them"));
        }
        let inventory = Inventory::take(session, &base).await?;
        let mut verified = Verified {
            locks: Vec::new(),
            skills: inventory.skills.len(),
            differences: Vec::new(),
            not_compared: inventory.not_compared().cloned().collect(),
            notes: session.hidden().await.into_iter().collect(),
        };
        match &ours {
            Some(lock) => {
                verified.locks.push(RepertoireLock::NAME);
                verified.compare_ours(lock, &inventory);
            }
            None => verified.notes.push(format!("`{}` is not there", RepertoireLock::NAME)),
        }
        if let Some(lock) = &theirs {
            verified.locks.push(SkillsLock::NAME);
            verified.compare_theirs(lock, &inventory)?;
        }
        verified.notes.extend(not_compared_notes(&verified.not_compared));
        if verified.differences.iter().any(|difference| difference.only_line_ends) {
            verified.notes.push(LINE_ENDS.to_owned());
        }
        Ok(verified)
    }
}

/// The folder of the lock files, without links in its path.
pub(super) fn base(out: Option<&Path>, session: &Session<'_>) -> Result<PathBuf, Failure> {
    let folder = out.unwrap_or(Path::new("."));
    let failure = |error| Failure::io(format!("cannot read the folder `{}`", folder.display()), &error);
    let base = session.cwd.join(folder).canonicalize().map_err(failure)?;
    if base.is_dir() { Ok(base) } else { Err(failure(io::ErrorKind::NotADirectory.into())) }
}

const LINE_ENDS: &str =
    "line ends differ, as a checkout on Windows changes them; `* -text` in `.gitattributes` keeps them as they are";

/// A line for each reason.
pub(super) fn not_compared_notes(rows: &[NotCompared]) -> Vec<String> {
    let mut paths: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for NotCompared { path, why } in rows {
        paths.entry(why).or_default().push(format!("`{}`", shown(path)));
    }
    paths.into_iter().map(|(why, paths)| format!("not compared, {}: {}", shown(why), paths.join(", "))).collect()
}

/// A difference of which no more is known.
fn difference(lock: &'static str, difference: Kind, id: &str) -> Difference {
    let id = id.to_owned();
    Difference { lock, difference, id, path: None, file: None, locked: None, found: None, only_line_ends: false }
}

impl Verified {
    /// File by file.
    fn compare_ours(&mut self, lock: &RepertoireLock, inventory: &Inventory) {
        for (path, locked) in &lock.skills {
            let of_skill = |kind, file: Option<&str>| Difference {
                path: Some(path.to_string()),
                file: file.map(str::to_owned),
                ..difference(RepertoireLock::NAME, kind, locked.id.as_str())
            };
            let Some(present) = inventory.skills.get(path) else {
                let locked = Some(locked.manifest.digest().to_string());
                self.differences.push(Difference { locked, ..of_skill(Kind::Missing, None) });
                continue;
            };
            let now = &present.compared;
            for change in locked.manifest.changes(&now.manifest) {
                let kind = match change {
                    FileChange::Added(_) => Kind::Extra,
                    FileChange::Removed(_) => Kind::Missing,
                    FileChange::Modified { .. } => Kind::Changed,
                };
                let only_line_ends = match change {
                    FileChange::Modified { old, new } => {
                        is_same_text(&present.folder.join(new.path.as_str()), old.digest)
                    }
                    _ => false,
                };
                self.differences.push(Difference {
                    locked: change.old_digest().map(String::from),
                    found: change.new_digest().map(String::from),
                    only_line_ends,
                    ..of_skill(kind, Some(change.path().as_str()))
                });
            }
            let omitted = |list: &[Omission]| {
                let told = |one: &Omission| one.digest.map_or_else(|| one.why(), String::from);
                list.iter().map(|one| (one.path.to_string(), (one.clone(), told(one)))).collect::<BTreeMap<_, _>>()
            };
            self.compare_rows(&omitted(locked.manifest.omissions()), &omitted(now.manifest.omissions()), &of_skill);
            let digests = |rows: &BTreeMap<String, Digest>| {
                rows.iter()
                    .map(|(path, digest)| (path.clone(), (*digest, digest.to_string())))
                    .collect::<BTreeMap<_, _>>()
            };
            let is_there = |folder: &str| present.folder.join(folder).symlink_metadata().is_ok();
            let (mut known, found) = (digests(&locked.dependencies), digests(&now.dependencies));
            known.retain(|folder, _| {
                let is_absent = !found.contains_key(folder) && !is_there(folder);
                if is_absent {
                    let why = format!("it is in `{}` and not here", RepertoireLock::NAME);
                    self.not_compared.push(NotCompared { path: format!("{path}/{folder}"), why });
                }
                !is_absent
            });
            self.compare_rows(&known, &found, &of_skill);
        }
        for (path, present) in inventory.skills.iter().filter(|(path, _)| !lock.skills.contains_key(*path)) {
            let found = Some(present.compared.manifest.digest().to_string());
            let path = Some(path.to_string());
            let extra = difference(RepertoireLock::NAME, Kind::Extra, present.id.as_str());
            self.differences.push(Difference { path, found, ..extra });
        }
    }

    /// Row by row, each with what to say of it.
    fn compare_rows<T: PartialEq>(
        &mut self,
        locked: &BTreeMap<String, (T, String)>,
        found: &BTreeMap<String, (T, String)>,
        of_skill: &impl Fn(Kind, Option<&str>) -> Difference,
    ) {
        for (path, (row, told)) in locked {
            let (kind, now) = match found.get(path) {
                Some((now, _)) if now == row => continue,
                Some((_, now)) => (Kind::Changed, Some(now.clone())),
                None => (Kind::Missing, None),
            };
            self.differences.push(Difference { locked: Some(told.clone()), found: now, ..of_skill(kind, Some(path)) });
        }
        for (path, (_, told)) in found.iter().filter(|(path, _)| !locked.contains_key(*path)) {
            self.differences.push(Difference { found: Some(told.clone()), ..of_skill(Kind::Extra, Some(path)) });
        }
    }

    /// By one hash for each skill. A skill that nobody locked there is only then extra, when no better lock says so.
    fn compare_theirs(&mut self, lock: &SkillsLock, inventory: &Inventory) -> Result<(), Failure> {
        let alone = self.locks.len() == 1;
        let difference = |kind, id: &str| difference(SkillsLock::NAME, kind, id);
        for (name, locked) in lock.hashes() {
            let present = Id::new(name).ok().and_then(|id| inventory.winner(&id));
            let found = match present.map(|present| folder_hash(&present.folder, Hashed::OfSkill)) {
                Some(Err(why)) => {
                    let message = format!("`{name}` cannot be compared with `{}`: {why}", SkillsLock::NAME);
                    if alone {
                        return Err(Failure::new(message).help("`repertoire lock` writes a lock that covers it"));
                    }
                    self.notes.push(message);
                    continue;
                }
                found => found.and_then(Result::ok),
            };
            let is_hashed =
                |hashed| present.is_some_and(|present| folder_hash(&present.folder, hashed).as_deref() == Ok(locked));
            // What the tool wrote where bytecode or litter lay about has that in it.
            if found.as_deref() != Some(locked) && !is_hashed(Hashed::ByTool) {
                let kind = if found.is_some() { Kind::Changed } else { Kind::Missing };
                let only_line_ends = is_hashed(Hashed::WithLineFeeds);
                let locked = Some(locked.to_owned());
                self.differences.push(Difference { locked, found, only_line_ends, ..difference(kind, name) });
            }
        }
        if alone {
            let extra = inventory.winners.keys().filter(|id| !lock.has(id));
            self.differences.extend(extra.map(|id| difference(Kind::Extra, id.as_str())));
        }
        Ok(())
    }
}

/// The largest file whose line ends are looked at.
const LARGEST_TEXT: u64 = 16 << 20;

/// Whether the file at `path` is the text of this digest but for its line ends.
fn is_same_text(path: &Path, locked: Digest) -> bool {
    // What is behind a link, and what is no text of a usual size, is not looked at.
    let is_text = |metadata: Metadata| metadata.is_file() && metadata.len() <= LARGEST_TEXT;
    if !path.symlink_metadata().is_ok_and(is_text) {
        return false;
    }
    let Some(bytes) = fs::read(path).ok().filter(|bytes| !bytes.contains(&0)) else { return false };
    let lines = line_feeds(bytes);
    if Digest::of(&lines) == locked {
        return true;
    }
    let with_returns = lines.iter().flat_map(|byte| match byte {
        b'\n' => b"\r\n".iter().copied(),
        byte => std::slice::from_ref(byte).iter().copied(),
    });
    Digest::of(&with_returns.collect::<Vec<_>>()) == locked
}

impl Answer for Verified {
    fn json(&self) -> Value {
        json(self)
    }

    fn write(&self, out: &mut Stream<'_>) -> io::Result<()> {
        for one in &self.differences {
            let kind = match one.difference {
                Kind::Changed => "changed",
                Kind::Missing => "missing",
                Kind::Extra => "extra",
            };
            let place = [one.path.as_deref(), one.file.as_deref()].into_iter().flatten().collect::<Vec<_>>().join("/");
            let blank = if place.is_empty() { "" } else { " " };
            writeln!(out, "{kind:<8} {}{blank}{}, says {}", shown(&one.id), shown(&place), one.lock)?;
            for (what, digest) in [("locked", &one.locked), ("found", &one.found)] {
                if let Some(digest) = digest {
                    writeln!(out, "  {what:<6} {}", shown(digest))?;
                }
            }
            if one.only_line_ends {
                writeln!(out, "  only line ends differ")?;
            }
        }
        let count = match self.differences.len() {
            0 => "no differences".to_owned(),
            count => counted(count, "difference"),
        };
        writeln!(out, "{count}; {} compared with {}", counted(self.skills, "skill"), self.locks.join(" and "))
    }

    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }

    fn exit(&self) -> Exit {
        if self.differences.is_empty() { Exit::Success } else { Exit::Findings }
    }
}
