//! The backend that uses `notify`, and on Linux a thread that polls the table of mounts, of which `notify` has no events.

#[cfg(target_os = "linux")]
mod mounts;

use std::collections::{BTreeMap, HashMap};
use std::ops::Bound::{Included, Unbounded};
use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};

use notify::event::{AccessKind, AccessMode, ModifyKind};
use notify::{
    Config, ErrorKind, Event, EventHandler, EventKind, EventKindMask, PathOp, RecommendedWatcher,
    UpdatePathsError, Watcher as _,
};
use parking_lot::Mutex;

use crate::file;
use crate::stamp::Identity;
use crate::watch::backend::{Backend, WatchError, WatchEvent, WatchId, WatchLimit};
use crate::watch::dispatcher::EventDispatcher;

#[derive(Debug)]
struct NotifyBackend {
    running: Mutex<RunningWatcher>,
    dispatcher: Arc<EventDispatcher>,
    paths: Arc<Mutex<WatchedPaths>>,
    #[cfg(target_os = "linux")]
    _mounts: Option<mounts::MountThread>,
}

/// A watcher of `notify` and its thread, which has ended after drop.
#[derive(Debug)]
struct RunningWatcher {
    /// Taken on drop.
    watcher: Option<RecommendedWatcher>,
    /// Disconnected when the thread has ended.
    ended: mpsc::Receiver<()>,
}

/// The paths that `notify` may have, and the folders to which they lead. Several paths can lead to one folder, which has one id.
#[derive(Debug, Default)]
pub(crate) struct WatchedPaths {
    /// The id of the folder at each path; `None` where the path may lead elsewhere, or `notify` may have dropped it.
    by_path: BTreeMap<Arc<Path>, Option<WatchId>>,
    ids: HashMap<Identity, WatchId>,
    folders: HashMap<WatchId, (Identity, Vec<Arc<Path>>)>,
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
    let paths = Arc::default();
    let running = Mutex::new(RunningWatcher::start(&dispatcher, &paths)?);
    Ok(Box::new(NotifyBackend {
        running,
        dispatcher,
        paths,
        #[cfg(target_os = "linux")]
        _mounts: mounts,
    }))
}

impl RunningWatcher {
    fn start(
        dispatcher: &Arc<EventDispatcher>,
        paths: &Arc<Mutex<WatchedPaths>>,
    ) -> Result<RunningWatcher, WatchError> {
        // All kinds but opening and reading, since the source does both. Closing is the only event of a memory map.
        let kinds = EventKindMask::CREATE
            | EventKindMask::REMOVE
            | EventKindMask::MODIFY_DATA
            | EventKindMask::MODIFY_META
            | EventKindMask::MODIFY_NAME
            | EventKindMask::ACCESS_CLOSE;
        let (handler, ended) = EventForwarder::new(dispatcher.clone(), paths.clone());
        let config = Config::default().with_event_kinds(kinds);
        let watcher = RecommendedWatcher::new(handler, config).map_err(watch_error)?;
        Ok(RunningWatcher {
            watcher: Some(watcher),
            ended,
        })
    }

    /// Applies `ops`, and returns the errors of those that add a watch. Removing a watch fails if `notify` has dropped it.
    fn update(&mut self, mut ops: Vec<PathOp>) -> HashMap<PathBuf, WatchError> {
        let watcher = self.watcher.as_mut().expect("taken only when dropped");
        let mut failed = HashMap::new();
        while !ops.is_empty() {
            let Err(UpdatePathsError {
                source,
                origin,
                mut remaining,
                ..
            }) = watcher.update_paths(ops)
            else {
                break;
            };
            if let Some(PathOp::Watch(path, _)) = origin {
                let error = watch_error(source);
                if let WatchError::Exhausted(_) = error {
                    // Every further watch fails too.
                    let (watches, others): (Vec<_>, Vec<_>) = remaining
                        .into_iter()
                        .partition(|op| matches!(op, PathOp::Watch(..)));
                    remaining = others;
                    failed.extend(
                        watches
                            .into_iter()
                            .map(|op| (op.into_path(), error.clone())),
                    );
                }
                failed.insert(path, error);
            }
            ops = remaining;
        }
        failed
    }
}

