//! The vocabulary of skills for AI agents.
//!
//! This crate has no I/O, no clock and no runtime. It says what a [`Skill`] is, how a `SKILL.md`
//! file is read ([`skill_md`]), where a body goes for which model ([`SurfaceRules`]), and what a
//! [`Source`] of skills promises.
//!
//! ```
//! use repertoire_core::{Model, SurfaceMode, SurfacePolicy, skill_md};
//!
//! let text = b"---\nname: tidy-up\ndescription: Sorts a folder.\n---\nSort it.\n";
//! let parsed = skill_md::parse(text, skill_md::Site::new("tidy-up/SKILL.md").in_directory("tidy-up"));
//! let skill = parsed.skill.ok_or("no skill")?;
//! assert_eq!(skill.id.as_str(), "tidy-up");
//!
//! let surface = SurfacePolicy::default().resolve(skill.surface, &Model::new("anthropic", "claude-sonnet-4-5"));
//! assert_eq!(surface.mode, SurfaceMode::Both);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # For hosts
//! You will mostly meet these types through `repertoire-registry`. What you decide with them: where bodies go
//! ([`SurfacePolicy`], [`SurfaceRules`]), what to make of a finding ([`Diagnostic`], [`Code`]), and which fields of
//! a skill you honour. Fields that decide about rights are public fields of [`Skill`]; everything else is kept
//! verbatim, with typed views for what is commonly used.
//!
//! # For authors of sources
//! Implement [`Source`]; its documentation lists every promise. [`Listing::new`] keeps ids unique,
//! [`SourceError`] has the few kinds that callers branch on, [`Code::foreign`] makes codes of your own. Sources that
//! read `SKILL.md` call [`skill_md::head`] to learn how much to read, and [`skill_md::parse_with`] on that.
//!
//! # For plugin authors
//! The same trait is what a plugin implements; nothing in this crate needs a runtime or does I/O.
//!
//! # For whoever changes this crate
//! It knows no other crate, and `clippy.toml` keeps files, processes, environment and clock out. Parsing never fails: it gives
//! a skill or none, and coded findings; what cannot be read may limit a skill and never frees it. The laws of the parser and of the
//! formatter are in `tests/laws`, for property tests and for the fuzz targets alike; an input that broke one goes to
//! `tests/fuzz-inputs` and stays. The feature `schema` derives JSON schemas of what is serialised.

mod attachable;
mod backoff;
mod causes;
mod chunked;
mod code;
mod declared;
mod diagnostic;
mod digest;
mod gate;
mod id;
mod injection;
mod item;
mod json_values;
mod listing;
mod manifest;
mod name;
mod omission;
mod resource;
mod skill;
pub mod skill_md;
pub mod skill_uri;
mod skipped_file;
mod skipped_folder;
mod source;
mod source_error;
mod surface;
mod surface_rules;
pub mod text;
mod tool_pattern;
mod trust;
mod value;

pub use attachable::{Attachable, RawSkill};
pub use backoff::Backoff;
pub use causes::with_causes;
pub use chunked::{ChunkedMap, ChunkedVec, Keyed};
pub use code::{Code, Severity, Strictness};
pub use diagnostic::Diagnostic;
pub use digest::{Digest, InvalidDigest, Stamp};
pub use gate::{Gate, ToolPolicy};
pub use id::{Id, InvalidId};
pub use injection::{Content, Flavor, Injection, InvalidInjection, Message, NotASkill, Role, Slot, ToolSpec, Trigger};
pub use item::Item;
pub use json_values::JsonValues;
pub use listing::{Listed, Listing, Moved, Parts, Revision};
pub use manifest::{FileChange, InvalidManifest, Manifest};
pub use name::NameFault;
pub use omission::{Omission, OmissionReason};
pub use resource::{InvalidResourcePath, Resource, ResourcePath};
pub use skill::{
    Category, Check, FunctionalTier, InvokeLevel, OnError, Skill, SkillTrigger, TriggerFault, WeakKeyword,
    WorkflowFault, WorkflowStep,
};
pub use skipped_file::SkippedFile;
pub use skipped_folder::SkippedFolder;
pub use source::{Body, Source};
pub use source_error::{SourceError, SourceErrorKind};
pub use surface::{DecidedBy, Model, Surface, SurfaceMode, SurfacePolicy, UnknownSurfaceMode};
pub use surface_rules::{ModelPattern, SurfaceRule, SurfaceRules};
pub use tool_pattern::{ToolPattern, UnreadablePattern};
pub use trust::Trust;
pub use value::{Scalar, Value};

/// Re-exported for implementors of [`Source`].
pub use async_trait::async_trait;
/// Re-exported: the bytes of a resource.
pub use bytes::Bytes;
