//! Versions of files, compared without reading them.

use std::fs::{DirEntry, Metadata};
use std::hash::Hash;
use std::path::Path;
use std::time::{Duration, SystemTime};

use repertoire_core::Stamp;

/// The identity of a file or folder, whatever path leads to it.
///
/// It is device and inode on Unix, and a hash of the real path elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Identity(u64, u64);

impl Identity {
    pub(crate) fn device(self) -> u64 {
        self.0
    }
}

/// A version of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct FileStamp {
    pub(crate) identity: Identity,
    pub(crate) size: u64,
    /// The modification time, in seconds and nanoseconds.
    modified: (i64, i64),
    /// The change time, which no program can set back.
    changed: (i64, i64),
}

/// The time of a change, in seconds and nanoseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ChangeTime(i64, i64);

impl ChangeTime {
    /// Returns whether the change was made before `time`, and not within a tick of the clock before it.
    pub(crate) fn is_before(self, time: SystemTime) -> bool {
        time.checked_sub(CLOCK_TICK)
            .is_some_and(|time| (self.0, self.1) <= since_epoch(time))
    }
}

/// Twice the tick of a kernel at 100 Hz. Change times are those of the last tick, which can be late.
const CLOCK_TICK: Duration = Duration::from_millis(20);

/// The coarsest clock of a file system still in use: FAT counts modification in two seconds.
const TICK: i64 = 2;

impl FileStamp {
    pub(crate) fn of(path: &Path, metadata: &Metadata) -> FileStamp {
        FileStamp {
            identity: Identity::of(path, metadata),
            size: metadata.len(),
            modified: modified(metadata),
            changed: changed(metadata),
        }
    }

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

    /// Returns whether a write after `read` would have got a different stamp.
    ///
    /// A file that is written twice within one tick of the file system's clock may keep its stamp.
    pub(crate) fn is_settled(&self, read: SystemTime) -> bool {
        (self.modified.0.saturating_add(TICK), self.modified.1) <= since_epoch(read)
    }

    /// Returns whether any change after `time` gives a different stamp, also if its author restores the modification time.
    pub(crate) fn is_older_than(&self, time: SystemTime) -> bool {
        let has_change_time = self.changed != (0, 0);
        let change = (self.changed.0.saturating_add(TICK), self.changed.1);
        has_change_time && self.is_settled(time) && change <= since_epoch(time)
    }

    /// The number of [words](FileStamp::words).
    pub(crate) const WORDS: usize = 7;

    /// Returns the stamp as numbers: equal ones are of equal stamps.
    pub(crate) fn words(&self) -> [u64; FileStamp::WORDS] {
        let FileStamp {
            identity: Identity(device, inode),
            size,
            modified,
            changed,
        } = *self;
        [
            device,
            inode,
            size,
            modified.0.cast_unsigned(),
            modified.1.cast_unsigned(),
            changed.0.cast_unsigned(),
            changed.1.cast_unsigned(),
        ]
    }

    /// Returns the change time, or the modification time where the system has no change time.
    pub(crate) fn last_change(&self) -> ChangeTime {
        let (seconds, nanoseconds) = if self.changed == (0, 0) {
            self.modified
        } else {
            self.changed
        };
        ChangeTime(seconds, nanoseconds)
    }

    /// Returns the fingerprint of a listed row: its front matter, and the version of the file.
    ///
    /// The change time is left out: a new mode or link count is not new content.
    pub(crate) fn with_front_matter(&self, front_matter: &[u8], siblings: Option<Stamp>) -> Stamp {
        Stamp::of(&(front_matter, self.content(), siblings))
    }

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

        /// Returns the identity of a real folder inside `parent`. For a mount point it is the identity of the covered folder.
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
            path.canonicalize()
                .unwrap_or_else(|_| path.to_owned())
                .hash(&mut hasher);
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

fn since_epoch(time: SystemTime) -> (i64, i64) {
    let time = time
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or_default();
    (
        time.as_secs().try_into().unwrap_or(i64::MAX),
        time.subsec_nanos().into(),
    )
}
