//! Everything that the author of a plugin needs.
//!
//! A plugin is a shared library that brings a *source*: skills from a database, a git host, a registry of a company. This
//! crate is all that it depends on. Implement the ordinary [`Source<Skill>`](Source), or [`Documents`] if `SKILL.md`
//! texts are at hand and no runtime is needed, say with [`Open`] how one is made from its configuration, and export it:
//!
//! ```
//! use repertoire_plugin_sdk::message::{Body, Listing, Row};
//! use repertoire_plugin_sdk::{Config, Documents, Open, SourceError, export_documents};
//!
//! /// One skill, for whoever the configuration names.
//! struct Greeting(String);
//!
//! #[derive(serde::Deserialize)]
//! struct Options {
//!     whom: String,
//! }
//!
//! impl Open for Greeting {
//!     fn open(config: &Config) -> Result<Greeting, SourceError> {
//!         let Options { whom } = config.options()?;
//!         Ok(Greeting(format!("---\nname: greet\ndescription: Greets {whom}.\n---\nSay hello to {whom}.\n")))
//!     }
//! }
//!
//! impl Documents for Greeting {
//!     const FEATURES: &'static str = "";
//!
//!     fn list(&self) -> Result<Listing, SourceError> {
//!         Ok(Listing::new(0, [Row::new("greet", &self.0, &self.0)]))
//!     }
//!
//!     fn body(&self, _: &str) -> Result<Body, SourceError> {
//!         Ok(Body::document(&self.0, &self.0))
//!     }
//! }
//!
//! export_documents!(Greeting);
//! # fn main() {}
//! ```
//!
//! # For authors of plugins
//! `crate-type = ["cdylib"]`, and nothing else. What a plugin sends is data to its host: ids, limits, escaping and findings are
//! the host's, and so is the name of the source, its tier and what its skills may do. `docs/writing-a-plugin.md` leads
//! from an empty folder to a tested plugin; [`message`] is every message there is.
//!
//! # For authors in other languages
//! `include/repertoire_plugin.h` is the boundary: one function that returns a table of functions, and messages in JSON. It
//! is written from [`abi`].
//!
//! # What holds at the boundary
//! - No Rust type, allocator, runtime or static crosses it: bytes and numbers do.
//! - Whoever made bytes, owns them: a request is lent for the length of a call, a reply goes back through `free_buffer`.
//! - A panic is caught before it, and is an error behind it.
//! - Hosts and plugins of one major version understand each other: tables and messages only grow, and what one does not know,
//!   it ignores.
#![allow(unsafe_code)]

pub mod abi;
mod asynchronous;
mod bridge;
mod config;
mod documents;
mod export;
mod front_matter;
pub mod message;
mod pause;

pub use asynchronous::Asynchronous;
pub use config::{Config, Open};
pub use documents::Documents;
pub use pause::Pause;

/// Re-exported: everything that sources are made of.
pub use repertoire_core::*;
/// Re-exported: how options are read.
pub use serde;
pub use serde_json;
