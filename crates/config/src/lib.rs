//! The configuration file `repertoire.toml`, for any host.
//!
//! A file names sources of any linked [kind](repertoire_registry::SourceKind), with tier, trust and namespace. It also has
//! preferences between sources, rules that disable skills, rules for surfaces, and the registries of a gateway. An error points to its
//! line.
//!
//! ```
//! use repertoire_config::{Configuration, HostSettings};
//! use repertoire_registry::SkillRegistry;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # std::fs::write(folder.path().join("repertoire.toml"), "[rules]\ndisable = [\"deploy\"]\n")?;
//! let settings = HostSettings::new(folder.path());
//! let configuration = Configuration::read("repertoire.toml", &settings)?;
//! let builder = configuration.compose(SkillRegistry::builder())?;
//! let registry = builder.load().await.map_err(|error| configuration.locate(&error))?;
//! # assert!(registry.get("deploy").is_none());
//! # Ok(())
//! # }
//! ```
//!
//! # Contributing
//! `docs/cli.md` describes every key. The feature `schema` derives `docs/schema/configuration.json` from the types that are read.
#![cfg_attr(docsrs, feature(doc_cfg))]

mod agent_settings;
mod client_agents;
mod configuration;
mod definition;
mod document;
mod error;
mod install_settings;
mod oauth_settings;
mod registries;
#[cfg(feature = "schema")]
mod schema;
mod settings;
mod source;

pub use agent_settings::AgentSettings;
pub use configuration::{Configuration, SearchFiles};
pub use definition::{
    AgentDefinition, AgentRuntime, Lifecycle, ServerDefinition, ServerStart, ServerTransport,
};
pub use error::ConfigurationError;
pub use install_settings::InstallSettings;
pub use oauth_settings::OAuthSettings;
pub use registries::{GatewaySettings, RegistrySettings};
pub use settings::HostSettings;
pub use source::ConfiguredSource;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
