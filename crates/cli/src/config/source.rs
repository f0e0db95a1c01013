//! One source that a configuration names.

#[cfg(feature = "schema")]
mod schema;

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use repertoire::render::Dialect;
use repertoire::{ConfigError, FsSource, Mount, Skill, SourceConfig, SourceKind, Tier, Trust};
use serde::Deserialize;
use serde_json::Map;

use super::{Home, Section};
use crate::failure::Failure;
use crate::page::Page;
use crate::pool::{Made, Pool};

/// One source that a configuration names, built.
#[derive(Debug)]
pub(crate) struct Declared {
    made: Made,
    common: Common,
    /// Whether it runs other people's code.
    foreign: bool,
    name_span: Range<usize>,
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
    /// By default `user`, and `plugin` for kinds that run other people's code.
    tier: Option<Tier>,
    /// By default `trusted`, and `restricted` in the tier `plugin`.
    trust: Option<Trust>,
    /// Whether its ids are `NAME:ID`.
    #[serde(default)]
    namespaced: bool,
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
        let options = home.expand(options).map_err(|error| section.refuse(&error))?;
        if kind.is_foreign() && common.tier == Some(Tier::Builtin) {
            let message =
                format!("a source of the kind `{}` runs other people's code, and cannot be builtin", kind.name());
            return Err(section.refuse(&ConfigError::in_option("tier", message)));
        }
        let mut config = SourceConfig::new(common.name.clone(), base, options.clone());
        config.state = home.state.clone();
        let made = pool.configured(kind, &config, &options).map_err(|error| section.refuse(&error))?;
        Ok(Declared { made, common, foreign: kind.is_foreign(), name_span: section.span("name") })
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
        let page = Page { name: "--source".to_owned(), text: format!("source = [{text}]") };
        let document = toml_edit::Document::parse(page.text.as_str())
            .map_err(|error| page.failure(error.span().unwrap_or(0..0), error.message()).help(usage))?;
        let item = document.get("source").expect("the text above has this key");
        match Section::each(&page, item)?.as_slice() {
            [section] => Declared::read(section, base, home, pool),
            _ => Err(page.failure(0..page.text.len(), "expected one source").help(usage)),
        }
    }

    pub(crate) fn name(&self) -> &str {
        &self.common.name
    }

    /// The name, and the source itself if it searches folders.
    pub(crate) fn folders(&self) -> Option<(String, Arc<FsSource>)> {
        Some((self.common.name.clone(), Arc::clone(self.made.folders.as_ref()?)))
    }

    /// The name, and the dialect that was declared for it.
    pub(crate) fn dialect(&self) -> Option<(String, Dialect)> {
        Some((self.common.name.clone(), self.common.dialect?))
    }

    pub(super) fn name_span(&self) -> Range<usize> {
        self.name_span.clone()
    }

    /// How the source is composed.
    pub(crate) fn mount(&self) -> Mount<Skill> {
        let usual = if self.foreign { Tier::Plugin } else { Tier::User };
        let mut mount = self.made.mount.clone().at(self.common.tier.unwrap_or(usual));
        if let Some(trust) = self.common.trust.or(self.foreign.then_some(Trust::Restricted)) {
            mount = mount.trust(trust);
        }
        if self.common.namespaced { mount.namespaced() } else { mount }
    }
}
