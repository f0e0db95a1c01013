//! The backend: `notify`, and on Linux a thread that polls the table of mounts, of which `notify` has no events.

#[cfg(target_os = "linux")]
mod mounts;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};

use notify::event::{AccessKind, AccessMode, ModifyKind};
use notify::{
    Config, ErrorKind, Event, EventHandler, EventKind, EventKindMask, PathOp, RecommendedWatcher, UpdatePathsError,
    Watcher as _,
};
use parking_lot::Mutex;

use crate::file;
use crate::stamp::Identity;
use crate::watch::backend::{Backend, WatchError, WatchEvent, WatchId, WatchLimit};
use crate::watch::shared_watcher::EventDispatcher;

#[derive(Debug)]
struct NotifyBackend {
    /// Taken on drop.
    watcher: Mutex<Option<RecommendedWatcher>>,
    paths: Arc<Mutex<WatchedPaths>>,
    /// Disconnected when the thread of the watcher has ended.
    ended: Mutex<mpsc::Receiver<()>>,
    #[cfg(target_os = "linux")]
    _mounts: Option<mounts::MountThread>,
}

/// The paths that are registered with `notify`. Several paths can lead to one folder, which has one id.
#[derive(Debug, Default)]
struct WatchedPaths {
    ids: HashMap<Identity, WatchId>,
    by_path: HashMap<Arc<Path>, WatchId>,
    folders: HashMap<WatchId, (Identity, Vec<Arc<Path>>)>,
    /// The paths that `notify` still has although they may lead elsewhere.
    stale: Vec<Arc<Path>>,
    last: u64,
}

/// The handler of events, in the thread of the watcher.
pub(crate) struct EventForwarder {
    dispatcher: Arc<EventDispatcher>,
    paths: Arc<Mutex<WatchedPaths>>,
    _running: mpsc::Sender<()>,
}

pub(crate) fn open(dispatcher: Arc<EventDispatcher>) -> Result<Box<dyn Backend>, WatchError> {
    // First of all: if it fails, the process has too many open files, not the user too many instances.
    #[cfg(target_os = "linux")]
    let mounts = mounts::MountThread::start(dispatcher.clone())?;
    let (handler, ended) = EventForwarder::new(dispatcher);
    let paths = handler.paths.clone();
    // All kinds but opening and reading, since the source does both. Closing is the only event of a memory map.
    let kinds = EventKindMask::CREATE
        | EventKindMask::REMOVE
        | EventKindMask::MODIFY_DATA
        | EventKindMask::MODIFY_META
        | EventKindMask::MODIFY_NAME
        | EventKindMask::ACCESS_CLOSE;
    let config = Config::default().with_event_kinds(kinds);
    let watcher = RecommendedWatcher::new(handler, config).map_err(watch_error)?;
    Ok(Box::new(NotifyBackend {
        watcher: Mutex::new(Some(watcher)),
        paths,
        ended: Mutex::new(ended),
        #[cfg(target_os = "linux")]
        _mounts: mounts,
    }))
}

impl Backend for NotifyBackend {
    fn watch(&self, folders: &[Arc<Path>]) -> Vec<Result<WatchId, WatchError>> {
        let mut watcher = self.watcher.lock();
        let watcher = watcher.as_mut().expect("taken only when dropped");
        let mut ops = Vec::with_capacity(folders.len());
        let mut results = Vec::with_capacity(folders.len());
        for folder in folders {
            results.push(match folder.metadata() {
                Err(error) => Err(watch_error(notify::Error::io(error))),
                Ok(metadata) if !metadata.is_dir() => Err(WatchError::Absent),
                // Added before the watch: its first event may come at once.
                Ok(metadata) => Ok(self.paths.lock().add(folder, Identity::of(folder, &metadata), &mut ops)),
            });
        }
        // Unlocked during the calls: they wait for the thread, whose handler takes the same lock.
        let stale = std::mem::take(&mut self.paths.lock().stale);
        for path in stale {
            // Fails for a deleted folder.
            let _ = watcher.unwatch(&path);
        }
        let failed = update(watcher, ops);
        if !failed.is_empty() {
            let mut paths = self.paths.lock();
            for (folder, result) in folders.iter().zip(&mut results) {
                if let Some(error) = failed.get(&**folder).filter(|_| result.is_ok()) {
                    paths.remove(folder);
                    *result = Err(error.clone());
                }
            }
        }
        results
    }

    fn unwatch(&self, ids: &[WatchId]) {
        let removed: Vec<Arc<Path>> = {
            let mut paths = self.paths.lock();
            ids.iter().flat_map(|id| paths.remove_folder(*id)).collect()
        };
        if let Some(watcher) = self.watcher.lock().as_mut() {
            update(watcher, removed.iter().map(|path| PathOp::unwatch(&**path)).collect());
        }
    }
}

/// Applies `ops`, and returns the errors of those that add a watch. Removing a watch fails if its folder is deleted.
fn update(watcher: &mut RecommendedWatcher, mut ops: Vec<PathOp>) -> HashMap<PathBuf, WatchError> {
    let mut failed = HashMap::new();
    while !ops.is_empty() {
        let Err(UpdatePathsError { source, origin, mut remaining, .. }) = watcher.update_paths(ops) else { break };
        if let Some(PathOp::Watch(path, _)) = origin {
            let error = watch_error(source);
            if let WatchError::Exhausted(_) = error {
                // Every further watch fails too.
                let (watches, others): (Vec<_>, Vec<_>) =
                    remaining.into_iter().partition(|op| matches!(op, PathOp::Watch(..)));
                remaining = others;
                failed.extend(watches.into_iter().map(|op| (op.into_path(), error.clone())));
            }
            failed.insert(path, error);
        }
        ops = remaining;
    }
    failed
}

