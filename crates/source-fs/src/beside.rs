//! The other files of a skill, as far as watching needs them.

use std::path::{Path, PathBuf};

use repertoire_core::Stamp;

use crate::FsLimits;
use crate::pattern::FILE_NAME;
use crate::skipped::Skipped;
use crate::stamp::FileStamp;

/// What lies in a skill's folder beside its `SKILL.md`. No file is opened for it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Beside {
    /// Paths and versions of all files.
    pub(crate) stamp: Stamp,
    /// The folders below the skill's own.
    pub(crate) folders: Vec<PathBuf>,
    /// Links, the `SKILL.md` too if it is one: what they lead to changes elsewhere.
    pub(crate) links: Vec<PathBuf>,
}

impl Beside {
    /// What lies beside the file `own`. What is over a limit, or cannot be read, is not there: listing the resources
    /// reports it.
    pub(crate) fn of(own: &Path, holds_others: bool, limits: &FsLimits) -> Beside {
        let (mut files, mut folders, mut links) = (Vec::new(), Vec::new(), Vec::new());
        let mut open: Vec<(PathBuf, usize)> = own.parent().map(|folder| (folder.to_owned(), 0)).into_iter().collect();
        'folders: while let Some((folder, depth)) = open.pop() {
            for entry in folder.read_dir().into_iter().flatten().flatten() {
                let (name, path) = (entry.file_name(), entry.path());
                let Ok(kind) = entry.file_type() else { continue };
                if Skipped::of(&name) == Some(Skipped::Tool) {
                    continue;
                }
                if kind.is_symlink() {
                    links.push(path.clone());
                }
                if kind.is_dir() {
                    // Below the folder of a whole collection lie other skills, which have files of their own.
                    if depth < limits.resource_depth && !(holds_others && path.join(FILE_NAME).is_file()) {
                        folders.push(path.clone());
                        open.push((path, depth + 1));
                    }
                } else if path != own
                    && let Ok(metadata) = path.metadata()
                    && !metadata.is_dir()
                {
                    if files.len() >= limits.resources {
                        break 'folders;
                    }
                    let version = FileStamp::of(&path, &metadata).content();
                    files.push((path, version));
                }
            }
        }
        files.sort();
        folders.sort();
        links.sort();
        Beside { stamp: Stamp::of(&files), folders, links }
    }

    /// What has to be watched.
    pub(crate) fn watched(&self) -> (&[PathBuf], &[PathBuf]) {
        (&self.folders, &self.links)
    }
}
