//! The changes since the lock files of the working folder.

use std::path::PathBuf;

use repertoire::Model;

use crate::Environment;
use crate::command::verify::VerifyOutput;
use crate::compose::{NamedFolders, compose};
use crate::failure::Failure;
use crate::lock::{RepertoireLock, SkillsLock};
use crate::options::SourceOptions;
use crate::source_cache::SourceCache;
use crate::styled_line::StyledLine;
use crate::table::TextTable;

/// Compares the folders of the locked skills with the lock files; returns `None` if there are no lock files.
pub(super) async fn find(
    sources: &SourceOptions,
    environment: &mut Environment<'_>,
) -> Result<Option<VerifyOutput>, Failure> {
    let Ok(base) = environment.cwd.canonicalize() else {
        return Ok(None);
    };
    let lock = RepertoireLock::read(&base)?;
    if lock.is_none() && SkillsLock::read(&base)?.is_none() {
        return Ok(None);
    }
    let locked = lock.iter().flat_map(|lock| lock.skills.keys());
    let mut folders: Vec<PathBuf> = locked
        .filter_map(|path| Some(PathBuf::from(path.as_str().rsplit_once('/')?.0)))
        .filter(|folder| base.join(folder).is_dir())
        .collect();
    folders.dedup();
    let named = NamedFolders::Plain(&folders);
    let cache = SourceCache::read_only();
    let sources = &SourceOptions {
        no_cache: true,
        ..sources.clone()
    };
    let context = compose(sources, named, Model::default(), cache, environment).await?;
    VerifyOutput::of(&context, &base).await
}

/// Returns one row for each skill that changed.
pub(super) fn lines(lock: &VerifyOutput, columns: usize) -> Vec<StyledLine> {
    let mut table = TextTable::headless(3);
    for (change, skill, files) in lock.changed_skills() {
        table.row([change.into(), skill.into(), files.into()]);
    }
    table.lines(columns)
}
