//! The current instance of a plugin: shared by callers, and replaced when the file changes.

use std::time::{Duration, Instant};

use repertoire_core::Digest;

use crate::sync::{Arc, Mutex, MutexGuard};

/// A slot for one instance of a plugin, until another one replaces it or the slot is closed.
///
/// No lock is held during a call of an instance. The last caller that holds an instance drops it.
#[derive(Debug)]
pub(crate) struct InstanceSlot<B: ?Sized> {
    state: Mutex<SlotState<B>>,
}

#[derive(Debug)]
struct SlotState<B: ?Sized> {
    current: Option<CurrentInstance<B>>,
    closed: bool,
}

#[derive(Debug)]
struct CurrentInstance<B: ?Sized> {
    backend: Arc<B>,
    /// Of the file that it was made of.
    digest: Digest,
    /// The last revision that it reported.
    revision: Option<u64>,
    /// The start of the `wait` call in progress.
    waiting_since: Option<Instant>,
    stop_requested: bool,
}

/// The error of a slot that is closed.
#[derive(Debug)]
pub(crate) struct SlotClosed;

impl<B: ?Sized> InstanceSlot<B> {
    pub(crate) fn new() -> InstanceSlot<B> {
        InstanceSlot {
            state: Mutex::new(SlotState {
                current: None,
                closed: false,
            }),
        }
    }

    pub(crate) fn current(&self) -> Result<Option<(Arc<B>, Digest)>, SlotClosed> {
        let state = self.state.lock();
        if state.closed {
            return Err(SlotClosed);
        }
        Ok(state
            .current
            .as_ref()
            .map(|current| (current.backend.clone(), current.digest)))
    }

    /// Returns the instance to stop: the replaced one, or `backend` itself if the slot is closed.
    pub(crate) fn replace(&self, backend: Arc<B>, digest: Digest) -> Option<Arc<B>> {
        let mut state = self.state.lock();
        if state.closed {
            return Some(backend);
        }
        let next = CurrentInstance {
            backend,
            digest,
            revision: None,
            waiting_since: None,
            stop_requested: false,
        };
        state.current.replace(next).map(|current| current.backend)
    }

    /// Closes the slot and returns the instance to stop.
    pub(crate) fn close(&self) -> Option<Arc<B>> {
        let mut state = self.state.lock();
        state.closed = true;
        state.current.take().map(|current| current.backend)
    }

    /// Calls `change` with the last revision that `backend` reported, if it is current. Others wait until it returns.
    pub(crate) fn with_revision<O>(
        &self,
        backend: &Arc<B>,
        change: impl FnOnce(&mut Option<u64>) -> O,
    ) -> Option<O> {
        self.with(backend, |current| change(&mut current.revision))
    }

    /// Returns the instance if it can `wait` and no thread waits for it yet.
    pub(crate) fn start_wait(&self, can_wait: impl FnOnce(&B) -> bool) -> Option<Arc<B>> {
        let mut state = self.state.lock();
        let free = state
            .current
            .as_mut()
            .filter(|current| current.waiting_since.is_none());
        let current = free.filter(|current| can_wait(&current.backend))?;
        current.waiting_since = Some(Instant::now());
        Some(current.backend.clone())
    }

    /// Returns the revision to wait for a successor of, as long as `backend` is current.
    pub(crate) fn continue_wait(&self, backend: &Arc<B>) -> Option<u64> {
        self.with(backend, |current| {
            current.waiting_since = Some(Instant::now());
            current.revision.unwrap_or(0)
        })
    }

    pub(crate) fn end_wait(&self, backend: &Arc<B>) {
        self.with(backend, |current| current.waiting_since = None);
    }

    /// Returns, once, the instance whose `wait` call takes longer than `limit`.
    pub(crate) fn take_overdue_wait(&self, limit: Duration) -> Option<Arc<B>> {
        let mut state = self.state.lock();
        let current = state.current.as_mut()?;
        let is_overdue = current
            .waiting_since
            .is_some_and(|since| since.elapsed() > limit);
        (is_overdue && !std::mem::replace(&mut current.stop_requested, true))
            .then(|| current.backend.clone())
    }

    fn with<O>(
        &self,
        backend: &Arc<B>,
        change: impl FnOnce(&mut CurrentInstance<B>) -> O,
    ) -> Option<O> {
        let mut state: MutexGuard<'_, SlotState<B>> = self.state.lock();
        state
            .current
            .as_mut()
            .filter(|current| Arc::ptr_eq(&current.backend, backend))
            .map(change)
    }
}
