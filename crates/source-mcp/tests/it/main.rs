//! The crate at its public door, against servers that behave and servers that do not.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod again;
mod conformance;
mod fallbacks;
mod hostile;
mod http;
mod programs;
mod reading;
mod scripted;
mod served;
mod tls;
