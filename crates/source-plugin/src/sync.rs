//! What threads meet by. The models in `tests/model` put a scheduler's own in its place, and try the orders in which
//! threads can run.

pub(crate) use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
pub(crate) use std::thread;
