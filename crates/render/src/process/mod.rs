//! Running what a body asks for: feature `process`.
#![allow(clippy::disallowed_methods, reason = "this module, and nothing else of the crate, touches the world")]

#[cfg(all(target_os = "linux", feature = "sandbox"))]
mod calls;
mod capture;
mod child;
#[cfg(all(target_os = "linux", feature = "sandbox"))]
mod confined;
mod confinement;
mod group;
#[cfg(all(target_os = "linux", feature = "sandbox"))]
mod helper;
mod hold;
mod interpreter;
#[cfg(all(target_os = "linux", feature = "sandbox"))]
mod keeper;
#[cfg(target_os = "linux")]
mod leash;
mod limits;
mod report;
mod runner;
mod shell;
mod sweep;
#[cfg(target_os = "linux")]
mod told;
mod verified_copy;

pub use confinement::Confinement;
#[cfg(all(target_os = "linux", feature = "sandbox"))]
pub use helper::helper;
pub use limits::Limits;
pub use runner::{Call, ENVIRONMENT, Runner};
pub use shell::Shell;
#[cfg(all(target_os = "linux", feature = "sandbox"))]
pub use told::HOLD;
