//! `repertoire lock`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;

use super::verify::{lock_folder, not_compared_notes};
use crate::context::CommandContext;
use crate::diagnostics::quoted;
use crate::failure::Failure;
use crate::lock::{
    HashedFiles, Inventory, LeftOut, LockWrite, NotCompared, RepertoireLock, SkillsLock,
    folder_hash, write,
};
use crate::options::ConnectableFolders;
use crate::output::{Output, word};
use crate::table::TextTable;

/// Write a lock file with a digest of every file in the project's skills.
///
/// Writes `repertoire.lock.json` with the digest of every file, and `skills-lock.json` with one row per skill, for the tool
/// `skills`. Includes the skills of the user tier whose folders are below the lock directory.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  repertoire lock --trust-project")]
pub(crate) struct LockCommand {
    #[command(flatten)]
    pub(super) searched: ConnectableFolders,
    /// Directory of the lock files [default: current directory].
    #[arg(long, value_name = "DIR")]
    lock_dir: Option<PathBuf>,
}

/// The lock files, and the content that they do not cover.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct LockOutput {
    locks: Vec<LockFile>,
    left_out: Vec<LeftOut>,
    /// The files and folders of the locked skills that are not in a lock.
    not_compared: Vec<NotCompared>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct LockFile {
    path: String,
    skills: usize,
    outcome: LockWrite,
}

impl LockCommand {
    pub(super) async fn run(
        &self,
        context: &CommandContext,
        out: &mut Output,
    ) -> Result<(), Failure> {
        let base = lock_folder(self.lock_dir.as_deref(), context)?;
        // Read before anything is written: an invalid lock is not overwritten.
        let mut skills_lock = SkillsLock::read(&base)?.unwrap_or_default();
        // Installed skills can be added again, so an invalid lock does not prevent a new one.
        let (old, invalid) = match RepertoireLock::read(&base) {
            Ok(lock) => (lock.unwrap_or_default(), None),
            Err(failure) => (RepertoireLock::default(), Some(failure)),
        };
        let inventory = Inventory::take(context, &base).await?;
        let not_compared: Vec<_> = inventory.not_compared().cloned().collect();
        let mut notes = left_out_notes(&inventory.left_out);
        notes.extend(invalid.map(|failure| format!("{}; it was replaced", failure.message())));
        notes.extend(not_compared_notes(&not_compared));
        notes.extend(context.hidden_text_note().await);
        for (id, path) in &inventory.winners {
            match folder_hash(&inventory.skills[path].folder, HashedFiles::OfSkill) {
                Ok(hash) => skills_lock.lock(id, path.as_str(), &hash),
                Err(why) => notes.push(format!(
                    "`{id}` has no new row in `{}`: {why}",
                    SkillsLock::NAME
                )),
            }
        }
        let kept =
            skills_lock.retain(|name| name.parse().is_ok_and(|id| inventory.winner(&id).is_some()));
        notes.extend(kept.iter().map(|name| {
            format!(
                "`{name}` is not installed; its row in `{}` is kept",
                SkillsLock::NAME
            )
        }));
        let locked = LockOutput {
            locks: write_locks(&base, (&old, &inventory), &skills_lock, context)?,
            left_out: inventory.left_out,
            not_compared,
        };
        if out.write_json(&locked) {
            return Ok(());
        }
        let mut table = TextTable::new(&["lock", ">skills", "status"]);
        for LockFile {
            path,
            skills,
            outcome,
        } in &locked.locks
        {
            table.row([path.into(), skills.to_string().into(), word(outcome).into()]);
        }
        table.write(out);
        out.notes(notes);
        Ok(())
    }
}

fn write_locks(
    base: &Path,
    (old, inventory): (&RepertoireLock, &Inventory),
    skills_lock: &SkillsLock,
    context: &CommandContext,
) -> Result<Vec<LockFile>, Failure> {
    let texts = [
        (
            RepertoireLock::NAME,
            inventory.skills.len(),
            old.text(inventory),
        ),
        (SkillsLock::NAME, skills_lock.len(), skills_lock.text()),
    ];
    let locks = texts.into_iter().map(|(name, skills, text)| {
        let file = base.join(name);
        let path = context.relative_path(&file.to_string_lossy()).to_owned();
        match write(&file, &text) {
            Ok(outcome) => Ok(LockFile {
                path,
                skills,
                outcome,
            }),
            Err(error) => Err(Failure::io(format!("cannot write `{path}`"), &error)),
        }
    });
    locks.collect()
}

fn left_out_notes(rows: &[LeftOut]) -> Vec<String> {
    let mut names: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for LeftOut { qualified_id, why } in rows {
        names.entry(*why).or_default().push(qualified_id);
    }
    names
        .into_iter()
        .map(|(why, names)| format!("not locked, {}: {}", why.sentence(), quoted(names)))
        .collect()
}
