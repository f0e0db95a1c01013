//! Watching: the watched folders, and the time of the next scan.

mod backend;
mod dispatcher;
#[cfg(target_os = "linux")]
mod inotify;
#[cfg(any(feature = "notify", not(target_os = "linux")))]
mod notify_backend;
mod options;
mod pending_events;
mod shared_watcher;

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};
use repertoire_core::Code;
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

use crate::file;
use crate::frontier::PathDiagnostic;
use crate::root::{SearchPlan, bytes};
use crate::scan::TreeScan;
use backend::{WatchError, WatchId};
use pending_events::{PendingEvents, PendingGuard, WatchRequest, WatchRole};
use shared_watcher::{SharedWatcher, WatchHandle};

pub use options::{WatchBy, WatchOptions};
pub(crate) use pending_events::DirtyPaths;

/// The watcher of one source.
///
/// It has no task and no timer of its own: the future that waits for a change drives it. The thread of the backend only records events.
pub(crate) struct Watcher {
    options: WatchOptions,
    shared: Arc<SharedWatcher>,
    pending: Arc<PendingEvents>,
    armed: Mutex<ArmedState>,
    state: Mutex<WatchState>,
}

/// The watched folders. Locked while watches are updated, on the blocking pool only.
#[derive(Debug, Default)]
struct ArmedState {
    handle: Option<WatchHandle>,
    /// The scan whose folders are watched.
    watched_scan: Option<Arc<TreeScan>>,
    /// The failure of a file system that does not report every change, as long as the same folders are watched.
    remote: Option<WatchFailure>,
}

/// The state of watching. Locked for a moment only.
#[derive(Debug, Default)]
struct WatchState {
    /// Whether watches were ever updated.
    is_watched: bool,
    /// The folders that may have changed before their watch began. They outlive a future that is dropped during the update.
    fresh: DirtyPaths,
    /// The reason why folders are polled.
    failure: Option<WatchFailure>,
    /// The time of the last whole scan.
    last_full_scan: Option<Instant>,
}

/// The reason why folders cannot be watched.
#[derive(Debug, Clone)]
struct WatchFailure {
    message: String,
    /// The advice that comes after the promise that nothing is lost.
    help: Cow<'static, str>,
}

impl Watcher {
    pub(crate) fn new(options: WatchOptions) -> Watcher {
        let shared = SharedWatcher::of_process(options.by);
        Watcher::over(options, shared)
    }

    fn over(options: WatchOptions, shared: Arc<SharedWatcher>) -> Watcher {
        Watcher {
            options,
            shared,
            pending: Arc::new(PendingEvents::new()),
            armed: Mutex::default(),
            state: Mutex::default(),
        }
    }

    pub(crate) fn subscribe(&self) -> watch::Receiver<()> {
        self.pending.subscribe()
    }

    pub(crate) fn notify(&self) {
        self.pending.notify();
    }

