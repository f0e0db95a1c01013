//! The events of one source since its last scan.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};
use tokio::sync::watch;
use tokio::time::Instant;

use crate::pattern::FILE_NAME;
use crate::root::{bytes, is_within};
use crate::watch::backend::WatchId;

/// The events of one source since its last scan. An event only means that a path may have changed.
#[derive(Debug)]
pub(crate) struct PendingEvents {
    state: Mutex<PendingState>,
    wakeups: watch::Sender<()>,
}

/// The reason why a folder is watched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum WatchRole {
    /// It is on the way to a root: only the next step matters.
    Above,
    /// It is a skill's folder, or leads to skills: every entry matters.
    Inside,
}

/// A folder that is to be watched.
#[derive(Debug, Clone)]
struct WatchedDir {
    folder: Arc<Path>,
    role: WatchRole,
    /// Its watch, if it has one.
    id: Option<WatchId>,
    /// Whether the path may lead to a different folder by now.
    is_invalidated: bool,
}

/// A watch to add, again if it has an id.
#[derive(Debug)]
pub(crate) struct WatchRequest {
    /// The index of the watched folder.
    index: usize,
    pub(crate) folder: Arc<Path>,
    pub(crate) role: WatchRole,
    pub(crate) id: Option<WatchId>,
}

/// The folders that may have changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct DirtyPaths {
    pub(crate) folders: BTreeSet<PathBuf>,
    /// Whether everything may have changed.
    pub(crate) all: bool,
}

#[derive(Debug, Default)]
struct PendingState {
    /// Sorted by the bytes of their paths.
    dirs: Vec<WatchedDir>,
    steps: BTreeSet<PathBuf>,
    dirty: DirtyPaths,
    /// The time at which a waiting future first found dirty paths.
    since: Option<Instant>,
    failure: Option<String>,
    /// Whether a wanted folder may not be watched.
    is_stale: bool,
}

/// The limit of dirty folders. Above it, scanning everything costs less.
const FOLDERS: usize = 1024;

impl PendingEvents {
    pub(crate) fn new() -> PendingEvents {
        PendingEvents {
            state: Mutex::default(),
            wakeups: watch::Sender::new(()),
        }
    }

    pub(crate) fn subscribe(&self) -> watch::Receiver<()> {
        self.wakeups.subscribe()
    }

    pub(crate) fn notify(&self) {
        self.wakeups.send_replace(());
    }

    /// Marks the entry `name` of `folder` dirty, or `folder` itself. `moves`: the path may lead elsewhere now.
    pub(crate) fn touch(&self, folder: &Path, name: Option<&OsStr>, moves: bool) {
        let mut state = self.lock();
        state.touch(folder, name, moves);
        if state.dirty.is_some() {
            drop(state);
            self.notify();
        }
    }

    pub(crate) fn invalidate_all(&self) {
        self.lock().invalidate_all();
        self.notify();
    }

    pub(crate) fn fail(&self, why: &str) {
        self.lock().failure = Some(why.to_owned());
        self.invalidate_all();
    }

    pub(crate) fn mark_all(&self) {
        self.lock().dirty.all = true;
    }

    /// Returns when this method first found dirty paths since they were last taken.
    pub(crate) fn dirty_since(&self) -> Option<Instant> {
        let mut state = self.lock();
        state
            .dirty
            .is_some()
            .then(|| *state.since.get_or_insert_with(Instant::now))
    }

