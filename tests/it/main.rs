//! The whole system: every kind of source in one registry, through the facade.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod harmless;
mod live;
mod precedence;
mod prompt;
mod reading;
mod reload;
mod tree;
mod visibility;
