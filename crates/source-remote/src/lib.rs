//! A source of the skills of a web server or an OCI registry.
//!
//! ```no_run
//! use repertoire_core::Source;
//! use repertoire_source_remote::{RemoteOptions, RemoteSource};
//!
//! # async fn compose() -> Result<(), Box<dyn std::error::Error>> {
//! let acme = RemoteSource::new("acme", RemoteOptions::new("https://skills.acme.example".parse()?))?;
//! println!("{} skills", acme.list().await?.len());
//! # Ok(())
//! # }
//! ```
//!
//! # For hosts
//! The source reads what `repertoire add` would install, with the same checks: files have the digests that the index or the manifest
//! states, archives are unpacked in memory, and private addresses are refused. Compose it with `Mount::plugin(..).namespaced()`: last in
//! precedence, restricted, and under a name that the host chooses.
//!
//! With a [cache folder](RemoteOptions::cache) the last content is on the disk. If the server cannot be reached, that content is
//! verified and listed, with the diagnostic [`OFFLINE`].
//!
//! # Inside this crate
//! - `source.rs` fetches, and compares what was fetched.
//! - `offline.rs` writes the last content into a store, and reads it again.
#![cfg_attr(docsrs, feature(doc_cfg))]

mod offline;
mod options;
mod source;

pub use options::RemoteOptions;
pub use source::{OFFLINE, REFUSED, RemoteSource, UNSTORED};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
