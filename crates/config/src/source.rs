//! A source that a configuration defines.

use std::path::Path;
use std::sync::Arc;

use repertoire_core::{Skill, Source, Trust};
use repertoire_registry::{ConfigError, Mount, SourceConfig, SourceKind, Tier};
use repertoire_render::Dialect;
use serde::Deserialize;
use serde_json::Map;

use crate::document::{Section, TomlDocument};
use crate::{ConfigurationError, HostSettings};

/// A source that a configuration defines.
#[derive(Debug)]
pub struct ConfiguredSource {
    common: CommonOptions,
    kind: SourceKind,
    config: SourceConfig,
    document: Arc<TomlDocument>,
    /// Its place among the sources of the document.
    index: usize,
}

/// The options of every kind of source.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct CommonOptions {
    /// A source type; `repertoire kinds` lists them.
    kind: String,
    /// Unique, without a colon.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = r"^[^:]*[^:\s][^:]*$")))]
    name: String,
    /// By default `user`, and `plugin` for kinds that load content of other people.
    tier: Option<Tier>,
    /// By default `trusted`, and `restricted` in the tier `plugin`.
    trust: Option<Trust>,
    /// Whether its ids are `NAME:ID`. By default false, except for kinds like `client-plugins`.
    namespaced: Option<bool>,
    /// The placeholder syntax of its bodies; overrides what they declare.
    dialect: Option<Dialect>,
}

const ARGUMENT: &str = "write `--source KIND:NAME` or `--source 'KIND:NAME:key = value, key = value'`, values as in TOML";

const COMMON: [&str; 6] = ["kind", "name", "tier", "trust", "namespaced", "dialect"];

impl ConfiguredSource {
    pub(crate) fn read(
        section: &Section<'_>,
        base: &Path,
        settings: &HostSettings,
        document: &Arc<TomlDocument>,
        index: usize,
    ) -> Result<ConfiguredSource, ConfigurationError> {
        let (common, options): (Map<_, _>, Map<_, _>) = section
            .values
            .clone()
            .into_iter()
            .partition(|(key, _)| COMMON.contains(&key.as_str()));
        let common: CommonOptions = section.typed(common)?;
        let kind = match &settings.kinds {
            Some(kinds) => kinds.find(&common.kind),
            None => SourceKind::find(&common.kind),
        };
        let kind = kind
            .map_err(|error| section.locate(&ConfigError::in_option("kind", error.to_string())))?
            .clone();
        if kind.is_foreign() && common.tier == Some(Tier::Builtin) {
            let message = format!(
                "a source of the kind `{}` loads content of other people, and cannot be builtin",
                kind.name()
            );
            return Err(section.locate(&ConfigError::in_option("tier", message)));
        }
        let options = settings
            .expand(options)
            .map_err(|error| section.locate(&error))?;
        let mut config = SourceConfig::new(common.name.clone(), base, options);
        config.state = settings.state.clone();
        config.variables = Arc::clone(&settings.variables);
        config.supervisor = Arc::clone(&settings.supervisor);
        Ok(ConfiguredSource {
            common,
            kind,
            config,
            document: Arc::clone(document),
            index,
        })
    }

    /// Reads a source from the argument of an option `--source` of a host: `KIND:NAME`, or `KIND:NAME:key = value, key = value`.
    ///
    /// Paths are relative to the folder of `settings`.
    ///
    /// # Errors
    /// [`ConfigurationError`] that points into the argument, written as TOML.
    pub fn from_argument(
        argument: &str,
        settings: &HostSettings,
    ) -> Result<ConfiguredSource, ConfigurationError> {
        let mut parts = argument.splitn(3, ':');
        let (Some(kind), Some(name)) = (parts.next(), parts.next().filter(|name| !name.is_empty()))
        else {
            let error =
                ConfigurationError::new(format!("`--source {argument}` does not name a source"));
            return Err(error.help_with(ARGUMENT));
        };
        let options = parts.next().unwrap_or_default();
        let comma = if options.trim().is_empty() { "" } else { ", " };
        let text = format!("source = [{{ kind = {kind:?}, name = {name:?}{comma}{options} }}]");
        let end = text.len();
        let document = TomlDocument::parse("--source", text, true)
            .map_err(|error| error.help_with(ARGUMENT))?;
        let document = Arc::new(document);
        match document.sources()?.as_slice() {
            [section] => ConfiguredSource::read(section, &settings.folder, settings, &document, 0),
            _ => Err(document
                .error(0..end, "expected one source")
                .help_with(ARGUMENT)),
        }
    }

    /// Returns the name.
    pub fn name(&self) -> &str {
        &self.common.name
    }

    /// Returns the kind.
    pub fn kind(&self) -> &SourceKind {
        &self.kind
    }

    /// Returns what [`SourceKind::build`] takes, for a host that builds the sources of some kinds itself.
    pub fn config(&self) -> &SourceConfig {
        &self.config
    }

    /// Returns the placeholder syntax of its bodies, if the configuration sets one, for the renderer of the host.
    pub fn dialect(&self) -> Option<Dialect> {
        self.common.dialect
    }

    /// Builds its sources, most often one, and mounts them with the tier, trust and namespace of the configuration.
    ///
    /// # Errors
    /// [`ConfigurationError`] for an option that the kind refuses.
    pub fn mounts(&self) -> Result<Vec<Mount<Skill>>, ConfigurationError> {
        let built = self
            .kind
            .build(&self.config)
            .map_err(|error| self.locate(&error))?;
        Ok(built
            .into_iter()
            .map(|source: Arc<dyn Source<Skill>>| self.place(Mount::user(source)))
            .collect())
    }

    /// Sets the tier, trust and namespace of the configuration, for a host that builds the source itself.
    pub fn place(&self, mount: Mount<Skill>) -> Mount<Skill> {
        let is_foreign = self.kind.is_foreign();
        let usual = if is_foreign { Tier::Plugin } else { Tier::User };
        let mut mount = mount.at(self.common.tier.unwrap_or(usual));
        if let Some(trust) = self
            .common
            .trust
            .or(is_foreign.then_some(Trust::Restricted))
        {
            mount = mount.trust(trust);
        }
        if self.common.namespaced.unwrap_or(self.kind.is_namespaced()) {
            mount.namespaced()
        } else {
            mount
        }
    }

    /// Returns the error about one of its options with its place in the file.
    pub fn locate(&self, error: &ConfigError) -> ConfigurationError {
        let sections = self.document.sources().unwrap_or_default();
        match sections.get(self.index) {
            Some(section) => section.locate(error),
            None => ConfigurationError::new(error.message.clone()),
        }
    }
}
