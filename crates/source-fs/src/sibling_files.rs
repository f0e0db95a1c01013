//! The files next to a `SKILL.md`, as far as watching needs them.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use repertoire_core::Stamp;

use crate::FsLimits;
use crate::pattern::FILE_NAME;
use crate::stamp::{ChangeTime, FileStamp};
use crate::survey;

/// The metadata of the files next to a `SKILL.md`. No file is opened for it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SiblingFiles {
    /// Paths and versions of all files.
    pub(crate) stamp: Stamp,
    /// The latest change of a file or folder.
    newest: ChangeTime,
    /// The folders below the skill's own.
    pub(crate) folders: Vec<PathBuf>,
    /// Links, the `SKILL.md` too if it is one: what they lead to changes elsewhere.
    pub(crate) links: Vec<PathBuf>,
    /// The folders that were read, if a later change to any would show.
    read: Vec<(PathBuf, FileStamp)>,
    /// The entries of these folders that are not folders.
    files: Vec<PathBuf>,
}

impl SiblingFiles {
    /// Reads what lies beside the file `own`. Files over a limit and files that cannot be read are left out.
    ///
    /// Folders that have not changed since `known` are not read again: reading a folder makes events where it is watched, and
    /// 10,000 of them can overflow the queue of the system.
    pub(crate) fn of(
        own: &Path,
        is_search_root: bool,
        limits: &FsLimits,
        known: Option<&SiblingFiles>,
    ) -> SiblingFiles {
        if let Some(known) = known
            && !known.read.is_empty()
            && known
                .read
                .iter()
                .all(|(folder, version)| version_of(folder) == Some(*version))
        {
            let (read, files) = (known.read.clone(), known.files.clone());
            let (folders, links) = (known.folders.clone(), known.links.clone());
            let (stamp, newest) =
                fingerprint(&files, known.read.iter().map(|(_, version)| version));
            return SiblingFiles {
                stamp,
                newest,
                folders,
                links,
                read,
                files,
            };
        }
        let now = SystemTime::now();
        // What a folder inside holds decides about a collection, and that one is not read here.
        let mut is_settled = !is_search_root;
        let mut read: Vec<(PathBuf, FileStamp)> = Vec::new();
        let (mut files, mut folders, mut links) = (Vec::new(), Vec::new(), Vec::new());
        let mut open: Vec<(PathBuf, usize)> = own
            .parent()
            .map(|folder| (folder.to_owned(), 0))
            .into_iter()
            .collect();
        'folders: while let Some((folder, depth)) = open.pop() {
            let version = version_of(&folder);
            is_settled &= version.is_some_and(|version| version.is_settled(now));
            read.extend(version.map(|version| (folder.clone(), version)));
            for entry in folder.read_dir().into_iter().flatten().flatten() {
                let (name, path) = (entry.file_name(), entry.path());
                let Ok(kind) = entry.file_type() else {
                    continue;
                };
                if survey::is_apart(Path::new(&name)) {
                    continue;
                }
                if kind.is_symlink() {
                    links.push(path.clone());
                }
                if kind.is_dir() {
                    // Below the folder of a whole collection lie other skills, which have files of their own.
                    if depth < limits.resource_depth
                        && !(is_search_root && path.join(FILE_NAME).is_file())
                    {
                        folders.push(path.clone());
                        open.push((path, depth + 1));
                    }
                } else if path != own {
                    if files.len() >= limits.resources {
                        is_settled = false;
                        break 'folders;
                    }
                    files.push(path);
                }
            }
        }
        files.sort();
        folders.sort();
        links.sort();
        let (stamp, newest) = fingerprint(&files, read.iter().map(|(_, version)| version));
        if !is_settled {
            read.clear();
        }
        SiblingFiles {
            stamp,
            newest,
            folders,
            links,
            read,
            files,
        }
    }

    pub(crate) fn are_older_than(&self, time: SystemTime) -> bool {
        self.newest.is_before(time)
    }

    pub(crate) fn watched(&self) -> (&[PathBuf], &[PathBuf]) {
        (&self.folders, &self.links)
    }
}

fn version_of(path: &Path) -> Option<FileStamp> {
    path.metadata()
        .ok()
        .map(|metadata| FileStamp::of(path, &metadata))
}

/// Returns the fingerprint of the paths and versions of `files`, and the latest change of these files and of `folders`. Links to
/// folders are left out.
///
/// A version includes the change time: a copy in place can restore size and modification time, but not the change time.
fn fingerprint<'f>(
    files: &[PathBuf],
    folders: impl Iterator<Item = &'f FileStamp>,
) -> (Stamp, ChangeTime) {
    let versions = files.iter().filter_map(|path| {
        let metadata = path.metadata().ok().filter(|metadata| !metadata.is_dir())?;
        Some((path.clone(), FileStamp::of(path, &metadata)))
    });
    let versions: Vec<(PathBuf, FileStamp)> = versions.collect();
    let newest = versions
        .iter()
        .map(|(_, version)| version.last_change())
        .max();
    (
        Stamp::of(&versions),
        newest
            .max(folders.map(FileStamp::last_change).max())
            .unwrap_or_default(),
    )
}
