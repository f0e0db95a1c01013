//! Keeping up with folders: which are watched, and when it is time to look again.

mod backend;
mod hints;
mod options;
mod ways;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use repertoire_core::Code;
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

use crate::root::Plan;
use crate::scan::Scan;
use crate::stamp::Identity;
use crate::visit::Finding;
use backend::{Backend, Opener, Refusal};
use hints::{Hints, Role, Taken};

pub(crate) use hints::Dirty;
pub use options::{WatchBy, WatchOptions};

/// Watches the folders of one source.
///
/// It has no task and no clock of its own: whoever waits for a change drives it. Only the thread of the backend runs
/// beside, and takes notes.
pub(crate) struct Watcher {
    options: WatchOptions,
    open: Opener,
    hints: Arc<Hints>,
    post: Mutex<Post>,
    health: Mutex<Health>,
}

/// What is being watched. Held while arming, in the blocking pool only.
#[derive(Debug, Default)]
struct Post {
    backend: Option<Box<dyn Backend>>,
    /// The latest scan for whose folders everything is armed.
    armed_for: Option<Arc<Scan>>,
}

/// How well it is watched. Held for a moment only.
#[derive(Debug, Default)]
struct Health {
    /// Whether anything was ever armed.
    is_armed: bool,
    /// What may have changed before it was watched. Kept here because arming goes on when nobody waits any more.
    fresh: Dirty,
    /// Why folders have to be polled.
    degraded: Option<String>,
    /// When everything was looked at last.
    looked: Option<Instant>,
}

impl Watcher {
    pub(crate) fn new(options: WatchOptions) -> Watcher {
        Watcher::over(options, Arc::new(backend::native))
    }

    fn over(options: WatchOptions, open: Opener) -> Watcher {
        Watcher { options, open, hints: Arc::new(Hints::new()), post: Mutex::default(), health: Mutex::default() }
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

    /// Notes that everything was looked at.
    pub(crate) fn looked(&self) {
        self.health().looked = Some(Instant::now());
    }

    /// What people should know of how watching fares.
    pub(crate) fn finding(&self, plan: &Plan) -> Option<Finding> {
        let message = self.health().degraded.clone()?;
        let root = plan.starts.first().map(|start| start.path.clone()).unwrap_or_default();
        let every = self.options.poll;
        let finding = Finding::new(root, Code::WATCH_DEGRADED, message);
        Some(finding.help(format!("nothing is lost: everything is looked at every {every:?} until it can be watched")))
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

    /// Has the backend watch what is wanted for `scan`, and tells why it cannot.
    fn watch(&self, plan: &Plan, scan: &Arc<Scan>, fresh: &mut Dirty) -> Option<String> {
        let post = &mut *self.post.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.hints.is_stale()
            && let Some(armed_for) = &mut post.armed_for
            && armed_for.is_watched_like(scan)
        {
            // The later one is quicker to compare with what comes next.
            armed_for.clone_from(scan);
            return None;
        }
        if let Some(failure) = self.hints.take_failure() {
            (post.backend, post.armed_for) = (None, None);
            self.hints.disarm_all();
            // Opened again at the next poll, not at once: what fails may fail every time.
            return Some(format!("folders cannot be watched any more: {failure}"));
        }
        let backend = match &mut post.backend {
            Some(backend) => backend,
            closed => match (self.open)(self.hints.clone()) {
                Ok(backend) => closed.insert(backend),
                Err(refusal) => return Some(format!("folders cannot be watched: {refusal}")),
            },
        };
        post.armed_for = Some(scan.clone());
        let (wanted, steps) = wanted(plan, scan);
        let (new, gone) = self.hints.expect(wanted, steps);
        gone.iter().for_each(|folder| backend.unwatch(folder));
        let (mut refused, mut count) = (None, 0_usize);
        for (folder, role) in new {
            let result = match refused {
                Some(Refusal::Exhausted) => Err(Refusal::Exhausted),
                _ => backend.watch(&folder),
            };
            match (result, role) {
                (Ok(()), Role::Above) => fresh.all = true,
                (Ok(()), Role::Inside) => fresh.add(folder),
                (Err(refusal), role) => {
                    self.hints.disarm(&folder);
                    match (refusal, role) {
                        // Gone again: look there.
                        (Refusal::Absent, _) => fresh.add(folder),
                        // Who may not look into a folder above cannot tell what happens there, and need not.
                        (Refusal::Denied(_), Role::Above) => {}
                        (refusal, _) => {
                            refused = Some(refusal);
                            count += 1;
                        }
                    }
                }
            }
        }
        refused.map(|refusal| format!("{count} folders cannot be watched: {refusal}"))
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

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Absent => f.write_str("no such folder"),
            Refusal::Denied(why) => f.write_str(why),
            Refusal::Exhausted => f.write_str("the system's limit of watches is reached"),
        }
    }
}

/// The folders to watch and what lies on the way to them.
fn wanted(plan: &Plan, scan: &Scan) -> (BTreeMap<PathBuf, (Role, Identity)>, BTreeSet<PathBuf>) {
    let mut steps = BTreeSet::new();
    let starts = plan.starts.iter().map(|start| start.path.as_path());
    starts.chain(scan.links()).for_each(|path| ways::to(path, &mut steps));
    let above = steps.iter().filter_map(|step| step.parent()).filter(|parent| !parent.as_os_str().is_empty());
    let above = above.map(|parent| (parent.to_owned(), Role::Above));
    // What is inside comes later and wins.
    let roles: BTreeMap<PathBuf, Role> =
        above.chain(scan.folders().into_iter().map(|folder| (folder, Role::Inside))).collect();
    let known = |(folder, role): (PathBuf, Role)| {
        let metadata = folder.metadata().ok().filter(std::fs::Metadata::is_dir)?;
        let identity = Identity::of(&folder, &metadata);
        Some((folder, (role, identity)))
    };
    (roles.into_iter().filter_map(known).collect(), steps)
}
