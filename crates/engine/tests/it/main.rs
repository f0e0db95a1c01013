//! The promises of this crate, tested through its public API.

mod triggers;
