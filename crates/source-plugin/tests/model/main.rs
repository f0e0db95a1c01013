//! The synchronization of a host, a plugin and its process, in every order of their threads.
//!
//! The files are those of the crate. What they lock, send and spawn with is the scheduler's: it runs one thread at a time,
//! changes to another one wherever they meet, and tells when all of them wait for each other.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[allow(dead_code, reason = "the crate uses all of it")]
#[path = "../../src/call_thread.rs"]
mod call_thread;
#[allow(dead_code, reason = "the crate uses all of it")]
#[path = "../../src/pending_calls.rs"]
mod pending_calls;
#[allow(dead_code, reason = "the crate uses all of it")]
#[path = "../../src/slot.rs"]
mod slot;

mod call_threads;
mod pending;
mod slots;

/// The types of the scheduler, in place of the crate's own.
mod sync {
    pub(crate) use shuttle::sync::{Arc, MutexGuard, mpsc};
    pub(crate) use shuttle::thread;

    /// A lock with the interface of `parking_lot`.
    #[derive(Debug, Default)]
    pub(crate) struct Mutex<T>(shuttle::sync::Mutex<T>);

    impl<T> Mutex<T> {
        pub(crate) fn new(value: T) -> Mutex<T> {
            Mutex(shuttle::sync::Mutex::new(value))
        }

        pub(crate) fn lock(&self) -> MutexGuard<'_, T> {
            self.0.lock().unwrap()
        }
    }
}

/// Checks `model` in random orders of its threads, and in orders with few changes of threads.
fn tried(model: fn()) {
    const TIMES: usize = 2000;
    shuttle::check_random(model, TIMES);
    shuttle::check_pct(model, TIMES, 3);
}