    pub(crate) fn take(&self) -> PendingGuard<'_> {
        let mut state = self.lock();
        state.since = None;
        PendingGuard {
            dirty: std::mem::take(&mut state.dirty),
            pending: self,
        }
    }

    pub(crate) fn take_failure(&self) -> Option<String> {
        self.lock().failure.take()
    }

    pub(crate) fn is_stale(&self) -> bool {
        let state = self.lock();
        state.is_stale || state.failure.is_some()
    }

    /// Replaces the watched folders by `wanted`, which is sorted by bytes, and the path steps by `steps`.
    ///
    /// Returns the watches to add and those to remove. The caller adds them after this call, so that no event of a new watch
    /// arrives before its folder is known.
    pub(crate) fn request_watches(
        &self,
        wanted: &[(&Path, WatchRole)],
        steps: &BTreeSet<PathBuf>,
    ) -> (Vec<WatchRequest>, Vec<(Arc<Path>, WatchId)>) {
        let state = &mut *self.lock();
        let mut old = std::mem::take(&mut state.dirs).into_iter().peekable();
        let (mut requests, mut gone) = (Vec::new(), Vec::<WatchedDir>::new());
        state.dirs.reserve(wanted.len());
        for &(folder, role) in wanted {
            while let Some(dir) = old.next_if(|dir| bytes(&dir.folder) < bytes(folder)) {
                gone.push(dir);
            }
            let known = old.next_if(|dir| bytes(&dir.folder) == bytes(folder));
            let (folder, id, is_invalidated) = match known {
                Some(dir) if dir.role == role => (dir.folder, dir.id, dir.is_invalidated),
                // Events of the previous role were filtered differently.
                Some(dir) => {
                    let folder = dir.folder.clone();
                    gone.push(dir);
                    (folder, None, false)
                }
                None => (folder.into(), None, false),
            };
            if is_invalidated || id.is_none() {
                requests.push(WatchRequest {
                    index: state.dirs.len(),
                    folder: folder.clone(),
                    role,
                    id,
                });
            }
            state.dirs.push(WatchedDir {
                folder,
                role,
                id,
                is_invalidated: false,
            });
        }
        gone.extend(old);
        let gone = gone
            .into_iter()
            .filter_map(|dir| Some((dir.folder, dir.id?)))
            .collect();
        state.steps.clone_from(steps);
        state.is_stale = false;
        (requests, gone)
    }

    pub(crate) fn set_id(&self, request: &WatchRequest, id: Option<WatchId>) {
        self.lock().dirs[request.index].id = id;
    }

    pub(crate) fn mark_stale(&self) {
        self.lock().is_stale = true;
    }

    pub(crate) fn clear_watches(&self) {
        let mut state = self.lock();
        state.dirs.clear();
        state.is_stale = true;
    }

    fn lock(&self) -> MutexGuard<'_, PendingState> {
        self.state.lock()
    }
}

impl DirtyPaths {
    pub(crate) fn is_some(&self) -> bool {
        self.all || !self.folders.is_empty()
    }

    pub(crate) fn extend(&mut self, other: DirtyPaths) {
        self.all |= other.all;
        other
            .folders
            .into_iter()
            .for_each(|folder| self.add(folder));
    }

    pub(crate) fn add(&mut self, folder: PathBuf) {
        self.all |= self.folders.len() >= FOLDERS;
        if !self.all {
            self.folders.insert(folder);
        }
    }
}

impl PendingState {
    fn invalidate_all(&mut self) {
        self.dirty.all = true;
        self.is_stale = true;
        self.dirs
            .iter_mut()
            .for_each(|dir| dir.is_invalidated = true);
    }

    fn touch(&mut self, folder: &Path, name: Option<&OsStr>, moves: bool) {
        let path = name.map_or_else(|| folder.to_owned(), |name| folder.join(name));
        if self.steps.contains(&path) {
            self.dirty.all = true;
            self.is_stale = true;
            if moves {
                // Other paths can lead through it by links.
                self.invalidate_all();
            }
            return;
        }
        let in_parent = path.parent().is_some_and(|parent| self.is_inside(parent));
        if in_parent || self.is_inside(&path) {
            let is_own = path
                .file_name()
                .is_some_and(|name| name.eq_ignore_ascii_case(FILE_NAME));
            let folder = if is_own && in_parent {
                path.parent().unwrap_or(&path)
            } else {
                &path
            };
            self.dirty.add(folder.to_owned());
        }
        if moves {
            self.invalidate_below(&path);
        }
    }

    fn invalidate_below(&mut self, path: &Path) {
        let first_not_before = self.first_not_before(path);
        // Names that only begin alike come between a folder and what lies in it.
        let below = self.dirs[first_not_before..]
            .iter_mut()
            .take_while(|dir| bytes(&dir.folder).starts_with(bytes(path)));
        for dir in below.filter(|dir| is_within(&dir.folder, path)) {
            dir.is_invalidated = true;
            self.is_stale = true;
        }
    }

    fn is_inside(&self, folder: &Path) -> bool {
        let dir = self.dirs.get(self.first_not_before(folder));
        dir.is_some_and(|dir| dir.role == WatchRole::Inside && bytes(&dir.folder) == bytes(folder))
    }

    fn first_not_before(&self, folder: &Path) -> usize {
        self.dirs
            .partition_point(|dir| bytes(&dir.folder) < bytes(folder))
    }
}

/// The dirty paths of a running scan. Dropping it without [`done`](PendingGuard::done) makes them dirty again.
#[derive(Debug)]
pub(crate) struct PendingGuard<'h> {
    pub(crate) dirty: DirtyPaths,
    pending: &'h PendingEvents,
}

impl PendingGuard<'_> {
    pub(crate) fn done(mut self) {
        self.dirty = DirtyPaths::default();
    }
}

impl Drop for PendingGuard<'_> {
    fn drop(&mut self) {
        let dirty = std::mem::take(&mut self.dirty);
        self.pending.lock().dirty.extend(dirty);
    }
}
