//! A source that a configuration defines.

#[cfg(feature = "schema")]
mod schema;

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use repertoire::registry::{ConfigError, SourceConfig, SourceKind, Tier};
use repertoire::render::Dialect;
use repertoire::source::fs::{InstalledPluginDiagnostics, InstalledPluginOptions, InstalledPlugins};
use repertoire::{FsSource, Mount, Skill, Trust};
use serde::Deserialize;
use serde_json::Map;

use super::Home;
use super::section::{ConfigFile, Section};
use crate::failure::Failure;
use crate::source_cache::{CachedSource, SourceCache};

/// A source that a configuration defines.
#[derive(Debug)]
pub(crate) struct Declared {
    sources: Sources,
    common: Common,
    kind: &'static SourceKind,
    name_span: Range<usize>,
}

#[derive(Debug)]
enum Sources {
    Cached(Vec<CachedSource>),
    /// The sources of plugins, whose names are made unique later.
    Plugins(Box<Plugins>),
}

/// The plugins in the folders of a `client-plugins` source.
#[derive(Debug)]
pub(crate) struct Plugins {
    pub(crate) options: InstalledPluginOptions,
    pub(crate) found: InstalledPlugins,
    base: PathBuf,
}

/// The options of every kind of source.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct Common {
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

const COMMON: [&str; 6] = ["kind", "name", "tier", "trust", "namespaced", "dialect"];

impl Declared {
    pub(crate) fn read(
        section: &Section<'_>,
        base: &Path,
        home: &Home,
        cache: &mut SourceCache,
    ) -> Result<Declared, Failure> {
        let (common, options): (Map<_, _>, Map<_, _>) =
            section.values.clone().into_iter().partition(|(key, _)| COMMON.contains(&key.as_str()));
        let common: Common = section.typed(common)?;
        let kind = SourceKind::find(&common.kind)
            .map_err(|error| section.file.failure(section.span("kind"), error.to_string()))?;
        if kind.is_connecting() && cache.is_read_only() {
            let (kind, name) = (kind.name(), &common.name);
            let message = format!(
                "the source `{name}` of the kind `{kind}` starts a program, loads a library or opens a connection; this \
                 command only reads"
            );
            let failure = section.refuse(&ConfigError::in_option("kind", message));
            return Err(failure.help("pass --connect if you trust the configuration"));
        }
        let options = home.expand(options).map_err(|error| section.refuse(&error))?;
        if kind.is_foreign() && common.tier == Some(Tier::Builtin) {
            let message =
                format!("a source of the kind `{}` loads content of other people, and cannot be builtin", kind.name());
            return Err(section.refuse(&ConfigError::in_option("tier", message)));
        }
        let mut config = SourceConfig::new(common.name.clone(), base, options.clone());
        config.state = home.state.clone();
        config.variables = Arc::clone(&home.variables);
        config.supervisor = Arc::clone(&home.supervisor);
        let sources = match kind.name() {
            "client-plugins" => Plugins::find(&config).map(|found| Sources::Plugins(Box::new(found))),
            _ => cache.configured(kind, &config, &options).map(Sources::Cached),
        };
        let sources = sources.map_err(|error| section.refuse(&error))?;
        Ok(Declared { sources, common, kind, name_span: section.span("name") })
    }

    pub(crate) fn from_argument(
        argument: &str,
        base: &Path,
        home: &Home,
        cache: &mut SourceCache,
    ) -> Result<Declared, Failure> {
        let usage = "write `--source KIND:NAME` or `--source 'KIND:NAME:key = value, key = value'`, values as in TOML";
        let mut parts = argument.splitn(3, ':');
        let (Some(kind), Some(name)) = (parts.next(), parts.next().filter(|name| !name.is_empty())) else {
            return Err(Failure::new(format!("`--source {argument}` does not name a source")).help(usage));
        };
        let options = parts.next().unwrap_or_default();
        let comma = if options.trim().is_empty() { "" } else { ", " };
        let text = format!("{{ kind = {kind:?}, name = {name:?}{comma}{options} }}");
        let file = ConfigFile::new("--source", format!("source = [{text}]"), true);
        let document = toml_edit::Document::parse(file.text())
            .map_err(|error| file.failure(error.span().unwrap_or(0..0), error.message()).help(usage))?;
        let item = document.get("source").expect("the text above has this key");
        match Section::each(&file, item)?.as_slice() {
            [section] => Declared::read(section, base, home, cache),
            _ => Err(file.failure(0..file.text().len(), "expected one source").help(usage)),
        }
    }

    pub(crate) fn name(&self) -> &str {
        &self.common.name
    }

    pub(crate) fn dialect(&self) -> Option<(String, Dialect)> {
        Some((self.common.name.clone(), self.common.dialect?))
    }

    pub(super) fn name_span(&self) -> Range<usize> {
        self.name_span.clone()
    }

    pub(crate) fn mounts(&self, plugins: impl FnOnce(&str, &Plugins) -> Vec<CachedSource>) -> Vec<Mount<Skill>> {
        let made = match &self.sources {
            Sources::Cached(made) => made.clone(),
            Sources::Plugins(found) => plugins(self.name(), found),
        };
        made.into_iter().map(|made| self.composed(made.mount)).collect()
    }

    pub(crate) fn folders(&self) -> Option<(String, Arc<FsSource>)> {
        let Sources::Cached(made) = &self.sources else { return None };
        Some((self.common.name.clone(), Arc::clone(made.first()?.folders.as_ref()?)))
    }

    fn composed(&self, mount: Mount<Skill>) -> Mount<Skill> {
        let (foreign, namespaced) = (self.kind.is_foreign(), self.common.namespaced);
        let usual = if foreign { Tier::Plugin } else { Tier::User };
        let mut mount = mount.at(self.common.tier.unwrap_or(usual));
        if let Some(trust) = self.common.trust.or(foreign.then_some(Trust::Restricted)) {
            mount = mount.trust(trust);
        }
        if namespaced.unwrap_or(self.kind.is_namespaced()) { mount.namespaced() } else { mount }
    }
}

impl Plugins {
    fn find(config: &SourceConfig) -> Result<Plugins, ConfigError> {
        let options: InstalledPluginOptions = config.options()?;
        Ok(Plugins { found: options.find(&config.base), options, base: config.base.clone() })
    }

    pub(crate) fn findings(&self, name: &str) -> InstalledPluginDiagnostics {
        self.options.diagnostics_source(name, &self.base, self.found.clone())
    }
}