/// The number of watches that are removed one by one. For more, a new watcher with the rest replaces the old one.
const FEW: usize = 64;

impl Backend for NotifyBackend {
    fn watch(&self, folders: &[Arc<Path>]) -> Vec<Result<WatchId, WatchError>> {
        let mut running = self.running.lock();
        let (mut removals, mut additions) = (Vec::new(), Vec::with_capacity(folders.len()));
        let mut watch = |folder: &Arc<Path>| match folder.metadata() {
            Err(error) => Err(watch_error(notify::Error::io(error))),
            Ok(metadata) if !metadata.is_dir() => Err(WatchError::Absent),
            // Added before the watch: its first event may come at once.
            Ok(metadata) => {
                let identity = Identity::of(folder, &metadata);
                Ok(self
                    .paths
                    .lock()
                    .add(folder, identity, &mut removals, &mut additions))
            }
        };
        let mut results: Vec<_> = folders.iter().map(&mut watch).collect();
        // Unlocked during the calls: they wait for the thread, whose handler takes the same lock.
        removals.extend(self.paths.lock().take_doubtful());
        if removals.len() > FEW && self.replace(&mut running) {
            return results;
        }
        // `notify` does not resolve a path again that it has, so removals come first.
        let ops = removals.iter().map(|path| PathOp::unwatch(&**path));
        let ops = ops
            .chain(
                additions
                    .iter()
                    .map(|path| PathOp::watch_non_recursive(&**path)),
            )
            .collect();
        let failed = running.update(ops);
        if !failed.is_empty() {
            let mut paths = self.paths.lock();
            for (folder, result) in folders.iter().zip(&mut results) {
                if let Some(error) = failed.get(&**folder).filter(|_| result.is_ok()) {
                    paths.forget(folder);
                    *result = Err(error.clone());
                }
            }
        }
        results
    }

    fn unwatch(&self, ids: &[WatchId]) {
        let mut running = self.running.lock();
        let removed: Vec<Arc<Path>> = {
            let mut paths = self.paths.lock();
            ids.iter().for_each(|id| paths.doubt(*id));
            paths.take_doubtful()
        };
        if removed.len() <= FEW || !self.replace(&mut running) {
            running.update(
                removed
                    .iter()
                    .map(|path| PathOp::unwatch(&**path))
                    .collect(),
            );
        }
    }
}

impl NotifyBackend {
    /// Replaces the watcher by a new one with all paths. Returns `false` if it cannot watch them all.
    ///
    /// `notify` compares each path that is removed with all others, which takes 3 ms for 10,000 paths.
    fn replace(&self, running: &mut RunningWatcher) -> bool {
        let all: Vec<_> = {
            let paths = self.paths.lock();
            let watched = paths.by_path.iter().filter(|(_, id)| id.is_some());
            watched
                .map(|(path, _)| PathOp::watch_non_recursive(&**path))
                .collect()
        };
        let Ok(mut fresh) = RunningWatcher::start(&self.dispatcher, &self.paths) else {
            return false;
        };
        let is_complete = fresh.update(all).is_empty();
        if is_complete {
            *running = fresh;
            // The old watcher ended with events that it had not read.
            self.dispatcher.dispatch(WatchEvent::Anything);
        }
        is_complete
    }
}

impl Drop for RunningWatcher {
    fn drop(&mut self) {
        self.watcher = None;
        // Waits for the thread, so that no descriptor outlives the last source.
        let _ = self.ended.recv();
    }
}

impl WatchedPaths {
    /// Adds the path of a folder, and the paths that `notify` has to remove and to add for it.
    fn add(
        &mut self,
        path: &Arc<Path>,
        identity: Identity,
        removals: &mut Vec<Arc<Path>>,
        additions: &mut Vec<Arc<Path>>,
    ) -> WatchId {
        let known = self.ids.get(&identity).copied();
        match self.by_path.get(path) {
            Some(Some(id)) if known == Some(*id) => return *id,
            Some(_) => {
                self.forget(path);
                removals.push(path.clone());
            }
            None => {}
        }
        // The identity can be gone with its last path.
        let id = *self.ids.entry(identity).or_insert_with(|| {
            self.last += 1;
            WatchId(self.last)
        });
        self.by_path.insert(path.clone(), Some(id));
        self.folders
            .entry(id)
            .or_insert_with(|| (identity, Vec::with_capacity(1)))
            .1
            .push(path.clone());
        additions.push(path.clone());
        id
    }

