//! Keeping up with folders: which are watched, and when it is time to look again.

mod backend;
mod hints;
mod hub;
#[cfg(target_os = "linux")]
mod inotify;
mod limit;
mod options;
#[cfg(any(not(target_os = "linux"), test))]
mod portable;
mod ways;

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use repertoire_core::Code;
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

use crate::file;
use crate::root::{Plan, bytes};
use crate::scan::Scan;
use crate::visit::Finding;
use backend::Refusal;
use hints::{Hints, Role, Taken};
use hub::{Hub, Seat};
#[cfg(target_os = "linux")]
use inotify as native;
#[cfg(not(target_os = "linux"))]
use portable as native;

pub(crate) use hints::Dirty;
pub use options::{WatchBy, WatchOptions};

/// Watches the folders of one source.
///
/// It has no task and no clock of its own: whoever waits for a change drives it. Only the thread of the backend runs
/// beside, and takes notes.
pub(crate) struct Watcher {
    options: WatchOptions,
    hub: Arc<Hub>,
    hints: Arc<Hints>,
    post: Mutex<Post>,
    health: Mutex<Health>,
}

/// What is being watched. Held while arming, in the blocking pool only.
#[derive(Debug, Default)]
struct Post {
    seat: Option<Seat>,
    /// The latest scan for whose folders everything is armed.
    armed_for: Option<Arc<Scan>>,
    /// The diagnostic of a folder whose file system does not report every change, as long as the same folders are armed.
    remote: Option<Degraded>,
}

/// How well it is watched. Held for a moment only.
#[derive(Debug, Default)]
struct Health {
    /// Whether anything was ever armed.
    is_armed: bool,
    /// What may have changed before it was watched. Kept here because arming goes on when nobody waits any more.
    fresh: Dirty,
    /// Why folders have to be polled.
    degraded: Option<Degraded>,
    /// When everything was looked at last.
    looked: Option<Instant>,
}

/// What keeps folders from being watched.
#[derive(Debug, Clone)]
struct Degraded {
    message: String,
    /// The advice that comes after the promise that nothing is lost.
    help: Cow<'static, str>,
}

impl Watcher {
    pub(crate) fn new(options: WatchOptions) -> Watcher {
        Watcher::over(options, Hub::of_process())
    }

    fn over(options: WatchOptions, hub: Arc<Hub>) -> Watcher {
        Watcher { options, hub, hints: Arc::new(Hints::new()), post: Mutex::default(), health: Mutex::default() }
    }

    /// What wakes up when there may be something new: a hint, or a scan.
    pub(crate) fn bell(&self) -> watch::Receiver<()> {
        self.hints.bell()
    }

    /// Wakes whoever waits.
    pub(crate) fn ring(&self) {
        self.hints.ring();
    }

