//! The gateway through its public door.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[cfg(feature = "http")]
mod api;
mod life;
mod project;
mod reloading;
mod workflows;
