//! An open folder from which neighbouring files are opened.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use crate::file;
use crate::owner::FileOwner;
use crate::stamp::FileStamp;

/// A folder that stays open while the folders in it are visited.
///
/// Files below it are opened with `openat` on systems that have it, all others by their whole path. Resolving the whole path each
/// time takes a tenth of a first listing and an eighth of a second one.
#[derive(Debug, Default)]
pub(crate) struct ParentDir {
    folder: PathBuf,
    #[cfg(unix)]
    held: Option<std::os::fd::OwnedFd>,
}

/// A file that was opened for reading.
#[derive(Debug)]
pub(crate) struct OpenedFile {
    pub(crate) file: File,
    /// The version, if it is a regular file.
    pub(crate) stamp: Option<FileStamp>,
    pub(crate) owner: FileOwner,
    /// Whether the last component is a link.
    pub(crate) is_link: bool,
}

/// The version and the owner of a file or folder.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PathState {
    pub(crate) stamp: FileStamp,
    pub(crate) owner: FileOwner,
}

impl PathState {
    fn of(path: &Path, metadata: &std::fs::Metadata) -> PathState {
        PathState {
            stamp: FileStamp::of(path, metadata),
            owner: FileOwner::of(metadata),
        }
    }

    #[cfg(unix)]
    fn of_stat(stat: &rustix::fs::Stat) -> PathState {
        PathState {
            stamp: FileStamp::of_stat(stat),
            owner: FileOwner::of_stat(stat),
        }
    }
}

fn whole(path: &Path) -> io::Result<OpenedFile> {
    let (file, metadata) = file::open(path)?;
    let stamp = metadata.is_file().then(|| FileStamp::of(path, &metadata));
    Ok(OpenedFile {
        file,
        stamp,
        owner: FileOwner::of(&metadata),
        is_link: path.is_symlink(),
    })
}

#[cfg(unix)]
impl ParentDir {
    pub(crate) fn hold_above(&mut self, folder: &Path) {
        use rustix::fs::{CWD, Mode, OFlags, openat};

        let Some(above) = folder.parent() else { return };
        if self.folder.as_os_str() != above.as_os_str() {
            self.folder = above.to_owned();
            let flags = OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::RDONLY;
            self.held = openat(CWD, above, flags, Mode::empty()).ok();
        }
    }

    pub(crate) fn open(&self, path: &Path) -> io::Result<OpenedFile> {
        use rustix::fs::{FileType, Mode, OFlags, fstat, openat};

        let Some((held, below)) = self.below(path) else {
            return whole(path);
        };
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
        let open = |flags| rustix::io::retry_on_intr(|| openat(held, below, flags, Mode::empty()));
        // Refused for a link, which spares a question whether it is one.
        let (file, is_link) = match open(flags | OFlags::NOFOLLOW) {
            Ok(file) => (File::from(file), false),
            Err(error) if error != rustix::io::Errno::NOENT && path.is_symlink() => {
                (File::from(open(flags)?), true)
            }
            Err(error) => return Err(error.into()),
        };
        let stat = fstat(&file)?;
        let is_file = FileType::from_raw_mode(stat.st_mode).is_file();
        let stamp = is_file.then(|| FileStamp::of_stat(&stat));
        Ok(OpenedFile {
            file,
            stamp,
            owner: FileOwner::of_stat(&stat),
            is_link,
        })
    }

    pub(crate) fn stamp(&self, path: &Path) -> io::Result<FileStamp> {
        Ok(self.state(path)?.stamp)
    }

    /// Returns the state of what `path` leads to.
    pub(crate) fn state(&self, path: &Path) -> io::Result<PathState> {
        match self.below(path) {
            Some((held, path)) => Ok(PathState::of_stat(&rustix::fs::statat(
                held,
                path,
                rustix::fs::AtFlags::empty(),
            )?)),
            None => Ok(PathState::of(path, &path.metadata()?)),
        }
    }

    /// Returns the state of `path` itself, also if it is a link.
    pub(crate) fn entry_state(&self, path: &Path) -> io::Result<PathState> {
        match self.below(path) {
            Some((held, path)) => Ok(PathState::of_stat(&rustix::fs::statat(
                held,
                path,
                rustix::fs::AtFlags::SYMLINK_NOFOLLOW,
            )?)),
            None => Ok(PathState::of(path, &path.symlink_metadata()?)),
        }
    }

    pub(crate) fn has(&self, path: &Path) -> bool {
        match self.below(path) {
            Some((held, path)) => {
                rustix::fs::statat(held, path, rustix::fs::AtFlags::SYMLINK_NOFOLLOW).is_ok()
            }
            None => path.symlink_metadata().is_ok(),
        }
    }

    fn below<'a>(
        &'a self,
        path: &'a Path,
    ) -> Option<(&'a std::os::fd::OwnedFd, &'a std::ffi::OsStr)> {
        use std::os::unix::ffi::OsStrExt;

        let rest = path
            .as_os_str()
            .as_bytes()
            .strip_prefix(self.folder.as_os_str().as_bytes())?;
        Some((
            self.held.as_ref()?,
            std::ffi::OsStr::from_bytes(rest.strip_prefix(b"/")?),
        ))
    }
}

#[cfg(not(unix))]
impl ParentDir {
    pub(crate) fn hold_above(&mut self, folder: &Path) {
        self.folder = folder.to_owned();
    }

    pub(crate) fn open(&self, path: &Path) -> io::Result<OpenedFile> {
        whole(path)
    }

    pub(crate) fn stamp(&self, path: &Path) -> io::Result<FileStamp> {
        Ok(self.state(path)?.stamp)
    }

    pub(crate) fn state(&self, path: &Path) -> io::Result<PathState> {
        Ok(PathState::of(path, &path.metadata()?))
    }

    pub(crate) fn entry_state(&self, path: &Path) -> io::Result<PathState> {
        Ok(PathState::of(path, &path.symlink_metadata()?))
    }

    pub(crate) fn has(&self, path: &Path) -> bool {
        path.symlink_metadata().is_ok()
    }
}
