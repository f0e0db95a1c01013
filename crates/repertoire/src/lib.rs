//! Skills for AI agents, from any source, merged by declared priority, and put where each model reads them best.
//!
//! This crate is the whole library under one name; every item has this one path.
//!
//! ```
//! use repertoire::{FsSource, MemorySource, Model, Registered, Skill, SkillRegistry, SurfaceMode};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let home = tempfile::tempdir()?;
//! # std::fs::create_dir(home.path().join("tidy"))?;
//! # std::fs::write(home.path().join("tidy/SKILL.md"), "---\nname: tidy\ndescription: Sorts a folder my way.\n---\nSort it.\n")?;
//! let builtin = MemorySource::named("builtin");
//! builtin.register(Registered::new(Skill::new("tidy".parse()?, "Sorts a folder."), "Sort it by name."))?;
//!
//! let registry = SkillRegistry::builder()
//!     .builtin(builtin)
//!     .user(FsSource::new("home", home.path()))
//!     .load()
//!     .await?;
//!
//! // The builtin one wins; the user's stays readable under its full name.
//! let tidy = registry.get("tidy").ok_or("no skill")?;
//! assert_eq!(tidy.shadows[0].claim.qualified_id().as_str(), "home:tidy");
//! assert_eq!(registry.body(&tidy.claim).await?.text.as_ref(), "Sort it by name.");
//!
//! // Where the body goes depends on the model, and the answer says who decided.
//! let surface = registry.surface(&tidy, &Model::new("anthropic", "claude-sonnet-4-5"));
//! assert_eq!(surface.mode, SurfaceMode::Both);
//! assert_eq!(surface.decided_by.to_string(), "rule claude-3.5-or-later");
//! # Ok(())
//! # }
//! ```
//!
//! # For hosts
//! Compose sources with [`SkillRegistry::builder`]; [`load`](Builder::load) once, or [`start`](Builder::start) to keep up with
//! changes. Readers take a [`Snapshot`] and never wait.
//!
//! # For authors of sources
//! Implement [`Source`], and submit a [`SourceKind`] to [`inventory`] so that configuration files can name it.
//!
//! # Features
//! | feature | brings |
//! |---|---|
//! | `fs` | folder trees as a source, and the kinds `fs` and `client-plugins` for configuration files |
//! | `static` | skills compiled into the program |
//! | `engine` | catalogs, tools and what else puts skills before a model; brings `render` |
//! | `plugin` | sources in shared libraries, and the kinds `plugin` and `process` for configuration files |
//! | `mcp-client` | skills of other MCP servers, and the kind `mcp` for configuration files |
//! | `render` | bodies as text: variables and arguments, in the module [`render`] |
//! | `process` | running the commands and scripts of bodies, where a host switches that on |
//! | `exact-tokens` | tokens counted by published vocabularies, beside the estimates |
//! | `sandbox` | confining what is run, on Linux |
//! | `inventory` | `StaticList::collected` and `assert_complete!`: skills of linked crates, declared with `declare_skill!` |
//! | `schema` | JSON schemas of what is serialised, by `schemars` |
//!
//! `fs`, `static`, `engine` and `render` are on by default.
//!
//! # For whoever changes this crate
//! It holds no code of its own but the kinds that configuration files know. A crate is re-exported whole, so a name may
//! be taken once among all of them; each feature is built alone by `cargo xtask test`. The code of the README and of the book is
//! compiled and run with this documentation.

#[cfg(all(doctest, feature = "engine", feature = "fs", feature = "render", feature = "static"))]
mod book;
#[cfg(feature = "fs")]
mod kinds;
#[cfg(feature = "mcp-client")]
mod mcp_kind;
#[cfg(feature = "plugin")]
mod plugin_kinds;

pub use repertoire_core::*;
#[cfg(feature = "engine")]
pub use repertoire_engine::*;
pub use repertoire_registry::*;
/// From a body to text: everything of `repertoire-render`.
#[cfg(feature = "render")]
pub use repertoire_render as render;
#[cfg(feature = "fs")]
pub use repertoire_source_fs::*;
#[cfg(feature = "mcp-client")]
pub use repertoire_source_mcp::*;
#[cfg(feature = "plugin")]
pub use repertoire_source_plugin::*;
#[cfg(feature = "static")]
pub use repertoire_source_static::*;

#[cfg(feature = "fs")]
pub use kinds::configured_folders;
#[cfg(feature = "plugin")]
pub use plugin_kinds::approvals_in;
