//! Who tells of changes.

use std::fmt::Debug;
use std::path::Path;
use std::sync::{Arc, mpsc};

use notify::{Config, ErrorKind, Event, EventHandler, RecommendedWatcher, RecursiveMode, Watcher as _};

use crate::file;
use crate::watch::hints::Hints;

/// Something that tells the [`Hints`] it was opened with of changes in single folders.
pub(crate) trait Backend: Debug + Send {
    /// Watches the folder to which `folder` leads, not what lies below it. Watching it again is harmless.
    fn watch(&mut self, folder: &Path) -> Result<(), Refusal>;

    /// Watches `folder` no more, if it does.
    fn unwatch(&mut self, folder: &Path);
}

/// Opens a backend.
pub(crate) type Opener = Arc<dyn Fn(Arc<Hints>) -> Result<Box<dyn Backend>, Refusal> + Send + Sync>;

/// Why a folder is not watched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// There is no such folder, or not any more.
    Absent,
    /// This folder cannot be watched.
    Denied(String),
    /// No more folders can be watched.
    Exhausted,
}

/// What the operating system offers.
#[derive(Debug)]
struct Native {
    /// Taken when dropped.
    watcher: Option<RecommendedWatcher>,
    /// Disconnected once the thread of the watcher has let go of everything it held.
    ended: mpsc::Receiver<()>,
}

/// The other end, in the thread of the watcher.
struct Handler {
    hints: Arc<Hints>,
    _running: mpsc::Sender<()>,
}

impl EventHandler for Handler {
    fn handle_event(&mut self, event: notify::Result<Event>) {
        self.hints.take_in(event);
    }
}

/// Opens what the operating system offers.
pub(crate) fn native(hints: Arc<Hints>) -> Result<Box<dyn Backend>, Refusal> {
    let (running, ended) = mpsc::channel();
    let handler = Handler { hints, _running: running };
    let watcher = RecommendedWatcher::new(handler, Config::default()).map_err(Refusal::of)?;
    Ok(Box::new(Native { watcher: Some(watcher), ended }))
}

impl Backend for Native {
    fn watch(&mut self, folder: &Path) -> Result<(), Refusal> {
        let watcher = self.watcher.as_mut().expect("taken only when dropped");
        watcher.watch(folder, RecursiveMode::NonRecursive).map_err(Refusal::of)
    }

    fn unwatch(&mut self, folder: &Path) {
        // Refused only when it is not watched, as wanted.
        let _ = self.watcher.as_mut().expect("taken only when dropped").unwatch(folder);
    }
}

impl Drop for Native {
    /// Waits for the thread, so that no descriptor outlives its source.
    fn drop(&mut self) {
        self.watcher = None;
        let _ = self.ended.recv();
    }
}

impl Refusal {
    fn of(error: notify::Error) -> Refusal {
        match error.kind {
            ErrorKind::PathNotFound => Refusal::Absent,
            ErrorKind::MaxFilesWatch => Refusal::Exhausted,
            ErrorKind::Io(error) => match error.kind() {
                std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => Refusal::Absent,
                _ => Refusal::Denied(file::cause(&error)),
            },
            ErrorKind::Generic(message) => Refusal::Denied(message),
            other => Refusal::Denied(format!("{other:?}")),
        }
    }
}
