//! The SDK for plugins: sources of skills in shared libraries.
//!
//! A plugin depends on this crate only. Implement [`Source<Skill>`](Source), or [`Documents`] for `SKILL.md` texts without a runtime.
//! Implement [`Open`], which makes the source from its configuration, and export the type:
//!
//! ```
//! use repertoire_plugin_sdk::message::{DocumentBody, DocumentListing, DocumentRow};
//! use repertoire_plugin_sdk::{Documents, Open, PluginConfig, SourceError, export_documents};
//!
//! /// One skill, for the person in the configuration.
//! struct Greeting(String);
//!
//! #[derive(serde::Deserialize)]
//! struct Options {
//!     whom: String,
//! }
//!
//! impl Open for Greeting {
//!     fn open(config: &PluginConfig) -> Result<Greeting, SourceError> {
//!         let Options { whom } = config.options()?;
//!         Ok(Greeting(format!("---\nname: greet\ndescription: Greets {whom}.\n---\nSay hello to {whom}.\n")))
//!     }
//! }
//!
//! impl Documents for Greeting {
//!     const FEATURES: &'static str = "";
//!
//!     fn list(&self) -> Result<DocumentListing, SourceError> {
//!         Ok(DocumentListing::new(0, [DocumentRow::new("greet", &self.0, &self.0)]))
//!     }
//!
//!     fn body(&self, _: &str) -> Result<DocumentBody, SourceError> {
//!         Ok(DocumentBody::document(&self.0, &self.0))
//!     }
//! }
//!
//! export_documents!(Greeting);
//! # fn main() {}
//! ```
//!
//! # For authors of plugins
//! The crate type is `cdylib`. What a plugin sends is data: the host checks ids and limits, escapes text, and decides the name of the
//! source, its tier and the rights of its skills. `docs/writing-a-plugin.md` is the tutorial, and [`message`] has all messages.
//!
//! # For authors in other languages
//! `include/repertoire_plugin.h`, generated from `src/abi.rs`, is the boundary: one function that returns a table of functions, and
//! messages in JSON.
//!
//! # The boundary
//! - Only bytes and numbers cross it: no Rust type, allocator, runtime or static.
//! - The maker of bytes owns them: a request is valid during the call, and a reply is freed by `free_buffer`.
//! - A panic is caught, and is an error of the call.
//! - Hosts and plugins of one major version are compatible. Tables and messages only grow, and unknown members are ignored.
#![allow(unsafe_code)]

// `include/repertoire_plugin.h` documents it. Hosts and the macros share it.
#[doc(hidden)]
pub mod abi;
mod asynchronous;
mod bridge;
mod config;
mod documents;
mod export;
mod front_matter;
pub mod message;

pub use asynchronous::Asynchronous;
pub use config::{Open, PluginConfig};
pub use documents::{Documents, Pause};

/// The types of sources.
pub use repertoire_core::*;
/// The crates that deserialize options.
pub use serde;
pub use serde_json;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
