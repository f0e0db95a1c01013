//! Agent Skills from any source, merged by priority, and placed where each model reads them best.
//!
//! This crate is the whole library under one name. The root has the names that most hosts use; the modules have the rest.
//!
//! ```
//! use repertoire::{FsSource, MemorySource, Model, Registered, Skill, SkillRegistry, SurfaceMode};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let home = tempfile::tempdir()?;
//! # std::fs::create_dir(home.path().join("tidy"))?;
//! # std::fs::write(home.path().join("tidy/SKILL.md"), "---\nname: tidy\ndescription: Sorts a folder my way.\n---\nSort it.\n")?;
//! let builtin = MemorySource::new("builtin");
//! builtin.register(Registered::new(Skill::new("tidy".parse()?, "Sorts a folder."), "Sort it by name."))?;
//!
//! let registry = SkillRegistry::builder()
//!     .builtin(builtin)
//!     .user(FsSource::new("home", home.path()))
//!     .load()
//!     .await?;
//!
//! // The builtin skill wins; the skill of the user is readable under its full name.
//! let tidy = registry.get("tidy").ok_or("no skill")?;
//! assert_eq!(tidy.shadows[0].candidate.qualified_id().as_str(), "home:tidy");
//! assert_eq!(registry.body(&tidy.candidate).await?.text.as_ref(), "Sort it by name.");
//!
//! // The surface of the body depends on the model; the result names the rule that decided.
//! let surface = registry.surface_of(tidy.item(), &Model::from("anthropic/claude-sonnet-4-5"));
//! assert_eq!(surface.mode, SurfaceMode::Both);
//! assert_eq!(surface.decided_by.to_string(), "rule claude-3.5-or-later");
//! # Ok(())
//! # }
//! ```
//!
//! Examples on the pages of re-exported items import the crates that define them. `repertoire_core` is [`skill`] here,
//! `repertoire_registry` is [`registry`], and the modules of `repertoire_engine` are at the root. In the same way,
//! `repertoire_permission` is [`permission`], and `repertoire_search` is [`search`].
//!
//! # Hosts
//! Compose sources with [`SkillRegistry::builder`]; [`load`](registry::Builder::load) once, or
//! [`start`](registry::Builder::start) to follow changes. Readers take a [`Snapshot`](registry::Snapshot) and never wait.
//!
//! # Authors of sources
//! Implement [`Source`](skill::Source), and submit a [`SourceKind`](registry::SourceKind) to
//! [`inventory`](registry::inventory) so that configuration files can name it.
//!
//! # Features
//! | feature | content |
//! |---|---|
//! | `fs` | folder trees as a source, and the kinds `fs` and `client-plugins` for configuration files |
//! | `static` | skills compiled into the program |
//! | `config` | the configuration file `repertoire.toml`; enables `render` |
//! | `engine` | catalogs, tools and sessions; enables `render` |
//! | `notify` | [`WatchBy::Notify`](source::fs::WatchBy) on Linux: events of folders as the crate `notify` reports them |
//! | `plugin` | sources in shared libraries, and the kinds `plugin` and `process` for configuration files |
//! | `remote` | skills of web servers and OCI registries, and the kinds `http` and `oci` for configuration files |
//! | `mcp-client` | skills of other MCP servers, and the kind `mcp` for configuration files |
//! | `render` | bodies as text: variables and arguments |
//! | `process` | running the commands and scripts of bodies, if a host allows it |
//! | `exact-tokens` | token counts by published vocabularies, besides the estimates |
//! | `sandbox` | confinement of commands, on Linux |
//! | `inventory` | `StaticList::collected` and the kind `static` for configuration files: skills that linked crates declare |
//! | `schema` | JSON schemas of serialized types, by `schemars` |
//!
//! `fs`, `static`, `engine` and `render` are enabled by default.
//!
//! # Contributing
//! This crate only has the kinds of sources for configuration files and re-exports. The code of the README and of the book is
//! compiled and run with this documentation.
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(all(
    doctest,
    feature = "config",
    feature = "engine",
    feature = "fs",
    feature = "render",
    feature = "static"
))]
mod book;
mod kinds;

pub use repertoire_core::{Id, Model, Skill, SurfaceMode, Trust};
#[cfg(feature = "engine")]
pub use repertoire_engine::catalog::{Budget, Catalog, CatalogOptions};
#[cfg(feature = "engine")]
pub use repertoire_engine::session::{Session, SessionOptions};
#[cfg(feature = "engine")]
pub use repertoire_engine::tools::{Renderer, ToolOptions};
pub use repertoire_registry::{MemorySource, Mount, Registered, SkillRegistry};
#[cfg(feature = "fs")]
pub use repertoire_source_fs::FsSource;
#[cfg(feature = "static")]
pub use repertoire_source_static::StaticSource;

/// The configuration file `repertoire.toml`: sources, preferences, rules and surfaces.
#[cfg(feature = "config")]
pub use repertoire_config as config;
/// Skills and their parts: names, diagnostics, surfaces, files, injections and the trait of sources.
pub use repertoire_core as skill;
/// Merging of sources: registries, snapshots, rules and configuration.
pub use repertoire_registry as registry;
/// Bodies as text: variables, arguments, commands and scripts.
#[cfg(feature = "render")]
pub use repertoire_render as render;

/// The sources of this workspace.
pub mod source {
    #[cfg(feature = "fs")]
    pub use crate::kinds::fs::configured_folders;
    #[cfg(feature = "plugin")]
    pub use crate::kinds::plugin::approvals_in;
    /// Folder trees, and the plugins that agents install as folders.
    #[cfg(feature = "fs")]
    pub use repertoire_source_fs as fs;
    /// Skills of other MCP servers.
    #[cfg(feature = "mcp-client")]
    pub use repertoire_source_mcp as mcp;
    /// Sources in shared libraries.
    #[cfg(feature = "plugin")]
    pub use repertoire_source_plugin as plugin;
    /// Skills of web servers.
    #[cfg(feature = "remote")]
    pub use repertoire_source_remote as remote;
    /// Skills compiled into the program.
    #[cfg(feature = "static")]
    pub use repertoire_source_static as statics;
}

#[cfg(feature = "engine")]
pub use repertoire_engine::{catalog, session, tools, trigger, workflow};
/// Visibility of skills, roles, requirements, decisions on tool calls, and pre-approved uses.
#[cfg(feature = "engine")]
pub use repertoire_permission as permission;
/// Full-text search over skills, and its hit rates.
#[cfg(feature = "engine")]
pub use repertoire_search as search;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
