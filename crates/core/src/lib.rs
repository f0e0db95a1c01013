//! The vocabulary of skills for AI agents.
//!
//! This crate has no I/O, no clock and no runtime. It defines [`Skill`], parses `SKILL.md` files ([`skill_md`]), decides where a
//! body is placed for a model ([`SurfaceRules`]), and defines the contract of a [`Source`].
//!
//! ```
//! use repertoire_core::{Model, SurfaceMode, SurfacePolicy, skill_md};
//!
//! let text = b"---\nname: tidy-up\ndescription: Sorts a folder.\n---\nSort it.\n";
//! let parsed = skill_md::parse(text, skill_md::FileContext::new("tidy-up/SKILL.md").in_directory("tidy-up"));
//! let skill = parsed.skill.ok_or("no skill")?;
//! assert_eq!(skill.id.as_str(), "tidy-up");
//!
//! let surface = SurfacePolicy::default().resolve(skill.surface, &Model::from("anthropic/claude-sonnet-4-5"));
//! assert_eq!(surface.mode, SurfaceMode::Both);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # For hosts
//! Hosts use these types through `repertoire-registry`:
//!
//! - [`SurfacePolicy`] and [`SurfaceRules`] decide where bodies are placed.
//! - [`Diagnostic`] and [`Code`] report what is wrong with a file or a source.
//! - [`Skill`] has public fields for rights. All other fields keep their text, with typed views for common ones.
//!
//! # For authors of sources
//! Implement [`Source`], whose documentation lists every promise. [`Listing::new`] keeps ids unique. [`SourceError`] has the
//! kinds that callers branch on. [`Code::foreign`] creates codes of your own. A source that reads `SKILL.md` calls
//! [`skill_md::find_front_matter_end`] to find out how much to read, then [`skill_md::parse_with`].
//!
//! # For authors of plugins
//! A plugin implements the same trait. Nothing in this crate needs a runtime or does I/O.
//!
//! # For contributors
//! This crate depends on no other crate of the workspace, and `clippy.toml` forbids files, processes, environment and clock.
//! Parsing never fails: it returns a skill or none, with coded diagnostics. A field that cannot be read may limit a skill and
//! never frees it. The laws of the parser and the formatter are in `tests/laws`, for property tests and fuzz targets. An input
//! that broke a law is kept in `tests/fuzz-inputs`. The feature `schema` derives JSON schemas of serialised types.
#![cfg_attr(docsrs, feature(doc_cfg))]

mod attachable;
mod backoff;
mod checked_text;
mod chunked;
mod code;
mod config_error;
mod declared;
mod diagnostic;
mod digest;
mod id;
mod injection;
mod item;
mod json_values;
mod listing;
mod manifest;
mod model;
mod omission;
#[doc(hidden)]
pub mod record;
mod resource;
mod shared_text;
mod skill;
pub mod skill_md;
#[doc(hidden)]
pub mod skill_uri;
mod skipped;
mod source;
mod source_error;
mod surface;
mod surface_mode;
mod surface_rules;
pub mod text;
mod tool_pattern;
mod value;

pub use attachable::{Attachable, RawSkill, ToolPolicies, ToolPolicy};
pub use checked_text::InvalidValue;
pub use code::{Code, Severity, Strictness};
pub use config_error::ConfigError;
pub use diagnostic::Diagnostic;
pub use digest::{Digest, Stamp};
pub use id::Id;
pub use injection::{Content, Flavor, Injection, Message, Role, Slot, ToolSpec, Trigger};
pub use item::Item;
pub use listing::{ChangedParts, ContentDigests, Listing, ListingEntry, Revision};
pub use manifest::Manifest;
pub use model::Model;
pub use omission::{Omission, OmissionReason};
pub use resource::{Resource, ResourcePath};
pub use skill::{Check, FunctionalTier, InvokeLevel, OnError, Skill, SkillTrigger, WorkflowStep};
pub use source::{Body, Source, Trust};
pub use source_error::{SourceError, SourceErrorKind, error_chain};
pub use surface::{DecidedBy, Surface, SurfacePolicy};
pub use surface_mode::SurfaceMode;
pub use surface_rules::{ModelPattern, ModelTest, SurfaceRule, SurfaceRules};
pub use tool_pattern::ToolPattern;
pub use value::{Scalar, Value};

// The other crates of the workspace share these. They are not a public interface.
#[doc(hidden)]
pub use backoff::Backoff;
#[doc(hidden)]
pub use chunked::{ChunkedMap, ChunkedVec, Keyed};
#[doc(hidden)]
pub use json_values::JsonValues;
#[doc(hidden)]
pub use skill::{WeakKeyword, WorkflowFault};
#[doc(hidden)]
pub use skipped::{SkippedFile, SkippedFolder};

/// Re-exported for implementors of [`Source`].
pub use async_trait::async_trait;
/// Re-exported: the bytes of a resource.
pub use bytes::Bytes;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