    pub(crate) fn take(&self) -> PendingGuard<'_> {
        self.pending.take()
    }

    pub(crate) fn take_fresh(&self) -> DirtyPaths {
        std::mem::take(&mut self.state().fresh)
    }

    pub(crate) fn is_settled(&self) -> bool {
        let state = self.state();
        state.is_watched && !state.fresh.is_some()
    }

    pub(crate) fn is_idle(&self) -> bool {
        self.pending.dirty_since().is_none()
            && self.next_poll().is_none_or(|poll| poll > Instant::now())
    }

    pub(crate) fn request_update(&self) {
        self.pending.mark_stale();
    }

    pub(crate) fn note_full_scan(&self) {
        self.state().last_full_scan = Some(Instant::now());
    }

    pub(crate) fn diagnostic(&self, plan: &SearchPlan) -> Option<PathDiagnostic> {
        let state = self.state();
        let WatchFailure { message, help } = state.failure.as_ref()?;
        let root = plan
            .starts
            .first()
            .map(|start| start.path.clone())
            .unwrap_or_default();
        let every = self.options.poll;
        let help = format!("nothing is lost: everything is looked at every {every:?}{help}");
        Some(PathDiagnostic::new(root, Code::WATCH_DEGRADED, message.as_str()).help(help))
    }

    /// Waits until dirty paths are due, and returns `true`. Returns `false` if it was woken by [`notify`](Watcher::notify) first.
    pub(crate) async fn wait(&self, wakeups: &mut watch::Receiver<()>) -> bool {
        let deadline = match (self.pending.dirty_since(), self.next_poll()) {
            (Some(since), _) => {
                let now = Instant::now();
                let deadline = (since + self.options.longest).min(now + self.options.debounce);
                if deadline <= now {
                    return true;
                }
                deadline
            }
            (None, Some(poll)) => poll,
            (None, None) => {
                let _ = wakeups.changed().await;
                return false;
            }
        };
        let is_due = timeout_at(deadline, wakeups.changed()).await.is_err();
        if is_due && self.next_poll().is_some_and(|poll| poll <= Instant::now()) {
            self.pending.mark_all();
        }
        is_due
    }

    fn next_poll(&self) -> Option<Instant> {
        let state = self.state();
        let polls = self.options.by == WatchBy::Polling || state.failure.is_some();
        polls.then(|| state.last_full_scan.unwrap_or_else(Instant::now) + self.options.poll)
    }

    /// Notes a later scan of the folders that are watched. Returns `false` if watches have to be updated.
    pub(crate) fn keeps_watches(&self, scan: &Arc<TreeScan>) -> bool {
        let Some(mut armed) = self.armed.try_lock() else {
            return false;
        };
        let is_settled = self.is_settled() && self.state().last_full_scan.is_some();
        match &mut armed.watched_scan {
            Some(watched)
                if is_settled && !self.pending.is_stale() && watched.shares_watches(scan) =>
            {
                watched.clone_from(scan);
                true
            }
            _ => false,
        }
    }

    /// Watches the folders that `scan` has read and the folders on the way to them, and no other.
    ///
    /// Folders that may have changed before their watch began are in [`take_fresh`](Watcher::take_fresh) afterwards. Blocks for a
    /// system call for each new folder.
    pub(crate) fn update_watches(&self, plan: &SearchPlan, scan: &Arc<TreeScan>) {
        // Polling starts with a whole scan.
        let mut fresh = DirtyPaths {
            all: self.state().last_full_scan.is_none(),
            ..DirtyPaths::default()
        };
        let failure = match self.options.by {
            WatchBy::Polling => None,
            _ => self.watch(plan, scan, &mut fresh),
        };
        let mut state = self.state();
        state.is_watched = true;
        state.fresh.extend(fresh);
        state.failure = failure;
    }

    fn watch(
        &self,
        plan: &SearchPlan,
        scan: &Arc<TreeScan>,
        fresh: &mut DirtyPaths,
    ) -> Option<WatchFailure> {
        let armed = &mut *self.armed.lock();
        if !self.pending.is_stale()
            && let Some(watched_scan) = &mut armed.watched_scan
            && watched_scan.is_watched_like(scan)
        {
            // The later scan is quicker to compare with the next one.
            watched_scan.clone_from(scan);
            return armed.remote.clone();
        }
        if let Some(failure) = self.pending.take_failure() {
            *armed = ArmedState::default();
            self.pending.clear_watches();
            // The next poll tries again. An immediate retry could fail without end.
            let message = format!("folders cannot be watched any more: {failure}");
            return Some(WatchFailure::new(message));
        }
        let handle = match &mut armed.handle {
            Some(handle) => handle,
            empty => match self.shared.join(&self.pending) {
                Ok(handle) => empty.insert(handle),
                Err(error) => return Some(WatchFailure::by(&error, "folders cannot be watched")),
            },
        };
        armed.watched_scan = Some(scan.clone());
        armed.remote = places(plan, scan)
            .find_map(|folder| Some(WatchFailure::on_remote(folder, handle.remote(folder)?)));
        let steps = steps(plan, scan);
        let (requests, mut gone) = self
            .pending
            .request_watches(&wanted(plan, scan, &steps), &steps);
        // Removed first, to make room.
        handle.unwatch(&std::mem::take(&mut gone));
        let (has_new, refused) = self.begin_watches(handle, &requests, &mut gone, fresh);
        handle.unwatch(&gone);
        // The steps were read before events of them could arrive.
        if has_new && self::steps(plan, scan) != steps {
            self.pending.mark_stale();
        }
        if refused.is_none() {
            return armed.remote.clone();
        }
        self.pending.mark_stale();
        refused
    }

    /// Returns whether any watch began, and the failure if folders cannot be watched. Adds replaced watches to `gone`.
    fn begin_watches(
        &self,
        handle: &WatchHandle,
        requests: &[WatchRequest],
        gone: &mut Vec<(Arc<Path>, WatchId)>,
        fresh: &mut DirtyPaths,
    ) -> (bool, Option<WatchFailure>) {
        let folders = requests.iter().map(|request| request.folder.clone());
        let folders: Vec<Arc<Path>> = folders.collect();
        let mut refused: Option<WatchError> = None;
        let (mut count, mut has_new) = (0_usize, false);
        for (request, result) in requests.iter().zip(handle.watch(&folders)) {
            let id = result.as_ref().ok().copied();
            if id.is_some() && id == request.id {
                continue;
            }
            self.pending.set_id(request, id);
            has_new |= id.is_some();
            gone.extend(request.id.map(|old| (request.folder.clone(), old)));
            if let Err(error) = fresh.add_watched(&request.folder, request.role, result) {
                refused = Some(error);
                count += 1;
            }
        }
        let failure = refused.map(|error| {
            let what = format!("{count} folders cannot be watched");
            WatchFailure::by(&error, &what)
        });
        (has_new, failure)
    }

    fn state(&self) -> MutexGuard<'_, WatchState> {
        self.state.lock()
    }
}

