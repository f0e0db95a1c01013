//! A source of skills that another MCP server serves.
//!
//! ```no_run
//! use repertoire_core::Source;
//! use repertoire_source_mcp::{McpOptions, McpSource};
//!
//! # async fn compose() -> Result<(), Box<dyn std::error::Error>> {
//! let acme = McpSource::new("acme", McpOptions::url("https://skills.acme.example/mcp"))?;
//! println!("{} skills", acme.list().await?.len());
//! # Ok(())
//! # }
//! ```
//!
//! # For hosts
//! The server is a program that the source starts ([`McpOptions::command`]) or an address that it connects to
//! ([`McpOptions::url`]). Both come from the host's configuration alone. Compose the source with
//! `Mount::plugin(..).namespaced()`: last in precedence, restricted, and under a name that the host chooses.
//!
//! A digest proves that the bytes that are read are the bytes that were listed. It does not prove that they are harmless: a
//! server may list any content and change it at any time. A change is reported as one, so an approval that is bound to a
//! digest has to be given again.
//!
//! # Inside this crate
//! - `connection.rs` sends requests, over a [`Connection`](repertoire_mcp_servers::Connection).
//! - `listing_method.rs` has the three ways to list skills, and the limits of lists.
//! - `listed_skill.rs` and `front_matter.rs` check what a server lists.
//! - `listing_cache.rs` keeps the last listing. `source.rs` reads files and verifies them.
//!
//! Text of a server passes `listed_skill::excerpt` before it is part of a message.
#![cfg_attr(docsrs, feature(doc_cfg))]

mod connection;
mod error;
mod front_matter;
mod listed_skill;
mod listing_cache;
mod listing_method;
mod options;
mod revision_signal;
mod source;

pub use options::{BearerToken, McpLimits, McpOptions, Unverified};
pub use source::McpSource;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
