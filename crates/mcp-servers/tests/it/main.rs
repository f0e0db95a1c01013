//! The crate at its public door, against servers that behave and servers that do not.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod conformance;
mod hostile;
mod life;
mod programs;
mod secrets;
mod streams;
