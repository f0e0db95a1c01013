//! Comparison with `skills-lock.json`.

use std::path::{Path, PathBuf};

use repertoire::Id;

use super::{Difference, DifferenceKind, VerifyOutput};
use crate::failure::Failure;
use crate::lock::{HashedFiles, Inventory, RepertoireLock, SkillsLock, folder_hash};

impl VerifyOutput {
    /// Compares one hash per skill with `skills-lock.json`.
    ///
    /// A skill without a row is extra only if there is no `repertoire.lock.json`, which lists every skill.
    pub(super) fn compare_hashes(
        &mut self,
        lock: &SkillsLock,
        ours: Option<&RepertoireLock>,
        inventory: &Inventory,
        base: &Path,
    ) -> Result<(), Failure> {
        let is_alone = self.locks.len() == 1;
        for (name, locked) in lock.hashes() {
            let present = Id::new(name).ok().and_then(|id| {
                let searched = inventory.winner(&id).map(|present| present.folder.clone());
                searched.or_else(|| installed_folder(ours?, &id, base))
            });
            let hash = |files| present.as_ref().map(|folder| folder_hash(folder, files));
            let found = match hash(HashedFiles::OfSkill).transpose() {
                Ok(found) => found,
                Err(why) => {
                    let message = format!(
                        "`{name}` cannot be compared with `{}`: {why}",
                        SkillsLock::NAME
                    );
                    if is_alone {
                        return Err(Failure::new(message)
                            .help("run `repertoire lock` to write a lock that covers it"));
                    }
                    self.notes.push(message);
                    continue;
                }
            };
            let is_locked = |hash: Option<Result<String, String>>| {
                hash.is_some_and(|hash| hash.as_deref() == Ok(locked))
            };
            // The tool `skills` also hashes bytecode and editor files that were there when it wrote the row.
            if found.as_deref() != Some(locked) && !is_locked(hash(HashedFiles::ByTool)) {
                let kind = if found.is_some() {
                    DifferenceKind::Changed
                } else {
                    DifferenceKind::Missing
                };
                self.differences.push(Difference {
                    only_line_ends: is_locked(hash(HashedFiles::WithLineFeeds)),
                    locked: Some(locked.to_owned()),
                    found,
                    ..Difference::new(SkillsLock::NAME, kind, name)
                });
            }
        }
        if is_alone {
            let extra = inventory.winners.keys().filter(|id| !lock.has(id));
            self.differences.extend(
                extra.map(|id| {
                    Difference::new(SkillsLock::NAME, DifferenceKind::Extra, id.as_str())
                }),
            );
        }
        Ok(())
    }
}

/// Returns the folder of an installed skill that the sources do not search.
fn installed_folder(lock: &RepertoireLock, id: &Id, base: &Path) -> Option<PathBuf> {
    let mut rows = lock.installed.values();
    let row = rows.find(|row| row.id == *id)?;
    Some(base.join(row.path.as_str())).filter(|folder| folder.is_dir())
}