impl Drop for NotifyBackend {
    fn drop(&mut self) {
        *self.watcher.lock() = None;
        // Waits for the thread, so that no descriptor outlives the last source.
        let _ = self.ended.lock().recv();
    }
}

impl WatchedPaths {
    /// Adds the path of a folder, and the operations that `notify` needs for it.
    fn add(&mut self, path: &Arc<Path>, identity: Identity, ops: &mut Vec<PathOp>) -> WatchId {
        let known = self.ids.get(&identity).copied();
        match self.by_path.get(path) {
            Some(id) if known == Some(*id) => return *id,
            // `notify` does not resolve a path again that it has.
            Some(_) => {
                self.remove(path);
                self.stale.push(path.clone());
            }
            None => {}
        }
        // The identity can be gone with its last path.
        let id = *self.ids.entry(identity).or_insert_with(|| {
            self.last += 1;
            WatchId(self.last)
        });
        self.by_path.insert(path.clone(), id);
        self.folders.entry(id).or_insert_with(|| (identity, Vec::with_capacity(1))).1.push(path.clone());
        ops.push(PathOp::watch_non_recursive(&**path));
        id
    }

    fn remove(&mut self, path: &Path) {
        let Some(id) = self.by_path.remove(path) else { return };
        let Some((identity, paths)) = self.folders.get_mut(&id) else { return };
        paths.retain(|other| **other != *path);
        if paths.is_empty() {
            self.ids.remove(identity);
            self.folders.remove(&id);
        }
    }

    fn remove_folder(&mut self, id: WatchId) -> Vec<Arc<Path>> {
        let Some((identity, paths)) = self.folders.remove(&id) else { return Vec::new() };
        self.ids.remove(&identity);
        for path in &paths {
            self.by_path.remove(path);
        }
        paths
    }

    fn id(&self, path: &Path) -> Option<WatchId> {
        self.by_path.get(path).copied()
    }
}

impl EventHandler for EventForwarder {
    fn handle_event(&mut self, event: notify::Result<Event>) {
        let event = match event {
            Err(error) => return self.dispatcher.dispatch(WatchEvent::Failed(&error.to_string())),
            Ok(event) => event,
        };
        if event.need_rescan() {
            // The end of a watch may be among the lost events.
            let paths = &mut *self.paths.lock();
            paths.stale.extend(paths.by_path.drain().map(|(path, _)| path));
            (paths.ids, paths.folders) = Default::default();
        }
        if event.need_rescan() || event.paths.is_empty() {
            return self.dispatcher.dispatch(WatchEvent::Anything);
        }
        let moves = match event.kind {
            EventKind::Access(AccessKind::Close(AccessMode::Write))
            | EventKind::Create(_)
            | EventKind::Modify(ModifyKind::Data(_) | ModifyKind::Metadata(_)) => false,
            EventKind::Access(_) => return,
            _ => true,
        };
        // `notify` itself ends the watch of a deleted folder.
        let is_removed = matches!(event.kind, EventKind::Remove(_));
        event.paths.iter().for_each(|path| self.forward(path, moves, is_removed));
    }
}

impl EventForwarder {
    /// Creates a handler, and the receiver that is disconnected when the handler is dropped.
    pub(crate) fn new(dispatcher: Arc<EventDispatcher>) -> (EventForwarder, mpsc::Receiver<()>) {
        let (running, ended) = mpsc::channel();
        (EventForwarder { dispatcher, paths: Arc::default(), _running: running }, ended)
    }

    fn forward(&self, path: &Path, moves: bool, is_removed: bool) {
        let mut paths = self.paths.lock();
        let own = paths.id(path);
        let parent = path.parent().and_then(|parent| paths.id(parent));
        if own.is_some() && moves {
            paths.remove(path);
            if !is_removed {
                paths.stale.push(path.into());
            }
        }
        drop(paths);
        // Linux reports the paths that were watched, so that an unknown one is of a watch that was removed.
        if own.is_none() && parent.is_none() && !cfg!(target_os = "linux") {
            self.dispatcher.dispatch(WatchEvent::Anything);
        }
        if let Some(id) = own {
            self.dispatcher.dispatch(WatchEvent::At { id, name: None, moves });
        }
        if let Some(id) = parent {
            self.dispatcher.dispatch(WatchEvent::At { id, name: path.file_name(), moves });
        }
    }
}

/// The error number of a user with too many inotify instances.
const EMFILE: i32 = 24;

fn watch_error(error: notify::Error) -> WatchError {
    match error.kind {
        ErrorKind::PathNotFound => WatchError::Absent,
        ErrorKind::MaxFilesWatch => WatchError::Exhausted(WatchLimit::of_watches()),
        ErrorKind::Io(error) if cfg!(target_os = "linux") && error.raw_os_error() == Some(EMFILE) => {
            WatchError::Exhausted(WatchLimit::of_instances())
        }
        ErrorKind::Io(error) => match error.kind() {
            std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => WatchError::Absent,
            _ => WatchError::Denied(file::cause(&error)),
        },
        ErrorKind::Generic(message) => WatchError::Denied(message),
        other => WatchError::Denied(format!("{other:?}")),
    }
}