    /// Takes what there is to look at.
    pub(crate) fn take(&self) -> Taken<'_> {
        self.hints.take()
    }

    /// Takes what arming has brought to look at.
    pub(crate) fn take_fresh(&self) -> Dirty {
        std::mem::take(&mut self.health().fresh)
    }

    /// Whether folders are being watched, or polled, and were looked at since.
    pub(crate) fn is_settled(&self) -> bool {
        let health = self.health();
        health.is_armed && !health.fresh.is_some()
    }

    /// Whether there is nothing to look at for now, not even to come.
    pub(crate) fn is_idle(&self) -> bool {
        self.hints.dirty_since().is_none() && self.next_poll().is_none_or(|poll| poll > Instant::now())
    }

    /// Notes that other folders are to be watched, although the scan is the same.
    pub(crate) fn arm_again(&self) {
        self.hints.stay_stale();
    }

    /// Notes that everything was looked at.
    pub(crate) fn looked(&self) {
        self.health().looked = Some(Instant::now());
    }

    /// What people should know of how watching fares.
    pub(crate) fn finding(&self, plan: &Plan) -> Option<Finding> {
        let health = self.health();
        let Degraded { message, help } = health.degraded.as_ref()?;
        let root = plan.starts.first().map(|start| start.path.clone()).unwrap_or_default();
        let every = self.options.poll;
        let help = format!("nothing is lost: everything is looked at every {every:?}{help}");
        Some(Finding::new(root, Code::WATCH_DEGRADED, message.as_str()).help(help))
    }

    /// Waits until it is time to look again, and says so; or until the bell rings, and says no.
    pub(crate) async fn wait(&self, bell: &mut watch::Receiver<()>) -> bool {
        let deadline = match (self.hints.dirty_since(), self.next_poll()) {
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
                let _ = bell.changed().await;
                return false;
            }
        };
        let is_due = timeout_at(deadline, bell.changed()).await.is_err();
        if is_due && self.next_poll().is_some_and(|poll| poll <= Instant::now()) {
            self.hints.mark_all();
        }
        is_due
    }

    /// When everything is to be looked at, where events cannot be had.
    fn next_poll(&self) -> Option<Instant> {
        let health = self.health();
        let polls = self.options.by == WatchBy::Polling || health.degraded.is_some();
        polls.then(|| health.looked.unwrap_or_else(Instant::now) + self.options.poll)
    }

    /// Watches what `scan` has looked at and the ways to it, and nothing else. What is to be looked at because of that,
    /// [`take_fresh`](Watcher::take_fresh) gives. Blocks for a system call a folder.
    pub(crate) fn arm(&self, plan: &Plan, scan: &Arc<Scan>) {
        // Whoever polls has to have looked once.
        let mut fresh = Dirty { all: self.health().looked.is_none(), ..Dirty::default() };
        let degraded = match self.options.by {
            WatchBy::Polling => None,
            WatchBy::Events => self.watch(plan, scan, &mut fresh),
        };
        let mut health = self.health();
        health.is_armed = true;
        health.fresh.extend(fresh);
        health.degraded = degraded;
    }

    /// Has the hub watch what is wanted for `scan`, and tells why it cannot.
    fn watch(&self, plan: &Plan, scan: &Arc<Scan>, fresh: &mut Dirty) -> Option<Degraded> {
        let post = &mut *self.post.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.hints.is_stale()
            && let Some(armed_for) = &mut post.armed_for
            && armed_for.is_watched_like(scan)
        {
            // The later one is quicker to compare with what comes next.
            armed_for.clone_from(scan);
            return post.remote.clone();
        }
        if let Some(failure) = self.hints.take_failure() {
            *post = Post::default();
            self.hints.forget();
            // Joined again at the next poll, not at once: what fails may fail every time.
            return Some(Degraded::new(format!("folders cannot be watched any more: {failure}")));
        }
        let seat = match &mut post.seat {
            Some(seat) => seat,
            empty => match self.hub.join(&self.hints) {
                Ok(seat) => empty.insert(seat),
                Err(refusal) => return Some(Degraded::by(&refusal, "folders cannot be watched")),
            },
        };
        post.armed_for = Some(scan.clone());
        post.remote = places(plan, scan).find_map(|folder| Some(Degraded::on_remote(folder, seat.remote(folder)?)));
        let steps = steps(plan, scan);
        let (orders, mut gone) = self.hints.expect(&wanted(plan, scan, &steps), &steps);
        // First of all, so that there is room.
        seat.unwatch(&std::mem::take(&mut gone));
        let folders: Vec<Arc<Path>> = orders.iter().map(|order| order.folder.clone()).collect();
        let mut refused: Option<Refusal> = None;
        let (mut count, mut has_new) = (0_usize, false);
        for (order, result) in orders.iter().zip(seat.watch(&folders)) {
            let place = result.as_ref().ok().copied();
            if place.is_some() && place == order.place {
                continue;
            }
            self.hints.place(order, place);
            has_new |= place.is_some();
            gone.extend(order.place.map(|old| (order.folder.clone(), old)));
            match (result, order.role) {
                (Ok(_), Role::Above) => fresh.all = true,
                // It is new, or gone again: look there.
                (Ok(_) | Err(Refusal::Absent), Role::Inside) => fresh.add(order.folder.to_path_buf()),
                // What leads there is watched. Who may not look into a folder cannot tell what happens in it, and need not.
                (Err(Refusal::Absent | Refusal::Denied(_)), Role::Above) => {}
                (Err(refusal), _) => {
                    refused = Some(refusal);
                    count += 1;
                }
            }
        }
        seat.unwatch(&gone);
        // What lies on the way was read before anything could be heard of it.
        if has_new && self::steps(plan, scan) != steps {
            self.hints.stay_stale();
        }
        let Some(refusal) = refused else { return post.remote.clone() };
        self.hints.stay_stale();
        Some(Degraded::by(&refusal, &format!("{count} folders cannot be watched")))
    }

    fn health(&self) -> MutexGuard<'_, Health> {
        self.health.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Watcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watcher").field("options", &self.options).finish_non_exhaustive()
    }
}

