//! One merging registry over any number of sources.
//!
//! ```
//! use repertoire_core::Skill;
//! use repertoire_registry::{MemorySource, Mount, Registered, SkillRegistry};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let source = |name: &str, about: &str| -> Result<_, Box<dyn std::error::Error>> {
//!     let source = MemorySource::new(name);
//!     source.register(Registered::new(Skill::new("review".parse()?, about), "Read the tests first."))?;
//!     Ok(source)
//! };
//! let registry = SkillRegistry::builder()
//!     .mount(Mount::plugin(source("acme", "Acme's way.")?).namespaced())
//!     .user(source("home", "My way.")?)
//!     .builtin(source("agent", "The agent's way.")?)
//!     .load()
//!     .await?;
//!
//! let snapshot = registry.snapshot();
//! let ids: Vec<_> = snapshot.entries().iter().map(|entry| entry.id.as_str()).collect();
//! assert_eq!(ids, ["review", "acme:review"]);
//! assert_eq!(snapshot.resolve("home:review")?.candidate.item.description.as_ref(), "My way.");
//! # Ok(())
//! # }
//! ```
//!
//! # For hosts
//! - [`Registry::builder`] composes sources. [`load`](Builder::load) starts nothing. [`start`](Builder::start) follows changes in
//!   one task on your runtime until [`close`](Registry::close).
//! - Readers take a [`Snapshot`] and never wait. [`Registry::subscribe`] and [`Registry::on_change`] report each [`Change`].
//! - [`register`](Registry::register) adds entries in code, which are visible at once.
//! - [`add_source`](Registry::add_source), [`remove_source`](Registry::remove_source),
//!   [`replace_source`](Registry::replace_source) and [`recompose`](Registry::recompose) change the composition at run time.
//! - [`RuleStack`] disable and enable entries ([`set_rules`](Registry::set_rules)).
//! - [`Registry::overlay`] gives a session sources, entries and rules of its own.
//!
//! Each of these publishes one snapshot.
//!
//! # For authors of sources
//! The registry compares your listings and resolves conflicts. Submit a [`SourceKind`], and configuration files can name your
//! source.
//!
//! # For contributors
//! [`merge`] defines the result. Property tests show that every faster path gives an equal snapshot. The crate is generic over
//! the kind of item. [`SkillRegistry`] is the one for skills.
#![cfg_attr(docsrs, feature(doc_cfg))]

mod builder;
mod callbacks;
mod change;
mod composition;
mod deferred;
mod denial;
mod diagnostics;
mod entry;
mod error;
mod follow;
mod index;
mod kind;
mod layer;
mod layers;
mod listener;
mod lookup;
mod memory;
mod merge;
mod mount;
mod reason;
mod recompose;
mod refresh;
mod registry;
mod rules;
mod signals;
mod snapshot;
mod snapshot_builder;
mod subscription;
mod summary;
mod tier;
mod view;
mod worker;

pub use builder::Builder;
pub use change::{Cause, Change, DiagnosticChange, Modified};
pub use deferred::DeferredSource;
pub use diagnostics::SourceDiagnostic;
pub use entry::{Candidate, Entry, Shadow};
pub use error::RegistryError;
pub use kind::{SourceConfig, SourceKind, SourceKinds};
pub use layer::Layer;
pub use listener::{CallbackGuard, Update};
pub use lookup::Found;
pub use memory::{MemorySource, Registered};
pub use merge::merge;
pub use mount::Mount;
pub use registry::{Registry, SkillRegistry};
pub use rules::{Authority, RuleSet, RuleStack, Target};
pub use snapshot::Snapshot;
pub use subscription::Subscription;
pub use summary::{ChangeKind, ChangeLine, Summary};
pub use tier::{Origin, Status, Tier};

// The other crates of the workspace and tests share it, as they do hidden methods. It is not a public interface.
#[doc(hidden)]
pub use merge::merge_under;

/// Re-exported for [`SourceKind`]: `inventory::submit!`.
pub use inventory;

/// Re-exported: the error of a [`SourceKind`].
pub use repertoire_core::ConfigError;
/// Re-exported: part of a [`Mount`].
pub use repertoire_core::Trust;

/// The tutorial, so that its code is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/writing-a-source.md")]
struct WritingASource;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
