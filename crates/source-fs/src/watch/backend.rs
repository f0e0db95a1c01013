//! Who tells of changes.

use std::ffi::OsStr;
use std::fmt::{self, Debug};
use std::path::Path;
use std::sync::Arc;

use crate::file_system::FileSystem;
use crate::watch::hub::Audience;
use crate::watch::limit::Limit;

/// A folder that is watched, whatever paths lead to it. No other folder gets the same one later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Place(pub(crate) u64);

/// Something that tells the [`Audience`] it was opened with of changes in single folders.
pub(crate) trait Backend: Debug + Send + Sync {
    /// Watches the folders to which the paths lead, not what lies below them. A path of a folder that is watched already
    /// gets the place that folder has.
    fn watch(&self, folders: &[Arc<Path>]) -> Vec<Result<Place, Refusal>>;

    /// Watches the folder no more, if it does.
    fn unwatch(&self, place: Place);

    /// Returns the name of the file system that holds `folder`, if other machines change it without an event here.
    fn remote(&self, folder: &Path) -> Option<&'static str> {
        match FileSystem::of(folder) {
            FileSystem::Remote(name) => Some(name),
            FileSystem::Local | FileSystem::Kernel => None,
        }
    }
}

/// Opens a backend.
pub(crate) type Opener = Box<dyn Fn(Arc<Audience>) -> Result<Box<dyn Backend>, Refusal> + Send + Sync>;

/// What a backend has to tell. It is only a hint: *look here again*.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Told<'a> {
    /// Something is the matter with what is called `name` in a folder, or with the folder itself; `moves` if another
    /// thing may be there now.
    At { place: Place, name: Option<&'a OsStr>, moves: bool },
    /// Anything may have changed, and paths may lead elsewhere.
    Anything,
    /// Nothing will be told any more.
    Failed(&'a str),
}

/// Why a folder is not watched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// There is no such folder, or not any more.
    Absent,
    /// This folder cannot be watched.
    Denied(String),
    /// No more can be watched.
    Exhausted(Limit),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Absent => f.write_str("no such folder"),
            Refusal::Denied(why) => f.write_str(why),
            Refusal::Exhausted(limit) => write!(f, "{limit}"),
        }
    }
}
