//! The promises of the crate, one to a test.

mod allocation;
mod delegation;
mod queues;
mod states;
mod stores;
mod writeback;
