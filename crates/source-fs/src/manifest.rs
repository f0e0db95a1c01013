//! The list of a skill's files.

use std::io::{self, ErrorKind};
use std::sync::{MutexGuard, PoisonError};
use std::time::SystemTime;

use repertoire_core::{
    Digest, InvalidResourcePath, Resource, ResourcePath, SkippedFolder, SourceError, SourceErrorKind,
};

use crate::file;
use crate::folder::{SkillFolder, failed};
use crate::pattern::FILE_NAME;
use crate::record::Digests;
use crate::stamp::FileStamp;

/// Path, size and digest of every file in `folder` but its own `SKILL.md`, sorted by path.
///
/// Links count as what they lead to inside the folder; those that lead out, and those to folders, which are listed
/// under their own path, are left out. So are version control, dependencies and caches.
///
/// # Errors
/// When a limit is met, or a file has a name that no resource path can spell: a partial list would be taken for all.
pub(crate) fn of(folder: &SkillFolder<'_>) -> Result<Vec<Resource>, SourceError> {
    let mut paths = Vec::new();
    let mut open = vec![(String::new(), 0)];
    while let Some((below, depth)) = open.pop() {
        collect(folder, &below, depth, &mut paths, &mut open)?;
    }
    let mut resources = Vec::with_capacity(paths.len());
    let mut left = folder.limits.total_bytes;
    for path in paths {
        if let Some(resource) = describe(folder, path, &mut left)? {
            resources.push(resource);
        }
    }
    resources.sort_by(|a, b| a.path.cmp(&b.path));
    let mut digests = digests(folder);
    if digests.len() > resources.len() {
        let is_there = |path: &str| resources.binary_search_by(|known| known.path.as_str().cmp(path)).is_ok();
        digests.retain(|path, _| is_there(path));
    }
    Ok(resources)
}

/// Adds the files in the folder `below` to `paths` and its folders to `open`.
fn collect(
    folder: &SkillFolder<'_>,
    below: &str,
    depth: usize,
    paths: &mut Vec<ResourcePath>,
    open: &mut Vec<(String, usize)>,
) -> Result<(), SourceError> {
    let limits = folder.limits;
    if depth > limits.resource_depth {
        let message = format!(
            "the skill's folders are more than {} deep; the limit is `limits.resource-depth`",
            limits.resource_depth
        );
        return Err(SourceError::new(SourceErrorKind::TooLarge, message));
    }
    let describe = |error| failed(&format!("folder `{}`", file::shown(below.as_ref())), error);
    let entries = match if below.is_empty() { folder.dir.entries() } else { folder.dir.read_dir(below) } {
        // Deleted since its parent was read, or swapped for a link that leads out.
        Err(error) if !below.is_empty() && error.kind() == ErrorKind::NotFound => return Ok(()),
        entries => entries.map_err(describe)?,
    };
    let mut folders = Vec::new();
    for entry in entries {
        let entry = entry.map_err(describe)?;
        let name = entry.file_name();
        let kind = entry.file_type().map_err(describe)?;
        let is_own = below.is_empty() && name == folder.record.file_name();
        if is_own || SkippedFolder::of(&name) == Some(SkippedFolder::Tool) {
            continue;
        }
        let unnameable = |why: String| {
            let name = file::shown(name.as_ref());
            SourceError::invalid(format!("file `{name}` in the skill cannot be named: {why}; rename it"))
        };
        let text = name.to_str().ok_or_else(|| unnameable("it is not UTF-8".into()))?;
        let path = if below.is_empty() { text.to_owned() } else { format!("{below}/{text}") };
        if kind.is_dir() {
            folders.push((path, depth + 1));
        } else if kind.is_file() || kind.is_symlink() {
            if paths.len() >= limits.resources {
                let message =
                    format!("the skill has more than {} files; the limit is `limits.resources`", limits.resources);
                return Err(SourceError::new(SourceErrorKind::TooLarge, message));
            }
            paths.push(path.parse().map_err(|error: InvalidResourcePath| unnameable(error.to_string()))?);
        }
    }
    // Below the folder of a whole collection lie other skills, which have files of their own.
    let is_other_skill =
        |path: &str| folder.record.holds_others && folder.dir.symlink_metadata(format!("{path}/{FILE_NAME}")).is_ok();
    open.extend(folders.into_iter().filter(|(path, _)| !is_other_skill(path)));
    Ok(())
}

/// The row of the file at `path`; `None` when it is none, or is gone or out of reach by now.
fn describe(folder: &SkillFolder<'_>, path: ResourcePath, left: &mut u64) -> Result<Option<Resource>, SourceError> {
    let shown = file::shown(path.as_str().as_ref());
    let now = SystemTime::now();
    let opened = match folder.open_file(path.as_str()) {
        Err(error) if is_out_of_reach(&error) => return Ok(None),
        opened => opened.map_err(|error| failed(&format!("file `{shown}`"), error))?,
    };
    if !opened.metadata.is_file() {
        return Ok(None);
    }
    let size = opened.metadata.len();
    let total = folder.limits.total_bytes;
    *left = left.checked_sub(size).ok_or_else(|| {
        let message = format!("the skill's files are larger than {total} bytes; the limit is `limits.total-bytes`");
        SourceError::new(SourceErrorKind::TooLarge, message)
    })?;
    let stamp = FileStamp::of(&folder.record.folder().join(path.as_str()), &opened.metadata);
    let known = digests(folder).get(path.as_str()).copied();
    if let Some((known, digest)) = known
        && known == stamp
    {
        return Ok(Some(Resource::new(path, size, digest)));
    }
    let bytes = opened.read(&shown, folder.limits.resource_bytes, "limits.resource-bytes")?;
    let digest = Digest::of(&bytes);
    if stamp.is_settled(now) {
        digests(folder).insert(path.as_str().to_owned(), (stamp, digest));
    }
    Ok(Some(Resource::new(path, bytes.len() as u64, digest)))
}

/// The digests of files that were read before.
fn digests<'f>(folder: &'f SkillFolder<'_>) -> MutexGuard<'f, Digests> {
    folder.record.digests().lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether there is nothing at a path beneath the folder: nothing at all, or a link that leads out or round.
fn is_out_of_reach(error: &io::Error) -> bool {
    let leads_out = error.kind() == ErrorKind::PermissionDenied && error.raw_os_error().is_none();
    leads_out || is_loop(error) || matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

#[cfg(unix)]
fn is_loop(error: &io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error())
}

#[cfg(not(unix))]
fn is_loop(_error: &io::Error) -> bool {
    false
}
