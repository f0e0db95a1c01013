//! What this crate promises, at its public door.

mod triggers;
