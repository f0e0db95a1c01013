//! The folder source through its public door.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod conformance;
mod discovery;
mod files;
mod hostile;
mod links;
mod options;
mod reading;
mod rescan;
mod tree;
mod walk;
mod watching;
