//! The plugin as a host loads it, over repositories that are there for the tests.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod conformance;
mod hostile;
mod remote;
mod server;
mod tracking;
