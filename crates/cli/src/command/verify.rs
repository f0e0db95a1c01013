//! `repertoire verify`.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use repertoire::{FileChange, Id};
use serde::Serialize;
use serde_json::Value;

use crate::answer::{Answer, json};
use crate::arguments::Connect;
use crate::failure::Failure;
use crate::finding::counted;
use crate::lock::{Inventory, RepertoireLock, SkillsLock, folder_hash};
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
    /// The file in it; null for the skill as a whole.
    file: Option<String>,
    /// The digest, as the lock file spells it.
    locked: Option<String>,
    found: Option<String>,
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
        let mut verified =
            Verified { locks: Vec::new(), skills: inventory.skills.len(), differences: Vec::new(), notes: Vec::new() };
        match &ours {
            Some(lock) => {
                verified.locks.push(RepertoireLock::NAME);
                verified.differences.extend(with_ours(lock, &inventory));
            }
            None => verified.notes.push(format!("`{}` is not there", RepertoireLock::NAME)),
        }
        if let Some(lock) = &theirs {
            verified.locks.push(SkillsLock::NAME);
            verified.compare_theirs(lock, &inventory)?;
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

/// File by file.
fn with_ours(lock: &RepertoireLock, inventory: &Inventory) -> Vec<Difference> {
    let difference = |difference, id: &Id, path: &str| Difference {
        lock: RepertoireLock::NAME,
        difference,
        id: id.to_string(),
        path: Some(path.to_owned()),
        file: None,
        locked: None,
        found: None,
    };
    let mut differences = Vec::new();
    for (path, (id, locked)) in &lock.skills {
        let Some(present) = inventory.skills.get(path) else {
            let locked = Some(locked.digest().to_string());
            differences.push(Difference { locked, ..difference(Kind::Missing, id, path.as_str()) });
            continue;
        };
        differences.extend(locked.changes(&present.manifest).map(|change| {
            let kind = match change {
                FileChange::Added(_) => Kind::Extra,
                FileChange::Removed(_) => Kind::Missing,
                FileChange::Modified { .. } => Kind::Changed,
            };
            Difference {
                file: Some(change.path().to_string()),
                locked: change.old_digest().map(String::from),
                found: change.new_digest().map(String::from),
                ..difference(kind, id, path.as_str())
            }
        }));
    }
    for (path, present) in inventory.skills.iter().filter(|(path, _)| !lock.skills.contains_key(*path)) {
        let found = Some(present.manifest.digest().to_string());
        differences.push(Difference { found, ..difference(Kind::Extra, &present.id, path.as_str()) });
    }
    differences
}

impl Verified {
    /// By one hash for each skill. A skill that nobody locked there is only then extra, when no better lock says so.
    fn compare_theirs(&mut self, lock: &SkillsLock, inventory: &Inventory) -> Result<(), Failure> {
        let alone = self.locks.len() == 1;
        let difference = |difference, id: &str| Difference {
            lock: SkillsLock::NAME,
            difference,
            id: id.to_owned(),
            path: None,
            file: None,
            locked: None,
            found: None,
        };
        for (name, locked) in lock.hashes() {
            let present = Id::new(name).ok().and_then(|id| inventory.winner(&id));
            let found = match present.map(|present| folder_hash(&present.folder)) {
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
            if found.as_deref() != Some(locked) {
                let kind = if found.is_some() { Kind::Changed } else { Kind::Missing };
                self.differences.push(Difference { locked: Some(locked.to_owned()), found, ..difference(kind, name) });
            }
        }
        if alone {
            let extra = inventory.winners.keys().filter(|id| !lock.has(id));
            self.differences.extend(extra.map(|id| difference(Kind::Extra, id.as_str())));
        }
        Ok(())
    }
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
