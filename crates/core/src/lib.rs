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

mod attachable;
mod code;
mod declared;
mod delta;
mod diagnostic;
mod digest;
mod gate;
mod id;
mod injection;
mod item;
mod listing;
mod name;
mod resource;
mod skill;
pub mod skill_md;
mod source;
mod source_error;
mod surface;
mod surface_rules;
mod value;

pub use attachable::{Attachable, RawSkill};
pub use code::{Code, Severity, Strictness};
pub use delta::{Delta, DeltaError, Splice};
pub use diagnostic::Diagnostic;
pub use digest::{Digest, InvalidDigest, Stamp};
pub use gate::{Gate, ToolPolicy};
pub use id::{Id, InvalidId};
pub use injection::{Content, Flavor, Injection, InvalidInjection, Message, NotASkill, Role, Slot, ToolSpec, Trigger};
pub use item::Item;
pub use listing::{Listed, Listing, Revision};
pub use name::NameFault;
pub use resource::{InvalidResourcePath, Resource, ResourcePath};
pub use skill::{Category, Check, FunctionalTier, InvokeLevel, OnError, Skill, SkillTrigger, WorkflowStep};
pub use source::{Body, Source};
pub use source_error::{SourceError, SourceErrorKind};
pub use surface::{DecidedBy, Model, Surface, SurfaceMode, SurfacePolicy, UnknownSurfaceMode};
pub use surface_rules::{ModelPattern, SurfaceRule, SurfaceRules};
pub use value::{Scalar, Value};

/// Re-exported for implementors of [`Source`].
pub use async_trait::async_trait;
/// Re-exported: the bytes of a resource.
pub use bytes::Bytes;
