//! The configuration file.

mod home;
mod section;
mod source;

#[cfg(feature = "schema")]
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use repertoire::registry::{Authority, ComposeError, ConfigError, RuleSet, Target};
use repertoire::skill::{ModelPattern, SurfacePolicy, SurfaceRule, SurfaceRules};
use repertoire::{Id, SkillRegistry, SurfaceMode};
use serde::Deserialize;
use toml_edit::Document;

pub(crate) use home::Home;
pub(crate) use section::ConfigFile;
pub(crate) use source::{Declared, Plugins};

use crate::failure::Failure;
use crate::source_cache::SourceCache;
use section::Section;

/// A TOML file. Inside a tier, sources come in the order of the file; relative paths are relative to its folder.
#[derive(Debug)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(
        title = "What `repertoire --config FILE` reads",
        extend("$id" = "repertoire/configuration"),
        deny_unknown_fields
    )
)]
pub(crate) struct Config {
    #[cfg_attr(feature = "schema", schemars(skip))]
    file: ConfigFile,
    #[cfg_attr(feature = "schema", schemars(rename = "source", default))]
    pub(crate) sources: Vec<Declared>,
    #[cfg_attr(feature = "schema", schemars(with = "Option<Surface>"))]
    pub(crate) surface: SurfacePolicy,
    /// The source that wins a name over every other trusted source.
    #[cfg_attr(feature = "schema", schemars(rename = "prefer", with = "Option<BTreeMap<String, String>>"))]
    pub(crate) preferences: Vec<Preference>,
    #[cfg_attr(feature = "schema", schemars(with = "Option<Rules>"))]
    pub(crate) rules: RuleSet,
}

/// A name and the source that wins it.
#[derive(Debug)]
pub(crate) struct Preference {
    pub(crate) id: Id,
    pub(crate) source: String,
    span: Range<usize>,
}

/// Rules that disable skills. The most specific rule decides: `source:id`, then an id, then `source:*`, then `*`.
#[derive(Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
struct Rules {
    /// Hidden from models and users, and not a candidate for a name.
    disable: Vec<Target>,
    /// Exceptions from `disable`.
    enable: Vec<Target>,
}

/// Rules for the surface of skills, after what the skills declare.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
struct Surface {
    /// The surface of skills that declare none.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["system-prompt", "tool-only", "both", "auto"])))]
    mode: String,
    /// The provider to assume if the model names none.
    hint: Option<String>,
    /// The first rule that matches decides.
    rules: Vec<Rule>,
}

impl Default for Surface {
    fn default() -> Surface {
        Surface { mode: "auto".to_owned(), hint: None, rules: Vec::new() }
    }
}

/// A rule for the surface of skills.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct Rule {
    /// The name of the rule in output.
    id: String,
    /// In lower case; `*` for every provider.
    #[serde(default = "any_provider")]
    provider: String,
    #[serde(default = "any_model")]
    model: ModelPattern,
    mode: SurfaceMode,
}

fn any_provider() -> String {
    "*".to_owned()
}

fn any_model() -> ModelPattern {
    ModelPattern::Any
}

impl Config {
    /// Parses a configuration file and builds its sources. Relative paths are relative to `base`.
    pub(crate) fn read(file: ConfigFile, base: &Path, home: &Home, cache: &mut SourceCache) -> Result<Config, Failure> {
        let document = Document::parse(file.text()).map_err(|error| {
            // An error at the end of the file has no span.
            file.failure(error.span().unwrap_or(file.text().len()..file.text().len()), error.message())
        })?;
        let (mut sources, mut surface, mut preferences) = (Vec::new(), SurfacePolicy::default(), Vec::new());
        let mut rules = RuleSet::new("configuration", Authority::Full);
        for (key, item) in document.iter() {
            match key {
                "source" => {
                    let sections = Section::each(&file, item)?;
                    let read = sections.iter().map(|section| Declared::read(section, base, home, cache));
                    sources = read.collect::<Result<_, _>>()?;
                }
                "surface" => surface = read_surface(&Section::new(&file, item)?)?,
                "prefer" => preferences = read_preferences(&Section::new(&file, item)?)?,
                "rules" => {
                    let section = Section::new(&file, item)?;
                    let Rules { disable, enable } = section.typed(section.values.clone())?;
                    rules = disable.into_iter().fold(rules, RuleSet::disable);
                    rules = enable.into_iter().fold(rules, RuleSet::enable);
                }
                _ => {
                    let span = document.key(key).and_then(toml_edit::Key::span).unwrap_or(0..0);
                    let message =
                        format!("unknown key `{key}`; expected `[[source]]`, `[surface]`, `[prefer]` or `[rules]`");
                    return Err(file.failure(span, message));
                }
            }
        }
        Ok(Config { sources, surface, preferences, rules, file })
    }

    /// Returns a failure that points to the part of the file that the registry refused.
    pub(crate) fn failure(&self, error: &ComposeError) -> Failure {
        let span = match error {
            ComposeError::DuplicateSource { name } | ComposeError::SourceName { name, .. } => {
                self.sources.iter().rfind(|source| source.name() == name).map(Declared::name_span)
            }
            ComposeError::UnknownSource { id, source_name, .. } => {
                let mut preferences = self.preferences.iter();
                preferences.find(|row| row.id == *id && row.source == *source_name).map(|row| row.span.clone())
            }
            _ => None,
        };
        let message = match error {
            ComposeError::DuplicateSource { name } if name == SkillRegistry::REGISTERED => {
                format!("the source name `{name}` is reserved for skills that are registered in code")
            }
            error => error.to_string(),
        };
        match span {
            Some(span) => self.file.failure(span, message),
            None => Failure::new(message),
        }
    }
}

fn read_surface(section: &Section<'_>) -> Result<SurfacePolicy, Failure> {
    let Surface { mode, hint, rules } = section.typed(section.values.clone())?;
    let mut policy = SurfacePolicy::default();
    policy.default = SurfaceMode::declared(&mode)
        .map_err(|error| section.refuse(&ConfigError::in_option("mode", error.to_string())))?;
    policy.hint = hint;
    // In reverse, as each rule goes before the earlier ones.
    policy.rules = rules.into_iter().rev().fold(SurfaceRules::shipped(), |rules, rule| {
        rules.with(SurfaceRule::new(rule.id, rule.mode).provider(&rule.provider).model(rule.model))
    });
    Ok(policy)
}

fn read_preferences(section: &Section<'_>) -> Result<Vec<Preference>, Failure> {
    let rows = section.values.iter().map(|(key, value)| {
        let span = section.span(key);
        let id = Id::new(key).map_err(|error| section.file.failure(span.clone(), error.to_string()))?;
        let Some(source) = value.as_str() else {
            let message = format!("`{key}`: expected the name of a source, found {value}");
            return Err(section.file.failure(span, message));
        };
        Ok(Preference { id, source: source.to_owned(), span })
    });
    rows.collect()
}
