//! The promises of the crate.

mod conformance;
mod offline;
mod publisher;
