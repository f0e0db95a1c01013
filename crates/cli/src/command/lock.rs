//! `repertoire lock`.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;
use serde_json::Value;

use super::verify::{Verify, base, not_compared_notes};
use crate::Stream;
use crate::answer::{Answer, json};
use crate::arguments::Connect;
use crate::failure::Failure;
use crate::lock::{Hashed, Inventory, LeftOut, NotCompared, Outcome, RepertoireLock, SkillsLock, folder_hash, write};
use crate::session::Session;
use crate::table::Table;

/// Write down what every file of the project's skills is now, for `verify` to compare.
///
/// Two files: `repertoire.lock.json` has the digest of every file, `skills-lock.json` the row of each skill that the tool
/// `skills` reads too. Locked are skills of the user tier that lie below the folder of the lock.
#[derive(Debug, Args)]
pub(crate) struct Lock {
    /// Look in these folders, in place of the standard ones and the built-in skills.
    #[arg(value_name = "DIR")]
    pub(crate) folders: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) connect: Connect,
    /// The folder for the lock files; the working folder by default.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Write nothing: the same as `verify`.
    #[arg(long)]
    pub(crate) check: bool,
}

/// What was written down.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Locked {
    locks: Vec<File>,
    left_out: Vec<LeftOut>,
    /// What lies in the folders of the locked skills and is in no lock.
    not_compared: Vec<NotCompared>,
    #[serde(skip)]
    notes: Vec<String>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "LockFile"))]
struct File {
    path: String,
    skills: usize,
    outcome: Outcome,
}

impl Lock {
    pub(crate) async fn answer<'a>(&self, session: &'a Session<'_>) -> Result<Box<dyn Answer + 'a>, Failure> {
        if self.check {
            let verify = Verify { folders: self.folders.clone(), connect: self.connect, out: self.out.clone() };
            return Ok(Box::new(verify.answer(session).await?));
        }
        let base = base(self.out.as_deref(), session)?;
        // Before anything is written: what cannot be understood is not written over.
        let mut skills_lock = SkillsLock::read(&base)?.unwrap_or_default();
        let inventory = Inventory::take(session, &base).await?;
        let mut notes = left_out(&inventory.left_out);
        let not_compared: Vec<_> = inventory.not_compared().cloned().collect();
        notes.extend(not_compared_notes(&not_compared));
        notes.extend(session.hidden().await);
        for (id, path) in &inventory.winners {
            match folder_hash(&inventory.skills[path].folder, Hashed::OfSkill) {
                Ok(hash) => skills_lock.lock(id, path.as_str(), &hash),
                Err(why) => notes.push(format!("`{id}` has no new row in `{}`: {why}", SkillsLock::NAME)),
            }
        }
        let stay = skills_lock.retain(|name| name.parse().is_ok_and(|id| inventory.winner(&id).is_some()));
        notes.extend(stay.iter().map(|name| format!("`{name}` stays in `{}` and is not here", SkillsLock::NAME)));
        let locks = [
            (RepertoireLock::NAME, inventory.skills.len(), RepertoireLock::text(&inventory)),
            (SkillsLock::NAME, skills_lock.len(), skills_lock.text()),
        ];
        let written = locks.into_iter().map(|(name, skills, text)| written(&base.join(name), skills, &text, session));
        let locks = written.collect::<Result<_, _>>()?;
        Ok(Box::new(Locked { locks, left_out: inventory.left_out, not_compared, notes }))
    }
}

fn written(path: &Path, skills: usize, text: &str, session: &Session<'_>) -> Result<File, Failure> {
    let shown = path.to_string_lossy();
    let shown = session.near(&shown);
    let outcome = write(path, text).map_err(|error| Failure::io(format!("cannot write `{shown}`"), &error))?;
    Ok(File { path: shown.to_owned(), skills, outcome })
}

/// A line for every reason.
fn left_out(rows: &[LeftOut]) -> Vec<String> {
    let mut names: BTreeMap<_, Vec<String>> = BTreeMap::new();
    for LeftOut { qualified_id, why } in rows {
        names.entry(*why).or_default().push(format!("`{qualified_id}`"));
    }
    names.into_iter().map(|(why, names)| format!("left out, {}: {}", why.sentence(), names.join(", "))).collect()
}

impl Answer for Locked {
    fn json(&self) -> Value {
        json(self)
    }

    fn write(&self, out: &mut Stream<'_>) -> io::Result<()> {
        let mut table = Table::new(&["lock", ">skills", "outcome"]);
        for File { path, skills, outcome } in &self.locks {
            let outcome = match outcome {
                Outcome::Written => "written",
                Outcome::Unchanged => "unchanged",
            };
            table.row([path.into(), skills.to_string().into(), outcome.into()]);
        }
        let coloured = out.is_coloured();
        table.write(out, coloured)
    }

    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }
}