impl Degraded {
    fn new(message: String) -> Degraded {
        Degraded { message, help: UNTIL_THEN.into() }
    }

    fn on_remote(folder: &Path, file_system: &str) -> Degraded {
        let folder = file::shown(folder);
        let message =
            format!("`{folder}` lies on a file system ({file_system}) that does not report what others change");
        Degraded {
            message,
            help: "; to have no diagnostic, write `watch = { by = \"polling\" }` for the source".into(),
        }
    }

    fn by(refusal: &Refusal, what: &str) -> Degraded {
        let setting = match refusal {
            Refusal::Exhausted(limit) => limit.setting(),
            Refusal::Absent | Refusal::Denied(_) => None,
        };
        let help = match setting {
            Some(setting) => format!("{UNTIL_THEN}; raise `{setting}` to have changes told at once").into(),
            None => UNTIL_THEN.into(),
        };
        Degraded { message: format!("{what}: {refusal}"), help }
    }
}

const UNTIL_THEN: &str = " until it can be watched";

/// Returns a folder for each file system that the source reads: every root, and one skill for each device.
fn places<'a>(plan: &'a Plan, scan: &'a Scan) -> impl Iterator<Item = &'a Path> {
    let mut devices = HashSet::new();
    let skills = scan
        .records
        .iter()
        .filter(move |record| record.file.is_some_and(|file| devices.insert(file.identity.device())));
    plan.starts.iter().map(|start| start.path.as_path()).chain(skills.map(|record| record.folder()))
}

/// Everything on the way to what was looked at, links included.
fn steps(plan: &Plan, scan: &Scan) -> BTreeSet<PathBuf> {
    let mut steps = BTreeSet::new();
    let starts = plan.starts.iter().map(|start| start.path.as_path());
    let guides = plan.guides.files.iter().map(PathBuf::as_path);
    starts.chain(guides).chain(scan.links()).for_each(|path| ways::to(path, &mut steps));
    steps
}

/// The folders to watch, sorted by bytes, so that a folder comes before what lies in it.
fn wanted<'a>(plan: &'a Plan, scan: &'a Scan, steps: &'a BTreeSet<PathBuf>) -> Vec<(&'a Path, Role)> {
    let above = steps.iter().filter_map(|step| step.parent()).filter(|parent| !parent.as_os_str().is_empty());
    let above = above.map(|parent| (parent, Role::Above));
    let guides = plan.guides.folders.iter().map(PathBuf::as_path);
    let inside = guides.chain(scan.looked_into()).map(|folder| (folder, Role::Inside));
    let mut wanted: Vec<(&Path, Role)> = above.chain(inside).collect();
    // Who is inside comes first, and stays.
    wanted.sort_by(|(a, one), (b, other)| bytes(a).cmp(bytes(b)).then(other.cmp(one)));
    wanted.dedup_by(|(later, _), (first, _)| bytes(later) == bytes(first));
    wanted
}
