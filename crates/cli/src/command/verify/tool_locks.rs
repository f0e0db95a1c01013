//! Comparison with the lock files of other tools.

use std::collections::BTreeMap;
use std::path::Path;

use repertoire::skill::{Digest, Manifest, ResourcePath};
use repertoire_install::{ProjectFolder, content_digest};

use super::{Difference, DifferenceKind, VerifyOutput};
use crate::failure::Failure;
use crate::lock::tool_lock::{ToolContent, ToolLock, ToolRow};
use crate::lock::{Inventory, NotCompared, RepertoireLock};

impl VerifyOutput {
    /// Compares the skills that a lock of a different tool states. It says nothing about other skills.
    pub(super) fn compare_tool_lock(
        &mut self,
        lock: &ToolLock,
        ours: Option<&RepertoireLock>,
        inventory: &Inventory,
        base: &Path,
    ) -> Result<(), Failure> {
        if self.locks.is_empty() {
            self.skills = lock.rows.len();
        }
        self.locks.push(lock.name);
        for row in &lock.rows {
            match &row.content {
                ToolContent::Artifact(path, digest) => {
                    let is_locked = ours.is_some_and(|ours| ours.skills.contains_key(path));
                    let installed = ours.and_then(|ours| ours.installed.get(path)?.archive);
                    let installed = installed.map(|digest| digest.to_string());
                    if installed.as_ref().is_some_and(|found| found != digest) {
                        self.differences.push(Difference {
                            path: Some(path.to_string()),
                            locked: Some(digest.clone()),
                            found: installed,
                            ..Difference::new(lock.name, DifferenceKind::Changed, &row.id)
                        });
                    } else if folder(base, path)?.is_none() {
                        self.differences
                            .push(missing(lock, row, Some(path), Some(digest)));
                    } else if !is_locked {
                        self.not_compared.push(NotCompared {
                            path: path.to_string(),
                            why: format!("`{}` states no digest of its files", lock.name),
                        });
                    }
                }
                ToolContent::Files(digest) => self.compare_content(lock, row, *digest, inventory),
                ToolContent::EachFile(path, files) => match folder(base, path)? {
                    None => self.differences.push(missing(lock, row, Some(path), None)),
                    Some(found) => self.compare_each_file(lock, row, path, files, &found),
                },
            }
        }
        Ok(())
    }

    fn compare_content(
        &mut self,
        lock: &ToolLock,
        row: &ToolRow,
        locked: Option<Digest>,
        inventory: &Inventory,
    ) {
        let skills = inventory.skills.iter();
        let mut skills = skills
            .filter(|(_, skill)| skill.id.as_str() == row.id)
            .peekable();
        if skills.peek().is_none() {
            let digest = locked.map(String::from);
            self.differences
                .push(missing(lock, row, None, digest.as_ref()));
        }
        for (path, skill) in skills {
            let found = content_digest(skill.compared.manifest.files());
            match locked {
                None => self.not_compared.push(NotCompared {
                    path: path.to_string(),
                    why: format!("`{}` states no digest of its files", lock.name),
                }),
                Some(locked) if locked != found => self.differences.push(Difference {
                    path: Some(path.to_string()),
                    locked: Some(locked.into()),
                    found: Some(found.into()),
                    ..Difference::new(lock.name, DifferenceKind::Changed, &row.id)
                }),
                Some(_) => {}
            }
        }
    }

    fn compare_each_file(
        &mut self,
        lock: &ToolLock,
        row: &ToolRow,
        path: &ResourcePath,
        locked: &BTreeMap<String, Digest>,
        found: &Manifest,
    ) {
        let found = found.files().iter();
        let found = found.map(|file| (file.path.to_string(), file.digest));
        let whole = Difference {
            path: Some(path.to_string()),
            ..Difference::new(lock.name, DifferenceKind::Changed, &row.id)
        };
        self.compare_rows(&whole, locked, &found.collect(), Digest::to_string);
    }
}

fn folder(base: &Path, path: &ResourcePath) -> Result<Option<Manifest>, Failure> {
    let state = ProjectFolder::state(base, path).map_err(Failure::of_install)?;
    Ok(state.manifest)
}

fn missing(
    lock: &ToolLock,
    row: &ToolRow,
    path: Option<&ResourcePath>,
    digest: Option<&String>,
) -> Difference {
    Difference {
        path: path.map(ResourcePath::to_string),
        locked: digest.cloned(),
        ..Difference::new(lock.name, DifferenceKind::Missing, &row.id)
    }
}
