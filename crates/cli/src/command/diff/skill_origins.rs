//! The origins of locked skills.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::compared_side::ComparedSide;
use crate::Environment;
use crate::failure::Failure;
use crate::lock::{RepertoireLock, SkillsLock};
use crate::output::Output;

/// The origins of the skills in the lock files of a folder.
#[derive(Debug, Default)]
pub(super) struct SkillOrigins {
    /// The names of the skills from each origin.
    origins: BTreeMap<SkillOrigin, BTreeSet<String>>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum SkillOrigin {
    Folder(PathBuf),
    /// A Git repository on this machine, and the branch or tag.
    Git(PathBuf, Option<String>),
    /// The origin is not on this machine.
    Remote(String),
}

impl SkillOrigins {
    /// Reads the origins of the locked skills. A skill without a row in `skills-lock.json` comes from its own folder.
    pub(super) fn read(folder: &Path) -> Result<SkillOrigins, Failure> {
        let lock = RepertoireLock::existing(folder)?;
        let rows = SkillsLock::read(folder)?.unwrap_or_default();
        let mut found = SkillOrigins::default();
        for (path, locked) in &lock.skills {
            let origin = match rows.origin(&locked.id) {
                Some(row) if row.kind != "local" => match local_path(row.source, folder) {
                    Some(path) => SkillOrigin::Git(path, row.reference.map(str::to_owned)),
                    None => SkillOrigin::Remote(row.source.to_owned()),
                },
                Some(row) => SkillOrigin::Folder(folder.join(row.source)),
                None => SkillOrigin::Folder(folder.join(path.as_str())),
            };
            let names = found.origins.entry(origin).or_default();
            names.insert(locked.id.to_string());
        }
        Ok(found)
    }

    /// Reads the locked skills from their origins. A note names each origin that is not on this machine.
    pub(super) async fn side(
        &self,
        environment: &mut Environment<'_>,
        out: &mut Output,
    ) -> Result<ComparedSide, Failure> {
        let mut side = ComparedSide::default();
        for (origin, names) in &self.origins {
            let read = match origin {
                SkillOrigin::Folder(folder) if !folder.exists() => continue,
                SkillOrigin::Folder(folder) => ComparedSide::of_folder(folder, environment).await?,
                SkillOrigin::Git(repository, reference) => {
                    ComparedSide::of_git(repository, reference.as_deref(), environment).await?
                }
                SkillOrigin::Remote(source) => {
                    out.note(format!(
                        "`{source}` is not on this machine, so {} not compared; clone it and run `repertoire diff lock DIR`",
                        match names.len() {
                            1 => "its skill is".to_owned(),
                            count => format!("its {count} skills are"),
                        }
                    ));
                    side.not_compared.extend(names.iter().cloned());
                    continue;
                }
            };
            for (name, files) in read.skills {
                for file in files.into_iter().filter(|_| names.contains(&name)) {
                    side.add(&name, file);
                }
            }
        }
        Ok(side)
    }
}

/// Returns the path of a repository on this machine.
fn local_path(source: &str, folder: &Path) -> Option<PathBuf> {
    let path = source.strip_prefix("file://").unwrap_or(source);
    let path = folder.join(path);
    path.is_dir().then(|| path.components().collect())
}
