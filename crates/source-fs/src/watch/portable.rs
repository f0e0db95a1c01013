//! The backend that uses `notify`. It has no events of mounts.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};

use notify::event::ModifyKind;
use notify::{Config, ErrorKind, Event, EventHandler, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use parking_lot::Mutex;

use crate::file;
use crate::watch::backend::{Backend, WatchError, WatchEvent, WatchId, WatchLimit};
use crate::watch::shared_watcher::EventDispatcher;

#[derive(Debug)]
struct NotifyBackend {
    /// Taken when dropped.
    watcher: Mutex<Option<RecommendedWatcher>>,
    paths: Arc<Mutex<WatchedPaths>>,
    /// Disconnected once the thread of the watcher has let go of everything it held.
    ended: Mutex<mpsc::Receiver<()>>,
}

/// The ids of watched folders, by their real paths.
#[derive(Debug, Default)]
struct WatchedPaths {
    ids: HashMap<PathBuf, WatchId>,
    folders: HashMap<WatchId, PathBuf>,
    last: u64,
}

/// The other end, in the thread of the watcher.
pub(crate) struct EventForwarder {
    dispatcher: Arc<EventDispatcher>,
    paths: Arc<Mutex<WatchedPaths>>,
    _running: mpsc::Sender<()>,
}

pub(crate) fn open(dispatcher: Arc<EventDispatcher>) -> Result<Box<dyn Backend>, WatchError> {
    let (handler, ended) = EventForwarder::new(dispatcher);
    let paths = handler.paths.clone();
    let watcher = RecommendedWatcher::new(handler, Config::default()).map_err(watch_error)?;
    Ok(Box::new(NotifyBackend { watcher: Mutex::new(Some(watcher)), paths, ended: Mutex::new(ended) }))
}

impl Backend for NotifyBackend {
    fn watch(&self, folders: &[Arc<Path>]) -> Vec<Result<WatchId, WatchError>> {
        let mut watcher = self.watcher.lock();
        let watcher = watcher.as_mut().expect("taken only when dropped");
        let mut batch = watcher.paths_mut();
        let mut watch = |folder: &Arc<Path>| {
            let real = folder.canonicalize().map_err(|error| watch_error(notify::Error::io(error)))?;
            if !real.is_dir() {
                return Err(WatchError::Absent);
            }
            // Added before the watch: its first event may come at once.
            let id = self.paths.lock().add(&real);
            batch.add(&real, RecursiveMode::NonRecursive).map(|()| id).map_err(|error| {
                self.paths.lock().remove(id);
                watch_error(error)
            })
        };
        let ids: Vec<_> = folders.iter().map(&mut watch).collect();
        match batch.commit().map_err(watch_error) {
            Ok(()) => ids,
            Err(error) => ids.into_iter().map(|id| id.and(Err(error.clone()))).collect(),
        }
    }

    fn unwatch(&self, id: WatchId) {
        let real = self.paths.lock().remove(id);
        if let (Some(real), Some(watcher)) = (real, self.watcher.lock().as_mut()) {
            // Refused when the folder is gone, and the watch with it.
            let _ = watcher.unwatch(&real);
        }
    }
}

impl Drop for NotifyBackend {
    fn drop(&mut self) {
        *self.watcher.lock() = None;
        let _ = self.ended.lock().recv();
    }
}

impl WatchedPaths {
    fn add(&mut self, real: &Path) -> WatchId {
        if let Some(id) = self.ids.get(real) {
            return *id;
        }
        self.last += 1;
        let id = WatchId(self.last);
        self.ids.insert(real.to_owned(), id);
        self.folders.insert(id, real.to_owned());
        id
    }

    fn remove(&mut self, id: WatchId) -> Option<PathBuf> {
        let real = self.folders.remove(&id)?;
        self.ids.remove(&real);
        Some(real)
    }

    fn remove_below(&mut self, path: &Path) {
        self.ids.retain(|real, _| !real.starts_with(path));
        self.folders.retain(|_, real| !real.starts_with(path));
    }
}

impl EventHandler for EventForwarder {
    fn handle_event(&mut self, event: notify::Result<Event>) {
        let event = match event {
            Err(error) => return self.dispatcher.dispatch(WatchEvent::Failed(&error.to_string())),
            Ok(event) => event,
        };
        if event.need_rescan() {
            return self.dispatcher.dispatch(WatchEvent::Anything);
        }
        // Reading makes these, ours too.
        if matches!(event.kind, EventKind::Access(_)) {
            return;
        }
        let moves = !matches!(
            event.kind,
            EventKind::Create(_) | EventKind::Modify(ModifyKind::Data(_) | ModifyKind::Metadata(_))
        );
        if event.paths.is_empty() {
            self.dispatcher.dispatch(WatchEvent::Anything);
        }
        event.paths.iter().for_each(|path| self.dispatch(path, moves));
    }
}

impl EventForwarder {
    pub(crate) fn new(dispatcher: Arc<EventDispatcher>) -> (EventForwarder, mpsc::Receiver<()>) {
        let (running, ended) = mpsc::channel();
        (EventForwarder { dispatcher, paths: Arc::default(), _running: running }, ended)
    }

    fn dispatch(&self, path: &Path, moves: bool) {
        let id = |path: &Path| self.paths.lock().ids.get(path).copied();
        let own = id(path).map(|id| (id, None));
        let parent = path.parent().and_then(id).map(|id| (id, path.file_name()));
        if own.is_none() && parent.is_none() {
            // Of folders that were watched a moment ago, or by a system that spells paths in its own way.
            self.dispatcher.dispatch(WatchEvent::Anything);
        }
        for (id, name) in own.into_iter().chain(parent) {
            self.dispatcher.dispatch(WatchEvent::At { id, name, moves });
        }
        if own.is_some() && moves {
            self.paths.lock().remove_below(path);
        }
    }
}

fn watch_error(error: notify::Error) -> WatchError {
    match error.kind {
        ErrorKind::PathNotFound => WatchError::Absent,
        ErrorKind::MaxFilesWatch => WatchError::Exhausted(WatchLimit::of_watches()),
        ErrorKind::Io(error) => match error.kind() {
            std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => WatchError::Absent,
            _ => WatchError::Denied(file::cause(&error)),
        },
        ErrorKind::Generic(message) => WatchError::Denied(message),
        other => WatchError::Denied(format!("{other:?}")),
    }
}
