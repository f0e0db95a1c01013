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
}

/// What is being watched, and how well.
#[derive(Debug, Default)]
struct Post {
    backend: Option<Box<dyn Backend>>,
    /// The scan whose folders were armed last.
    armed_for: Option<Arc<Scan>>,
    /// Whether anything was ever armed.
    is_armed: bool,
    /// Why folders have to be polled.
    degraded: Option<String>,
    /// When everything was looked at last.
    looked: Option<Instant>,
}

/// What arming has brought: folders to look at, since they may have changed before they were watched.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Fresh {
    pub(crate) folders: Vec<PathBuf>,
    /// Everything is to be looked at: the way to a root was not watched.
    pub(crate) all: bool,
}

impl Watcher {
    pub(crate) fn new(options: WatchOptions) -> Watcher {
        Watcher::over(options, Arc::new(backend::native))
    }

    fn over(options: WatchOptions, open: Opener) -> Watcher {
        Watcher { options, open, hints: Arc::new(Hints::new()), post: Mutex::default() }
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

    /// Whether folders are being watched, or polled.
    pub(crate) fn is_armed(&self) -> bool {
        self.post().is_armed
    }

    /// Notes that everything was looked at.
    pub(crate) fn looked(&self) {
        self.post().looked = Some(Instant::now());
    }

    /// What people should know of how watching fares.
    pub(crate) fn finding(&self, plan: &Plan) -> Option<Finding> {
        let message = self.post().degraded.clone()?;
        let root = plan.starts.first().map(|start| start.path.clone()).unwrap_or_default();
        let every = self.options.poll;
        let finding = Finding::new(root, Code::WATCH_DEGRADED, message);
        Some(finding.help(format!("nothing is lost: everything is looked at every {every:?} until it can be watched")))
    }

    /// Waits until it is time to look again, and says so; or until the bell rings, and says no.
    pub(crate) async fn wait(&self, bell: &mut watch::Receiver<()>) -> bool {
        let deadline = match (self.hints.dirty_since(), self.next_poll()) {
            (Some(since), _) => {
                let last = since + self.options.longest;
                if Instant::now() >= last {
                    return true;
                }
                last.min(Instant::now() + self.options.debounce)
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
        let post = self.post();
        let polls = self.options.by == WatchBy::Polling || post.degraded.is_some();
        polls.then(|| post.looked.unwrap_or_else(Instant::now) + self.options.poll)
    }

    /// Watches what `scan` has looked at and the ways to it, and nothing else. Blocks for a system call a folder.
    pub(crate) fn arm(&self, plan: &Plan, scan: &Arc<Scan>) -> Fresh {
        let post = &mut *self.post();
        post.is_armed = true;
        // Whoever polls has to have looked once.
        let mut fresh = Fresh { all: post.looked.is_none(), ..Fresh::default() };
        if self.options.by == WatchBy::Polling {
            return fresh;
        }
        if !self.hints.is_stale() && post.armed_for.as_ref().is_some_and(|armed| armed.is_watched_like(scan)) {
            return fresh;
        }
        if let Some(failure) = self.hints.take_failure() {
            (post.backend, post.armed_for) = (None, None);
            self.hints.disarm_all();
            // Opened again at the next poll, not at once: what fails may fail every time.
            post.degraded = Some(format!("folders cannot be watched any more: {failure}"));
            return fresh;
        }
        let backend = match &mut post.backend {
            Some(backend) => backend,
            closed => match (self.open)(self.hints.clone()) {
                Ok(backend) => closed.insert(backend),
                Err(refusal) => {
                    post.degraded = Some(format!("folders cannot be watched: {refusal}"));
                    return fresh;
                }
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
                (Ok(()), Role::Inside) => fresh.folders.push(folder),
                (Err(refusal), role) => {
                    self.hints.disarm(&folder);
                    match (refusal, role) {
                        // Gone again: look there.
                        (Refusal::Absent, _) => fresh.folders.push(folder),
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
        post.degraded = refused.map(|refusal| format!("{count} folders cannot be watched: {refusal}"));
        fresh
    }

    fn post(&self) -> MutexGuard<'_, Post> {
        self.post.lock().unwrap_or_else(PoisonError::into_inner)
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
