//! The promises of the crate, one to a test.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod allocation;
mod delegation;
#[cfg(feature = "sqlite")]
mod hosts;
mod parties;
#[cfg(feature = "postgres")]
mod postgres;
mod queues;
mod reports;
mod states;
mod stores;
mod writeback;
