//! Running what a body asks for: feature `process`.
#![allow(clippy::disallowed_methods, reason = "this module, and nothing else of the crate, touches the world")]

mod capture;
mod child;
mod group;
mod interpreter;
mod limits;
mod runner;
mod shell;
mod sweep;

pub use limits::Limits;
pub use runner::{Call, ENVIRONMENT, Runner};
pub use shell::Shell;
