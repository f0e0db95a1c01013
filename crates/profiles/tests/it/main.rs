//! The promises of the crate, each against a tree in a temporary folder.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod budgets;
mod files;
mod golden;
mod hidden;
mod observed;
mod tree;
