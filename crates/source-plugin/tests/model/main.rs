//! Where the threads of a host, a plugin and its process meet, in every order that a scheduler comes upon.
//!
//! The files are those of the crate. What they lock, send and spawn with is the scheduler's: it runs one thread at a time,
//! changes to another one wherever they meet, and tells when all of them wait for each other.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[allow(dead_code, reason = "the crate uses all of it")]
#[path = "../../src/calls.rs"]
mod calls;
#[allow(dead_code, reason = "the crate uses all of it")]
#[path = "../../src/desk.rs"]
mod desk;
#[allow(dead_code, reason = "the crate uses all of it")]
#[path = "../../src/room.rs"]
mod room;

mod asked;
mod lodged;
mod replied;

/// In place of the crate's own: what the scheduler knows.
mod sync {
    pub(crate) use shuttle::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
    pub(crate) use shuttle::thread;
}

/// Tries `model` in so many orders: at random, then with few changes of threads at places that matter.
fn tried(model: fn()) {
    const TIMES: usize = 2000;
    shuttle::check_random(model, TIMES);
    shuttle::check_pct(model, TIMES, 3);
}