impl fmt::Debug for Watcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watcher")
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

impl DirtyPaths {
    /// Adds what may have changed before the watch of `folder` began, or returns the error of a watch that is missed.
    fn add_watched<T>(
        &mut self,
        folder: &Path,
        role: WatchRole,
        result: Result<T, WatchError>,
    ) -> Result<(), WatchError> {
        match (result, role) {
            (Ok(_), WatchRole::Above) => self.all = true,
            // It is new, or deleted again.
            (Ok(_) | Err(WatchError::Absent), WatchRole::Inside) => self.add(folder.to_path_buf()),
            // The folders above it are watched. What happens in an unreadable folder has no effect.
            (Err(WatchError::Absent | WatchError::Denied(_)), WatchRole::Above) => {}
            (Err(error), _) => return Err(error),
        }
        Ok(())
    }
}

impl WatchFailure {
    fn new(message: String) -> WatchFailure {
        WatchFailure {
            message,
            help: UNTIL_THEN.into(),
        }
    }

    fn on_remote(folder: &Path, file_system: &str) -> WatchFailure {
        let folder = file::shown(folder);
        let message = format!(
            "`{folder}` lies on a file system ({file_system}) that does not report what others change"
        );
        WatchFailure {
            message,
            help: "; to have no diagnostic, write `watch = { by = \"polling\" }` for the source"
                .into(),
        }
    }

    fn by(error: &WatchError, what: &str) -> WatchFailure {
        let setting = match error {
            WatchError::Exhausted(limit) => limit.setting(),
            WatchError::Absent | WatchError::Denied(_) => None,
        };
        let help = match setting {
            Some(setting) => {
                format!("{UNTIL_THEN}; raise `{setting}` to be notified of changes immediately")
                    .into()
            }
            None => UNTIL_THEN.into(),
        };
        WatchFailure {
            message: format!("{what}: {error}"),
            help,
        }
    }
}

const UNTIL_THEN: &str = " until it can be watched";

fn places<'a>(plan: &'a SearchPlan, scan: &'a TreeScan) -> impl Iterator<Item = &'a Path> {
    let mut devices = HashSet::new();
    let skills = scan.skill_files.iter().filter(move |skill_file| {
        skill_file
            .file
            .is_some_and(|file| devices.insert(file.identity.device()))
    });
    plan.starts
        .iter()
        .map(|start| start.path.as_path())
        .chain(skills.map(|skill_file| skill_file.folder()))
}

fn steps(plan: &SearchPlan, scan: &TreeScan) -> BTreeSet<PathBuf> {
    let mut steps = BTreeSet::new();
    let starts = plan.starts.iter().map(|start| start.path.as_path());
    let inputs = plan.inputs.files.iter().map(PathBuf::as_path);
    starts
        .chain(inputs)
        .chain(scan.links())
        .for_each(|path| add_steps(path, &mut steps));
    steps
}

fn wanted<'a>(
    plan: &'a SearchPlan,
    scan: &'a TreeScan,
    steps: &'a BTreeSet<PathBuf>,
) -> Vec<(&'a Path, WatchRole)> {
    let above = steps
        .iter()
        .filter_map(|step| step.parent())
        .filter(|parent| !parent.as_os_str().is_empty());
    let above = above.map(|parent| (parent, WatchRole::Above));
    let inputs = plan.inputs.folders.iter().map(PathBuf::as_path);
    let inside = inputs
        .chain(scan.looked_into())
        .map(|folder| (folder, WatchRole::Inside));
    let mut wanted: Vec<(&Path, WatchRole)> = above.chain(inside).collect();
    // `Inside` comes first, and stays.
    wanted.sort_by(|(a, one), (b, other)| bytes(a).cmp(bytes(b)).then(other.cmp(one)));
    wanted.dedup_by(|(later, _), (first, _)| bytes(later) == bytes(first));
    wanted
}

/// The limit of links that one path may lead through, as in the kernel.
const LINKS: usize = 40;

/// Adds every path on the way to `path`, itself included, through every link that is followed.
///
/// A change of one of them may make `path` lead elsewhere. They need not exist.
fn add_steps(path: &Path, steps: &mut BTreeSet<PathBuf>) {
    let mut open = vec![path.to_owned()];
    let mut links = 0;
    while let Some(path) = open.pop() {
        for step in path.ancestors().filter(|step| !step.as_os_str().is_empty()) {
            // The steps above it were added with it.
            if !steps.insert(step.to_owned()) {
                break;
            }
            if links < LINKS
                && let Ok(target) = step.read_link()
            {
                links += 1;
                open.push(
                    step.parent()
                        .map_or_else(|| target.clone(), |parent| parent.join(&target)),
                );
            }
        }
    }
}
