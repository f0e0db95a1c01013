//! `repertoire lock`.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;

use super::verify::{lock_folder, not_compared_notes};
use crate::Stream;
use crate::arguments::Connect;
use crate::context::CommandContext;
use crate::failure::Failure;
use crate::lock::{
    HashedFiles, Inventory, LeftOut, NotCompared, Outcome, RepertoireLock, SkillsLock, folder_hash, write,
};
use crate::output::CommandOutput;
use crate::table::Table;

/// Write a lock file with a digest of every file in the project's skills.
///
/// There are two files: `repertoire.lock.json` has the digest of every file; `skills-lock.json` has one row per skill, which
/// the tool `skills` reads too. Only skills of the user tier below the lock directory are locked.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  repertoire lock --trust-project")]
pub(crate) struct Lock {
    /// Search only these folders.
    #[arg(value_name = "DIR")]
    pub(crate) folders: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) connect: Connect,
    /// Directory of the lock files [default: current directory].
    #[arg(long, value_name = "DIR")]
    lock_dir: Option<PathBuf>,
}

/// The lock files, and the content that they do not cover.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Locked {
    locks: Vec<File>,
    left_out: Vec<LeftOut>,
    /// The files and folders of the locked skills that are not in a lock.
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
    pub(super) async fn run(&self, context: &CommandContext) -> Result<Locked, Failure> {
        let base = lock_folder(self.lock_dir.as_deref(), context)?;
        // Read before anything is written: an invalid lock is not overwritten.
        let mut skills_lock = SkillsLock::read(&base)?.unwrap_or_default();
        let inventory = Inventory::take(context, &base).await?;
        let mut notes = left_out_notes(&inventory.left_out);
        let not_compared: Vec<_> = inventory.not_compared().cloned().collect();
        notes.extend(not_compared_notes(&not_compared));
        notes.extend(context.hidden_text_note().await);
        for (id, path) in &inventory.winners {
            match folder_hash(&inventory.skills[path].folder, HashedFiles::OfSkill) {
                Ok(hash) => skills_lock.lock(id, path.as_str(), &hash),
                Err(why) => notes.push(format!("`{id}` has no new row in `{}`: {why}", SkillsLock::NAME)),
            }
        }
        let kept = skills_lock.retain(|name| name.parse().is_ok_and(|id| inventory.winner(&id).is_some()));
        notes.extend(kept.iter().map(|name| format!("`{name}` stays in `{}` and is not installed", SkillsLock::NAME)));
        let locks = vec![
            write_lock(
                &base.join(RepertoireLock::NAME),
                inventory.skills.len(),
                &RepertoireLock::text(&inventory),
                context,
            )?,
            write_lock(&base.join(SkillsLock::NAME), skills_lock.len(), &skills_lock.text(), context)?,
        ];
        Ok(Locked { locks, left_out: inventory.left_out, not_compared, notes })
    }
}

fn write_lock(path: &Path, skills: usize, text: &str, context: &CommandContext) -> Result<File, Failure> {
    let shown = path.to_string_lossy();
    let shown = context.relative_path(&shown);
    let outcome = write(path, text).map_err(|error| Failure::io(format!("cannot write `{shown}`"), &error))?;
    Ok(File { path: shown.to_owned(), skills, outcome })
}

/// Returns a note for each reason.
fn left_out_notes(rows: &[LeftOut]) -> Vec<String> {
    let mut names: BTreeMap<_, Vec<String>> = BTreeMap::new();
    for LeftOut { qualified_id, why } in rows {
        names.entry(*why).or_default().push(format!("`{qualified_id}`"));
    }
    names.into_iter().map(|(why, names)| format!("not locked, {}: {}", why.sentence(), names.join(", "))).collect()
}

impl CommandOutput for Locked {
    fn write(&self, out: &mut Stream<'_>) -> io::Result<()> {
        let mut table = Table::new(&["lock", ">skills", "status"]);
        for File { path, skills, outcome } in &self.locks {
            let status = match outcome {
                Outcome::Written => "written",
                Outcome::Unchanged => "unchanged",
            };
            table.row([path.into(), skills.to_string().into(), status.into()]);
        }
        table.write(out)
    }

    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }
}
