//! Running what a body asks for: feature `process`.
#![allow(clippy::disallowed_methods, reason = "this module, and nothing else of the crate, touches the world")]

mod capture;
mod child;
#[cfg(all(target_os = "linux", feature = "sandbox"))]
mod confined;
mod confinement;
mod group;
mod interpreter;
mod limits;
mod report;
mod runner;
mod shell;
#[cfg(all(target_os = "linux", feature = "sandbox"))]
mod sockets;
mod sweep;

#[cfg(all(target_os = "linux", feature = "sandbox"))]
pub use confined::confined;
pub use confinement::Confinement;
pub use limits::Limits;
pub use runner::{Call, ENVIRONMENT, Runner};
pub use shell::Shell;
