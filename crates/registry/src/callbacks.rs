//! Callbacks.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::{self, ThreadId};

use parking_lot::{Condvar, Mutex, MutexGuard};
use repertoire_core::Item;
use tokio::sync::{Notify, watch};
use tokio::task::JoinHandle;

use crate::registry::WeakRegistry;
use crate::subscription::{ChangeSignals, CloseSignals};
use crate::{Registry, Snapshot, Update};

/// A guard of a callback, returned by [`Registry::on_change`].
///
/// Dropping it ends the callback, and waits for a call in a different thread. No call runs after that. It may be dropped inside
/// the callback, which then runs to its end. [`detach`](CallbackGuard::detach) lets the callback live as
/// long as the registry.
#[must_use = "dropping this ends the callback"]
pub struct CallbackGuard(Option<Box<dyn FnOnce() + Send + Sync>>);

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
    ended: watch::Sender<bool>,
}

struct State<T: Item> {
    /// Taken out while it runs, and for good once it ended.
    callback: Option<Callback<T>>,
    running: Option<ThreadId>,
    seen: Snapshot<T>,
}

type Callback<T> = Box<dyn FnMut(&Update<T>) + Send>;

impl<T: Item> fmt::Debug for Listener<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listener")
            .field("ended", &*self.ended.borrow())
            .finish_non_exhaustive()
    }
}

impl<T: Item> Listener<T> {
    fn new(callback: Callback<T>, seen: Snapshot<T>) -> Arc<Listener<T>> {
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

    fn notify(&self, latest: impl Fn() -> Snapshot<T>) {
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

    fn end(&self) {
        let mut state = self.state();
        self.ended.send_replace(true);
        let callback = state.callback.take();
        drop(state);
        // What it holds may come back here when it is dropped.
        drop(callback);
    }

    /// Waits for a call that runs, unless this is it.
    fn wait(&self) {
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

type Called<T> = (Arc<Listener<T>>, Option<JoinHandle<()>>);

impl<T: Item> Default for Listeners<T> {
    fn default() -> Listeners<T> {
        Listeners(Mutex::default())
    }
}

impl<T: Item> Listeners<T> {
    fn list(&self) -> MutexGuard<'_, Vec<Called<T>>> {
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

impl<T: Item> Registry<T> {
    /// Calls `callback` with every change from now on, until the guard is dropped or the registry closed.
    ///
    /// - On a registry that was [started](crate::Builder::start), it runs on the runtime's threads for blocking work.
    /// - On a registry that was only [loaded](crate::Builder::load), it runs in the thread that published, before
    ///   [`register`](Registry::register), [`refresh`](Registry::refresh) or the like returns.
    /// - No lock is held, so the callback may modify the registry. It is called again for its own changes after it returns.
    /// - One call runs at a time. Changes during a call are folded into one for the next call, in the same thread.
    /// - No caller waits for a callback in a different thread. A callback that panics is still called for the next change.
    /// - A callback that holds a handle of the registry keeps it alive until the callback ends.
    ///
    /// ```
    /// use std::sync::mpsc;
    ///
    /// use repertoire_core::Skill;
    /// use repertoire_registry::SkillRegistry;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let registry = SkillRegistry::builder().load().await?;
    /// let (sender, summaries) = mpsc::channel();
    /// let handle = registry.on_change(move |update| sender.send(update.change.summary().to_string()).unwrap_or_default());
    ///
    /// registry.register(Skill::new("tidy".parse()?, "Sorts a folder."))?;
    /// assert_eq!(summaries.recv()?, "+ tidy");
    ///
    /// drop(handle);
    /// registry.unregister("tidy");
    /// assert!(summaries.recv().is_err(), "the callback is gone");
    /// # Ok(())
    /// # }
    /// ```
    pub fn on_change(&self, callback: impl FnMut(&Update<T>) + Send + 'static) -> CallbackGuard {
        let notices = self.notices();
        self.follow_base();
        let listener = {
            // A publisher reads the list after publishing, so no snapshot is missed in between.
            let mut list = self.0.listeners.list();
            let listener = Listener::new(Box::new(callback), self.snapshot());
            let task = self.runtime().map(|runtime| {
                runtime.spawn(follow(
                    self.downgrade(),
                    Arc::clone(&listener),
                    notices,
                    self.closing(),
                ))
            });
            if self.closing().is_closed() {
                listener.end();
            } else {
                list.push((Arc::clone(&listener), task));
            }
            listener
        };
        let registry = self.downgrade();
        CallbackGuard(Some(Box::new(move || {
            listener.end();
            if let Some(registry) = registry.upgrade() {
                registry
                    .0
                    .listeners
                    .list()
                    .retain(|(other, _)| !Arc::ptr_eq(other, &listener));
            }
            listener.wait();
        })))
    }

    pub(crate) fn notify_all_callbacks(&self) {
        if let Some(base) = self.base() {
            base.notify_all_callbacks();
        }
        self.notify_callbacks();
    }

    fn follow_base(&self) {
        if let (Some(base), None, false) = (self.base(), self.runtime(), self.closing().is_closed())
        {
            self.0.hook.lock().get_or_insert_with(|| {
                let overlay = self.downgrade();
                base.on_change(move |_| {
                    overlay
                        .upgrade()
                        .iter()
                        .for_each(Registry::notify_callbacks)
                })
            });
        }
    }

    pub(crate) fn notify_callbacks(&self) {
        if self.runtime().is_none() {
            let all: Vec<_> = self
                .0
                .listeners
                .list()
                .iter()
                .map(|(listener, _)| Arc::clone(listener))
                .collect();
            all.iter()
                .for_each(|listener| listener.notify(|| self.snapshot()));
        }
    }
}

async fn follow<T: Item>(
    registry: WeakRegistry<T>,
    listener: Arc<Listener<T>>,
    mut notices: ChangeSignals,
    mut closing: CloseSignals,
) {
    let mut ended = listener.ended.subscribe();
    loop {
        tokio::select! {
            biased;
            () = closing.closed() => return,
            _ = ended.wait_for(|ended| *ended) => return,
            is_more = notices.changed() => if !is_more { return },
        }
        let Some(registry) = registry.upgrade() else {
            return;
        };
        let listener = Arc::clone(&listener);
        // It cannot panic: the callback is caught.
        let _ = tokio::task::spawn_blocking(move || listener.notify(|| registry.snapshot())).await;
    }
}
