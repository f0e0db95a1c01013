//! The interface between the watcher and the events of the system.

use std::ffi::OsStr;
use std::fmt::{self, Debug};
use std::path::Path;
use std::sync::Arc;

use crate::file_system::FileSystem;

/// The id of a watched folder, whatever paths lead to it. Ids are not reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct WatchId(pub(crate) u64);

/// A backend that dispatches the events of single folders.
pub(crate) trait Backend: Debug + Send + Sync {
    /// Watches each folder itself, not what lies below it. A folder that is already watched keeps its id, whatever path leads to
    /// it.
    fn watch(&self, folders: &[Arc<Path>]) -> Vec<Result<WatchId, WatchError>>;

    /// Removes these watches. Unknown ids are ignored.
    fn unwatch(&self, ids: &[WatchId]);

    /// Returns the name of the file system that holds `folder`, if other machines change it without an event here.
    fn remote(&self, folder: &Path) -> Option<&'static str> {
        match FileSystem::of(folder) {
            FileSystem::Remote(name) => Some(name),
            FileSystem::Local | FileSystem::Kernel | FileSystem::Image => None,
        }
    }
}

/// An event. It only means that a path may have changed.
#[derive(Debug, Clone, Copy)]
pub(crate) enum WatchEvent<'a> {
    /// An event of the entry `name` of a folder, or of the folder itself. `moves`: the path may lead elsewhere now.
    At {
        id: WatchId,
        name: Option<&'a OsStr>,
        moves: bool,
    },
    /// Events were lost, or mounts changed: any path may have changed or lead elsewhere.
    Anything,
    /// The backend ends with this error.
    Failed(&'a str),
}

/// The reason why a folder is not watched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum WatchError {
    /// There is no such folder, or not any more.
    Absent,
    /// This folder cannot be watched.
    Denied(String),
    /// No more can be watched.
    Exhausted(WatchLimit),
}

impl fmt::Display for WatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WatchError::Absent => f.write_str("no such folder"),
            WatchError::Denied(why) => f.write_str(why),
            WatchError::Exhausted(limit) => write!(f, "{limit}"),
        }
    }
}

/// A limit of the system that was reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WatchLimit {
    what: &'static str,
    /// The setting of the limit and its value.
    setting: Option<(&'static str, u64)>,
}

impl WatchLimit {
    pub(crate) fn of_watches() -> WatchLimit {
        let what = "watches";
        WatchLimit {
            what,
            setting: lower("user.max_inotify_watches", "fs.inotify.max_user_watches"),
        }
    }

    pub(crate) fn of_instances() -> WatchLimit {
        let what = "watchers";
        WatchLimit {
            what,
            setting: lower(
                "user.max_inotify_instances",
                "fs.inotify.max_user_instances",
            ),
        }
    }

    pub(crate) fn setting(&self) -> Option<&'static str> {
        self.setting.map(|(name, _)| name)
    }
}

impl fmt::Display for WatchLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the system's limit of {} is reached", self.what)?;
        match self.setting {
            Some((name, value)) => write!(f, ", `{name}` = {value}"),
            None => Ok(()),
        }
    }
}

fn lower(own: &'static str, machine: &'static str) -> Option<(&'static str, u64)> {
    // If both have the same value, the well-known name comes first.
    let names = [machine, own].into_iter();
    names
        .filter_map(|name| Some((name, value_of(name)?)))
        .min_by_key(|(_, value)| *value)
}

fn value_of(setting: &str) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/sys/{}", setting.replace('.', "/"))).ok()?;
    text.trim().parse().ok()
}
