//! The users who decide what a file or folder is.

use std::fs::Metadata;
use std::path::Path;

use crate::file;

/// The owner and the mode of a file, a folder or a link.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FileOwner {
    #[cfg(unix)]
    user: u32,
    #[cfg(unix)]
    mode: u32,
}

/// Returns the reason why a user other than this one and root decides what `path` is, in words. A link is judged itself.
pub(crate) fn distrust(path: &Path) -> Option<String> {
    let reason = FileOwner::of(&path.symlink_metadata().ok()?).distrust(path)?;
    Some(format!("`{}` {reason}", file::shown(path)))
}

#[cfg(unix)]
impl FileOwner {
    pub(crate) fn of(metadata: &Metadata) -> FileOwner {
        use std::os::unix::fs::MetadataExt;

        FileOwner {
            user: metadata.uid(),
            mode: metadata.mode(),
        }
    }

    #[allow(clippy::unnecessary_cast, reason = "the type differs between systems")]
    pub(crate) fn of_stat(stat: &rustix::fs::Stat) -> FileOwner {
        FileOwner {
            user: stat.st_uid,
            mode: stat.st_mode as u32,
        }
    }

    /// Returns the reason why a user other than this one and root decides what `path` is, in words that follow its name.
    ///
    /// The path belongs to another user, or every user can write to it.
    pub(crate) fn distrust(self, path: &Path) -> Option<String> {
        use rustix::fs::FileType;

        use crate::file_system::FileSystem;

        const WRITABLE_BY_ALL: u32 = 0o002;
        const ROOT: u32 = 0;
        let FileOwner { user, mode } = self;
        if user != ROOT && user != rustix::process::geteuid().as_raw() {
            return Some(format!("belongs to another user ({user})"));
        }
        let is_writable =
            mode & WRITABLE_BY_ALL != 0 && !FileType::from_raw_mode(mode as _).is_symlink();
        // Modes on a remote file system are those of its server, or made up: folders of Windows show as writable by all.
        let is_stranger = is_writable && !matches!(FileSystem::of(path), FileSystem::Remote(_));
        is_stranger.then(|| "can be written by every user".to_owned())
    }
}

#[cfg(not(unix))]
impl FileOwner {
    pub(crate) fn of(_metadata: &Metadata) -> FileOwner {
        FileOwner {}
    }

    pub(crate) fn distrust(self, _path: &Path) -> Option<String> {
        None
    }
}

/// The advice about a file or folder that another user can change.
pub(crate) const OWN_IT: &str =
    "take it over with `chown`, and write access from others with `chmod o-w`";
