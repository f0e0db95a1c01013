//! The files next to a `SKILL.md`, as far as watching needs them.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use repertoire_core::Stamp;

use crate::FsLimits;
use crate::apart::is_apart;
use crate::pattern::FILE_NAME;
use crate::stamp::{ChangeTime, FileStamp};

/// The metadata of the files next to a `SKILL.md`. No file is opened for it.
#[derive(Debug, Clone, PartialEq, Eq)]
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
        if let Some(known) = known.filter(|known| known.is_current()) {
            let (stamp, newest) = fingerprint(&known.files, &known.read);
            return SiblingFiles {
                stamp,
                newest,
                ..known.clone()
            };
        }
        let mut walk = SiblingWalk::new(is_search_root);
        walk.list_below(own, limits);
        walk.finish()
    }

    /// Returns whether no folder has changed since it was read.
    fn is_current(&self) -> bool {
        let mut versions = self.read.iter();
        !self.read.is_empty()
            && versions.all(|(folder, version)| version_of(folder) == Some(*version))
    }

    pub(crate) fn are_older_than(&self, time: SystemTime) -> bool {
        self.newest.is_before(time)
    }

    pub(crate) fn watched(&self) -> (&[PathBuf], &[PathBuf]) {
        (&self.folders, &self.links)
    }
}

/// The folders and files that were found so far.
#[derive(Debug)]
struct SiblingWalk {
    is_search_root: bool,
    now: SystemTime,
    /// Whether a later change to any folder would show.
    is_settled: bool,
    read: Vec<(PathBuf, FileStamp)>,
    files: Vec<PathBuf>,
    folders: Vec<PathBuf>,
    links: Vec<PathBuf>,
}

impl SiblingWalk {
    fn new(is_search_root: bool) -> SiblingWalk {
        SiblingWalk {
            is_search_root,
            now: SystemTime::now(),
            // What a folder inside holds decides about a collection, and that one is not read here.
            is_settled: !is_search_root,
            read: Vec::new(),
            files: Vec::new(),
            folders: Vec::new(),
            links: Vec::new(),
        }
    }

    fn list_below(&mut self, own: &Path, limits: &FsLimits) {
        let parent = own.parent().map(|folder| (folder.to_owned(), 0));
        let mut open: Vec<(PathBuf, usize)> = parent.into_iter().collect();
        while let Some((folder, depth)) = open.pop() {
            let version = version_of(&folder);
            self.is_settled &= version.is_some_and(|version| version.is_settled(self.now));
            self.read
                .extend(version.map(|version| (folder.clone(), version)));
            for entry in folder.read_dir().into_iter().flatten().flatten() {
                let (name, path) = (entry.file_name(), entry.path());
                let Ok(kind) = entry.file_type() else {
                    continue;
                };
                if is_apart(Path::new(&name)) {
                    continue;
                }
                if kind.is_symlink() {
                    self.links.push(path.clone());
                }
                if kind.is_dir() {
                    // Below the folder of a whole collection lie other skills, which have files of their own.
                    let is_skill = self.is_search_root && path.join(FILE_NAME).is_file();
                    if depth < limits.resource_depth && !is_skill {
                        self.folders.push(path.clone());
                        open.push((path, depth + 1));
                    }
                } else if path != own {
                    if self.files.len() >= limits.resources {
                        self.is_settled = false;
                        return;
                    }
                    self.files.push(path);
                }
            }
        }
    }

    fn finish(mut self) -> SiblingFiles {
        self.files.sort();
        self.folders.sort();
        self.links.sort();
        let (stamp, newest) = fingerprint(&self.files, &self.read);
        if !self.is_settled {
            self.read.clear();
        }
        SiblingFiles {
            stamp,
            newest,
            folders: self.folders,
            links: self.links,
            read: self.read,
            files: self.files,
        }
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
fn fingerprint(files: &[PathBuf], folders: &[(PathBuf, FileStamp)]) -> (Stamp, ChangeTime) {
    let versions = files.iter().filter_map(|path| {
        let metadata = path.metadata().ok().filter(|metadata| !metadata.is_dir())?;
        Some((path.clone(), FileStamp::of(path, &metadata)))
    });
    let versions: Vec<(PathBuf, FileStamp)> = versions.collect();
    let stamp = Stamp::of(&versions);
    let stamps = versions.iter().chain(folders);
    let newest = stamps.map(|(_, version)| version.last_change()).max();
    (stamp, newest.unwrap_or_default())
}
