//! Callbacks and their calls.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::{self, ThreadId};

use parking_lot::{Condvar, Mutex, MutexGuard};
use repertoire_core::Item;
use tokio::sync::{Notify, watch};
use tokio::task::JoinHandle;

use crate::{Change, Snapshot};

/// A new snapshot, and the change since the one that was delivered before it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Update<T: Item> {
    /// The latest snapshot.
    pub snapshot: Snapshot<T>,
    /// The change since the snapshot that was delivered last.
    pub change: Change<T>,
}

/// A guard of a callback, returned by [`Registry::on_change`](crate::Registry::on_change).
///
/// Dropping it ends the callback, and waits for a call in a different thread. No call runs after that. It may be dropped inside
/// the callback, which then runs to its end. [`detach`](CallbackGuard::detach) lets the callback live as
/// long as the registry.
#[must_use = "dropping this ends the callback"]
pub struct CallbackGuard(pub(crate) Option<Box<dyn FnOnce() + Send + Sync>>);

impl CallbackGuard {
    /// Lets the callback live until the registry is closed or its last handle is dropped.
    pub fn detach(mut self) {
        self.0 = None;
    }
}

impl Drop for CallbackGuard {
    fn drop(&mut self) {
        if let Some(end) = self.0.take() {
            end();
        }
    }
}

impl fmt::Debug for CallbackGuard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallbackGuard").finish_non_exhaustive()
    }
}

/// A callback with the snapshot of its last call.
pub(crate) struct Listener<T: Item> {
    state: Mutex<State<T>>,
    idle: Condvar,
    went_idle: Notify,
    pub(crate) ended: watch::Sender<bool>,
}

struct State<T: Item> {
    /// Taken out while it runs, and for good once it ended.
    callback: Option<Callback<T>>,
    running: Option<ThreadId>,
    seen: Snapshot<T>,
}

pub(crate) type Callback<T> = Box<dyn FnMut(&Update<T>) + Send>;

impl<T: Item> fmt::Debug for Listener<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listener")
            .field("ended", &*self.ended.borrow())
            .finish_non_exhaustive()
    }
}

impl<T: Item> Listener<T> {
    pub(crate) fn new(callback: Callback<T>, seen: Snapshot<T>) -> Arc<Listener<T>> {
        Arc::new(Listener {
            state: Mutex::new(State {
                callback: Some(callback),
                running: None,
                seen,
            }),
            idle: Condvar::new(),
            went_idle: Notify::new(),
            ended: watch::Sender::new(false),
        })
    }

    pub(crate) fn notify(&self, latest: impl Fn() -> Snapshot<T>) {
        let mut state = self.state();
        loop {
            let State {
                callback: Some(_),
                seen,
                ..
            } = &*state
            else {
                return;
            };
            let snapshot = latest();
            if snapshot.generation() <= seen.generation() {
                // The same view, of whose contents more may be known.
                state.seen = snapshot;
                return;
            }
            let change = snapshot.changes_since(seen);
            state.seen = snapshot.clone();
            let mut callback = state
                .callback
                .take()
                .expect("it was there under the same lock");
            state.running = Some(thread::current().id());
            drop(state);
            caught(|| callback(&Update { snapshot, change }));
            state = self.state();
            if *self.ended.borrow() {
                drop(state);
                // A caller that waits relies on it that the callback was dropped.
                caught(|| drop(callback));
                state = self.state();
            } else {
                state.callback = Some(callback);
            }
            state.running = None;
            self.idle.notify_all();
            self.went_idle.notify_waiters();
        }
    }

    pub(crate) fn end(&self) {
        let mut state = self.state();
        self.ended.send_replace(true);
        let callback = state.callback.take();
        drop(state);
        // What it holds may come back here when it is dropped.
        drop(callback);
    }

    /// Waits for a call that runs, unless this is it.
    pub(crate) fn wait(&self) {
        let here = thread::current().id();
        self.idle
            .wait_while(&mut self.state(), |state: &mut State<T>| {
                state.running.is_some_and(|thread| thread != here)
            });
    }

    async fn waited(&self) {
        loop {
            let idle = self.went_idle.notified();
            if !self.is_elsewhere() {
                return;
            }
            idle.await;
        }
    }

    fn is_elsewhere(&self) -> bool {
        self.state()
            .running
            .is_some_and(|thread| thread != thread::current().id())
    }

    fn is_here(&self) -> bool {
        self.state().running == Some(thread::current().id())
    }

    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock()
    }
}

/// Calls foreign code. The panic hook of the process reports a panic.
fn caught(call: impl FnOnce()) {
    let _ = catch_unwind(AssertUnwindSafe(call));
}

/// The callbacks of a registry, each with the task that calls it, on a registry that was started.
#[derive(Debug)]
pub(crate) struct Listeners<T: Item>(Mutex<Vec<Called<T>>>);

pub(crate) type Called<T> = (Arc<Listener<T>>, Option<JoinHandle<()>>);

impl<T: Item> Default for Listeners<T> {
    fn default() -> Listeners<T> {
        Listeners(Mutex::default())
    }
}

impl<T: Item> Listeners<T> {
    pub(crate) fn list(&self) -> MutexGuard<'_, Vec<Called<T>>> {
        self.0.lock()
    }

    pub(crate) async fn close(&self) {
        let all = std::mem::take(&mut *self.list());
        all.iter().for_each(|(listener, _)| listener.end());
        for (listener, task) in all {
            match task {
                // Its task waits for the very call that closes the registry.
                _ if listener.is_here() => {}
                Some(task) => drop(task.await),
                None => listener.waited().await,
            }
        }
    }
}
