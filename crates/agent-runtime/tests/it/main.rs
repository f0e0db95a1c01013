//! The crate at its public door, with agents that behave and agents that do not.
#![cfg(target_os = "linux")]
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test that cannot go on has failed"
)]

#[cfg(feature = "acp")]
mod acp;
mod bed;
mod fake;
mod killed;
mod leftovers;
mod limits;
mod requirements;
mod residents;
mod runs;
mod stops;
mod worktrees;
