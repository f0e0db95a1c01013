//! What tells one version of a file from another without reading it.

use std::fs::{DirEntry, Metadata};
use std::hash::Hash;
use std::path::Path;
use std::time::SystemTime;

use repertoire_core::Stamp;

/// The identity of a file or folder, whatever path leads to it.
///
/// Device and inode on Unix; elsewhere the standard library has nothing like it, and the real path stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Identity(u64, u64);

impl Identity {
    /// Returns the number of the device, which is 0 for all where there is no such number.
    pub(crate) fn device(self) -> u64 {
        self.0
    }
}

/// One version of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct FileStamp {
    /// Which file.
    pub(crate) identity: Identity,
    pub(crate) size: u64,
    /// When it was written last, in seconds and nanoseconds.
    modified: (i64, i64),
    /// The change time, which no program can set back.
    changed: (i64, i64),
}

/// The coarsest clock of a file system still in use: FAT counts modification in two seconds.
const TICK: i64 = 2;

impl FileStamp {
    /// The stamp of what `metadata` describes and `path` leads to.
    pub(crate) fn of(path: &Path, metadata: &Metadata) -> FileStamp {
        FileStamp {
            identity: Identity::of(path, metadata),
            size: metadata.len(),
            modified: modified(metadata),
            changed: changed(metadata),
        }
    }

    /// The same of what the system told directly.
    #[cfg(unix)]
    #[expect(clippy::unnecessary_cast, reason = "the types differ between systems")]
    pub(crate) fn of_stat(stat: &rustix::fs::Stat) -> FileStamp {
        FileStamp {
            identity: Identity(stat.st_dev as u64, stat.st_ino as u64),
            size: stat.st_size as u64,
            modified: (stat.st_mtime as i64, stat.st_mtime_nsec as i64),
            changed: (stat.st_ctime as i64, stat.st_ctime_nsec as i64),
        }
    }

    /// Whether a write that came after a read at `read` would have got another stamp.
    ///
    /// A file that is written twice within one tick of the file system's clock may keep its stamp.
    pub(crate) fn is_settled(&self, read: SystemTime) -> bool {
        (self.modified.0.saturating_add(TICK), self.modified.1) <= since_epoch(read)
    }

    /// The fingerprint of a listed row: its front matter, and the version of the file behind it.
    ///
    /// The change time is left out: a new mode or link count is no new content. `beside` is of the skill's other
    /// files, where those count.
    pub(crate) fn with_front_matter(&self, front_matter: &[u8], beside: Option<Stamp>) -> Stamp {
        Stamp::of(&(front_matter, self.content(), beside))
    }

    /// What tells one content from another.
    pub(crate) fn content(&self) -> impl Hash + Ord + use<> {
        (self.identity, self.size, self.modified)
    }
}

#[cfg(unix)]
mod platform {
    use std::os::unix::fs::{DirEntryExt, MetadataExt};

    use super::*;

    impl Identity {
        pub(crate) fn of(_path: &Path, metadata: &Metadata) -> Identity {
            Identity(metadata.dev(), metadata.ino())
        }

        /// The identity of a real folder inside `parent`. A mount point has another; the file system cannot
        /// say so without a question for every entry.
        pub(crate) fn of_entry(parent: Identity, entry: &DirEntry) -> Identity {
            Identity(parent.0, entry.ino())
        }
    }

    pub(super) fn modified(metadata: &Metadata) -> (i64, i64) {
        (metadata.mtime(), metadata.mtime_nsec())
    }

    pub(super) fn changed(metadata: &Metadata) -> (i64, i64) {
        (metadata.ctime(), metadata.ctime_nsec())
    }
}

#[cfg(not(unix))]
mod platform {
    use std::hash::{DefaultHasher, Hash, Hasher};

    use super::*;

    impl Identity {
        pub(crate) fn of(path: &Path, _metadata: &Metadata) -> Identity {
            Identity::of_path(path)
        }

        pub(crate) fn of_entry(_parent: Identity, entry: &DirEntry) -> Identity {
            Identity::of_path(&entry.path())
        }

        fn of_path(path: &Path) -> Identity {
            let mut hasher = DefaultHasher::new();
            path.canonicalize().unwrap_or_else(|_| path.to_owned()).hash(&mut hasher);
            Identity(0, hasher.finish())
        }
    }

    pub(super) fn modified(metadata: &Metadata) -> (i64, i64) {
        // A time that is not known is never settled.
        metadata.modified().map_or((i64::MAX, 0), since_epoch)
    }

    pub(super) fn changed(_metadata: &Metadata) -> (i64, i64) {
        (0, 0)
    }
}

use platform::{changed, modified};

/// Seconds and nanoseconds as files have them; nothing before the epoch is told apart, which no clock shows.
fn since_epoch(time: SystemTime) -> (i64, i64) {
    let time = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    (time.as_secs().try_into().unwrap_or(i64::MAX), time.subsec_nanos().into())
}