    fn forget(&mut self, path: &Path) {
        let Some(Some(id)) = self.by_path.remove(path) else {
            return;
        };
        let Some((identity, paths)) = self.folders.get_mut(&id) else {
            return;
        };
        paths.retain(|other| **other != *path);
        if paths.is_empty() {
            self.ids.remove(identity);
            self.folders.remove(&id);
        }
    }

    /// Ends the id of a folder. `notify` names one path of a folder, and may have dropped the others with it.
    fn doubt(&mut self, id: WatchId) {
        let Some((identity, paths)) = self.folders.remove(&id) else {
            return;
        };
        self.ids.remove(&identity);
        for path in paths {
            self.by_path.insert(path, None);
        }
    }

    /// Ends the ids of the folders at `path` and below it, which `notify` drops together.
    fn doubt_below(&mut self, path: &Path) {
        let below = self.by_path.range::<Path, _>((Included(path), Unbounded));
        let below = below.take_while(|(other, _)| other.starts_with(path));
        let ids: Vec<WatchId> = below.filter_map(|(_, id)| *id).collect();
        ids.into_iter().for_each(|id| self.doubt(id));
    }

    fn take_doubtful(&mut self) -> Vec<Arc<Path>> {
        self.by_path
            .extract_if(.., |_, id| id.is_none())
            .map(|(path, _)| path)
            .collect()
    }

    fn id(&self, path: &Path) -> Option<WatchId> {
        self.by_path.get(path).copied().flatten()
    }
}

impl EventHandler for EventForwarder {
    fn handle_event(&mut self, event: notify::Result<Event>) {
        let event = match event {
            Err(error) => {
                return self
                    .dispatcher
                    .dispatch(WatchEvent::Failed(&error.to_string()));
            }
            Ok(event) => event,
        };
        if event.need_rescan() {
            // The end of a watch may be among the lost events.
            let paths = &mut *self.paths.lock();
            paths.by_path.values_mut().for_each(|id| *id = None);
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
        event
            .paths
            .iter()
            .for_each(|path| self.forward(path, moves));
    }
}

impl EventForwarder {
    /// Creates a handler, and the receiver that is disconnected when the handler is dropped.
    pub(crate) fn new(
        dispatcher: Arc<EventDispatcher>,
        paths: Arc<Mutex<WatchedPaths>>,
    ) -> (EventForwarder, mpsc::Receiver<()>) {
        let (running, ended) = mpsc::channel();
        (
            EventForwarder {
                dispatcher,
                paths,
                _running: running,
            },
            ended,
        )
    }

    fn forward(&self, path: &Path, moves: bool) {
        let mut paths = self.paths.lock();
        let own = paths.id(path);
        let parent = path.parent().and_then(|parent| paths.id(parent));
        if moves {
            paths.doubt_below(path);
        }
        drop(paths);
        // Linux reports the paths that were watched: an unknown one is in doubt, and its folder is scanned when it is watched again.
        if own.is_none() && parent.is_none() && !cfg!(target_os = "linux") {
            self.dispatcher.dispatch(WatchEvent::Anything);
        }
        if let Some(id) = own {
            self.dispatcher.dispatch(WatchEvent::At {
                id,
                name: None,
                moves,
            });
        }
        if let Some(id) = parent {
            self.dispatcher.dispatch(WatchEvent::At {
                id,
                name: path.file_name(),
                moves,
            });
        }
    }
}

/// The error number of a user with too many inotify instances.
const EMFILE: i32 = 24;

fn watch_error(error: notify::Error) -> WatchError {
    match error.kind {
        ErrorKind::PathNotFound => WatchError::Absent,
        ErrorKind::MaxFilesWatch => WatchError::Exhausted(WatchLimit::of_watches()),
        ErrorKind::Io(error)
            if cfg!(target_os = "linux") && error.raw_os_error() == Some(EMFILE) =>
        {
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
