//! Sources in shared libraries that somebody else compiled.
//!
//! ```no_run
//! use repertoire_core::Source;
//! use repertoire_source_plugin::{PluginOptions, PluginSource};
//!
//! # async fn compose() -> Result<(), Box<dyn std::error::Error>> {
//! let digest = "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08".parse()?;
//! let acme = PluginSource::load("acme", PluginOptions::new("/opt/acme/libacme.so").pinned(digest)).await?;
//! println!("{} skills", acme.list().await?.len());
//! # Ok(())
//! # }
//! ```
//!
//! # For hosts
//! A library runs with all your rights, and its constructors run when it is loaded: loading is running. So nothing is loaded
//! that was not approved as it is: a digest is [pinned](PluginOptions::pinned), or [`Approvals`] has it; the path alone
//! approves nothing, and plugins are never searched for. A plugin that you do not trust that far runs in a process of
//! its own ([`PluginSource::contained`]): it can crash there, and be ended.
//!
//! A registry composes a plugin with `Mount::plugin`: last in precedence, and restricted. Its name is the one that you give
//! it.
//!
//! # For authors of plugins
//! `repertoire-plugin-sdk` is what you depend on. [`Inspection`] tells what a host reads of your file before it runs.
//!
//! # For whoever changes this crate
//! Foreign code is called in `library.rs` alone, on threads that nobody waits for (`desk.rs`); what it sends is read in
//! `reader.rs`, which believes nothing. `lodging.rs` decides which code runs. What threads hand to each other goes
//! through `desk.rs`, `calls.rs` and `room.rs`: `tests/model` tries the orders in which that can happen.
#![allow(unsafe_code)]

mod approvals;
#[cfg(unix)]
mod calls;
mod copy;
mod dependencies;
mod desk;
mod error;
mod file;
#[cfg(unix)]
mod frame;
mod guest;
#[cfg(unix)]
mod host;
mod inspection;
mod library;
mod lodging;
mod options;
mod own_file;
#[cfg(unix)]
mod process;
mod reader;
mod room;
mod source;
mod sync;
mod visit;

/// Here, and not in `desk.rs`: the models have that file too.
#[cfg(test)]
#[path = "desk/tests.rs"]
mod desk_tests;

/// The tutorial, so that its code is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/writing-a-plugin.md")]
struct WritingAPlugin;

pub use approvals::{Approval, Approvals};
pub use error::PluginError;
#[cfg(unix)]
pub use host::plugin_host;
pub use inspection::Inspection;
pub use options::{Containment, PluginOptions, ProcessOptions};
pub use own_file::{make_own_folder, read_own_file};
pub use source::PluginSource;
