//! One source that a configuration names.

#[cfg(feature = "schema")]
mod schema;

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use repertoire::render::Dialect;
use repertoire::{
    ClientPlugins, ClientPluginsFindings, ClientPluginsOptions, ConfigError, FsSource, Mount, Skill, SourceConfig,
    SourceKind, Tier, Trust,
};
use serde::Deserialize;
use serde_json::Map;

use super::{Home, Section};
use crate::failure::Failure;
use crate::page::Page;
use crate::pool::{Made, Pool};

/// One source that a configuration names, built.
#[derive(Debug)]
pub(crate) struct Declared {
    sources: Sources,
    common: Common,
    kind: &'static SourceKind,
    name_span: Range<usize>,
}

#[derive(Debug)]
enum Sources {
    Made(Vec<Made>),
    /// Of plugins, which have names of their own.
    Plugins(Box<Plugins>),
}

/// The plugins that were found where a configuration says.
#[derive(Debug)]
pub(crate) struct Plugins {
    pub(crate) options: ClientPluginsOptions,
    pub(crate) found: ClientPlugins,
    base: PathBuf,
}

/// What every `[[source]]` says, whatever its kind.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct Common {
    /// `repertoire kinds` lists them.
    kind: String,
    /// Unique, without a colon.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = r"^[^:]*[^:\s][^:]*$")))]
    name: String,
    /// By default `user`, and `plugin` for kinds that bring what other people made.
    tier: Option<Tier>,
    /// By default `trusted`, and `restricted` in the tier `plugin`.
    trust: Option<Trust>,
    /// Whether its ids are `NAME:ID`. By default not, but for kinds like `client-plugins`.
    namespaced: Option<bool>,
    /// How its bodies spell the places for arguments, whatever they say themselves.
    dialect: Option<Dialect>,
}

const COMMON: [&str; 6] = ["kind", "name", "tier", "trust", "namespaced", "dialect"];

impl Declared {
    /// Builds the source of a section; what is not common to all kinds are options of its kind.
    pub(crate) fn read(section: &Section<'_>, base: &Path, home: &Home, pool: &mut Pool) -> Result<Declared, Failure> {
        let (common, options): (Map<_, _>, Map<_, _>) =
            section.values.clone().into_iter().partition(|(key, _)| COMMON.contains(&key.as_str()));
        let common: Common = section.typed(common)?;
        let kind = SourceKind::find(&common.kind)
            .map_err(|error| section.page.failure(section.span("kind"), error.to_string()))?;
        if kind.is_connecting() && pool.is_reading() {
            let (kind, name) = (kind.name(), &common.name);
            let message = format!(
                "the source `{name}` of the kind `{kind}` would start a program, load a library or open a connection; \
                 this command only reads"
            );
            let failure = section.refuse(&ConfigError::in_option("kind", message));
            return Err(failure.help("`--connect` allows it; trust the configuration first"));
        }
        let options = home.expand(options).map_err(|error| section.refuse(&error))?;
        if kind.is_foreign() && common.tier == Some(Tier::Builtin) {
            let message =
                format!("a source of the kind `{}` brings what other people made, and cannot be builtin", kind.name());
            return Err(section.refuse(&ConfigError::in_option("tier", message)));
        }
        let mut config = SourceConfig::new(common.name.clone(), base, options.clone());
        config.state = home.state.clone();
        config.variables = Arc::clone(&home.variables);
        config.keeper = Arc::clone(&home.keeper);
        let sources = match kind.name() {
            "client-plugins" => Plugins::find(&config).map(|found| Sources::Plugins(Box::new(found))),
            _ => pool.configured(kind, &config, &options).map(Sources::Made),
        };
        let sources = sources.map_err(|error| section.refuse(&error))?;
        Ok(Declared { sources, common, kind, name_span: section.span("name") })
    }

    /// Builds the source of `--source KIND:NAME[:OPTIONS]`, the options being the inside of an inline table.
    pub(crate) fn from_argument(
        argument: &str,
        base: &Path,
        home: &Home,
        pool: &mut Pool,
    ) -> Result<Declared, Failure> {
        let usage = "write `--source KIND:NAME` or `--source 'KIND:NAME:key = value, key = value'`, values as in TOML";
        let mut parts = argument.splitn(3, ':');
        let (Some(kind), Some(name)) = (parts.next(), parts.next().filter(|name| !name.is_empty())) else {
            return Err(Failure::new(format!("`--source {argument}` names no source")).help(usage));
        };
        let options = parts.next().unwrap_or_default();
        let comma = if options.trim().is_empty() { "" } else { ", " };
        let text = format!("{{ kind = {kind:?}, name = {name:?}{comma}{options} }}");
        let page = Page::new("--source", format!("source = [{text}]"));
        let document = toml_edit::Document::parse(page.text())
            .map_err(|error| page.failure(error.span().unwrap_or(0..0), error.message()).help(usage))?;
        let item = document.get("source").expect("the text above has this key");
        match Section::each(&page, item)?.as_slice() {
            [section] => Declared::read(section, base, home, pool),
            _ => Err(page.failure(0..page.text().len(), "expected one source").help(usage)),
        }
    }

    pub(crate) fn name(&self) -> &str {
        &self.common.name
    }

    /// The name, and the dialect that was declared for it.
    pub(crate) fn dialect(&self) -> Option<(String, Dialect)> {
        Some((self.common.name.clone(), self.common.dialect?))
    }

    pub(super) fn name_span(&self) -> Range<usize> {
        self.name_span.clone()
    }

    /// The sources as they are composed; `plugins` makes those of plugins.
    pub(crate) fn mounts(&self, plugins: impl FnOnce(&str, &Plugins) -> Vec<Made>) -> Vec<Mount<Skill>> {
        let made = match &self.sources {
            Sources::Made(made) => made.clone(),
            Sources::Plugins(found) => plugins(self.name(), found),
        };
        made.into_iter().map(|made| self.composed(made.mount)).collect()
    }

    /// The sources that search folders, but for those of plugins.
    pub(crate) fn folders(&self) -> Option<(String, Arc<FsSource>)> {
        let Sources::Made(made) = &self.sources else { return None };
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
        let options: ClientPluginsOptions = config.options()?;
        Ok(Plugins { found: options.find(&config.base), options, base: config.base.clone() })
    }

    /// The source called `name` that tells what is wrong or odd there.
    pub(crate) fn findings(&self, name: &str) -> ClientPluginsFindings {
        self.options.findings(name, &self.base, self.found.clone())
    }
}
