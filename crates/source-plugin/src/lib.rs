//! Sources in shared libraries.
//!
//! ```no_run
//! use repertoire_core::Source;
//! use repertoire_source_plugin::{PluginOptions, PluginSource};
//!
//! # async fn compose() -> Result<(), Box<dyn std::error::Error>> {
//! let digest = "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08".parse()?;
//! let acme = PluginSource::new("acme", PluginOptions::new("/opt/acme/libacme.so").pinned(digest));
//! println!("{} skills", acme.list().await?.len());
//! # Ok(())
//! # }
//! ```
//!
//! # For hosts
//! A library runs with the rights of the host, and its constructors run when it is loaded. So only approved content is loaded: its
//! digest is [pinned](PluginOptions::pinned) or in [`PluginApprovals`]. A path alone approves nothing, and plugins are never searched
//! for. [`PluginSource::spawn`] loads a library into a process of its own, where a crash or a hang does not affect the host.
//!
//! A registry composes a plugin with `Mount::plugin`: last in precedence, and restricted. The host chooses its name.
//!
//! # For authors of plugins
//! Depend on `repertoire-plugin-sdk`. [`Inspection`] shows what a host reads of a file before it runs.
//!
//! # Structure
//! - `library` is the only module that calls foreign code; `call_thread` runs it on threads that no caller waits for.
//! - `supervisor` decides which content runs; `slot` holds the current instance; `process` is an instance in its own process.
//! - `reader` and `requests` check what a plugin sends.
//!
//! `tests/model` checks `call_thread`, `pending_calls` and `slot` under many orders of their threads.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![allow(unsafe_code)]

mod approvals;
mod backend;
mod call_thread;
mod copy;
mod dependencies;
mod error;
mod file;
#[cfg(unix)]
mod frame;
#[cfg(unix)]
mod host;
mod inspection;
mod library;
mod options;
#[cfg(unix)]
mod pending_calls;
#[cfg(unix)]
mod process;
mod reader;
mod requests;
mod slot;
mod source;
mod supervisor;

/// The primitives that `tests/model` replaces with those of a scheduler.
mod sync {
    pub(crate) use std::sync::{Arc, mpsc};
    pub(crate) use std::thread;

    pub(crate) use parking_lot::{Mutex, MutexGuard};
}

// Here, because the models include `call_thread.rs`.
#[cfg(test)]
#[path = "call_thread/tests.rs"]
mod call_thread_tests;

/// The tutorial, so that its code is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/writing-a-plugin.md")]
struct WritingAPlugin;

pub use approvals::{PluginApproval, PluginApprovals};
pub use error::PluginError;
#[cfg(unix)]
pub use host::plugin_host;
pub use inspection::Inspection;
pub use options::{PluginOptions, ProcessOptions};
pub use source::PluginSource;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
