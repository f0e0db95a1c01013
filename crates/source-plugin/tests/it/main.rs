//! The contract of plugins, and what they cannot do to a host.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod conformance;
mod external;
mod hostile;
mod library;
mod lifetime;
mod panicking;
mod trust;
mod versions;
