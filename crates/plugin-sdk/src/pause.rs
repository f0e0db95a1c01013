//! A sleep that others can end.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// A sleep that the host can end.
#[derive(Debug, Default)]
pub struct Pause {
    cancelled: Mutex<u64>,
    woken: Condvar,
}

impl Pause {
    /// Sleeps for so long, or until the host cancels. Whether it slept to the end.
    pub fn sleep(&self, length: Duration) -> bool {
        let cancelled = self.cancelled.lock().unwrap_or_else(PoisonError::into_inner);
        let begun = *cancelled;
        let waited = self.woken.wait_timeout_while(cancelled, length, |cancelled| *cancelled == begun);
        waited.unwrap_or_else(PoisonError::into_inner).1.timed_out()
    }

    /// Ends every sleep that has begun.
    pub(crate) fn cancel(&self) {
        *self.cancelled.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.woken.notify_all();
    }
}
