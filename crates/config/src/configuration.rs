//! A configuration file.

#[cfg(feature = "schema")]
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use repertoire_core::{
    Digest, Id, ModelPattern, Skill, SurfaceMode, SurfacePolicy, SurfaceRule, SurfaceRules,
};
use repertoire_registry::{
    Authority, Builder, ConfigError, RegistryError, RuleSet, RuleStack, SkillRegistry, Target,
};
use serde::Deserialize;

use crate::document::{Section, TomlDocument, is_quotable};
use crate::registries::{self, GatewaySettings, RegistrySettings};
use crate::{ConfigurationError, ConfiguredSource, HostSettings, InstallSettings};

/// A configuration file: sources, and the settings of their registry.
///
/// Within a tier, sources come in the order of the file.
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
pub struct Configuration {
    #[cfg_attr(feature = "schema", schemars(skip))]
    document: Arc<TomlDocument>,
    #[cfg_attr(feature = "schema", schemars(rename = "source", default))]
    sources: Vec<ConfiguredSource>,
    #[cfg_attr(feature = "schema", schemars(with = "Option<SurfaceSection>"))]
    surface: SurfacePolicy,
    /// The source that wins a name over every other trusted source.
    #[cfg_attr(
        feature = "schema",
        schemars(rename = "prefer", with = "Option<BTreeMap<String, String>>")
    )]
    preferences: Vec<(Id, String)>,
    #[cfg_attr(feature = "schema", schemars(with = "Option<RulesSection>"))]
    rules: RuleSet,
    #[cfg_attr(feature = "schema", schemars(with = "Option<SearchSection>"))]
    search: SearchFiles,
    #[cfg_attr(
        feature = "schema",
        schemars(with = "Option<crate::registries::RegistriesSection>")
    )]
    registries: RegistrySettings,
    #[cfg_attr(feature = "schema", schemars(with = "Option<GatewaySettings>"))]
    gateway: GatewaySettings,
    #[cfg_attr(feature = "schema", schemars(with = "Option<InstallSettings>"))]
    install: InstallSettings,
}

/// Reads the content that the second file of the host denies.
fn denied_by_policy(settings: &HostSettings) -> Result<Vec<Digest>, ConfigurationError> {
    let Some(file) = settings.policy.as_ref().filter(|file| file.is_file()) else {
        return Ok(Vec::new());
    };
    let settings = HostSettings {
        policy: None,
        ..settings.clone()
    };
    Ok(Configuration::read(file, &settings)?.install.denied)
}

/// Rules that disable skills. The most specific rule decides: `source:id`, then an id, then `source:*`, then `*`.
#[derive(Default, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "Rules")
)]
#[serde(default, deny_unknown_fields)]
struct RulesSection {
    /// Hidden from models and users, and not a candidate for a name.
    disable: Vec<Target>,
    /// Exceptions from `disable`.
    enable: Vec<Target>,
}

/// Files that the search reads.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct SearchFiles {
    /// A folder of example prompts, or one file of them.
    pub examples: Option<PathBuf>,
    /// A file of synonyms.
    pub synonyms: Option<PathBuf>,
}

/// Files that the search reads.
#[derive(Default, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "Search")
)]
#[serde(default, deny_unknown_fields)]
struct SearchSection {
    /// A folder of prompts with the skills that they are right for, or one file of them.
    examples: Option<String>,
    /// A file with words that stand for each other in queries.
    synonyms: Option<String>,
}

/// Rules for the surface of skills, after what the skills declare.
#[derive(Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "Surface")
)]
#[serde(default, deny_unknown_fields)]
struct SurfaceSection {
    /// The surface of skills that declare none.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["system-prompt", "tool-only", "both", "auto"])))]
    mode: String,
    /// The provider to assume if the model names none.
    hint: Option<String>,
    /// The first rule that matches decides.
    rules: Vec<SurfaceRuleRow>,
}

impl Default for SurfaceSection {
    fn default() -> SurfaceSection {
        SurfaceSection {
            mode: "auto".to_owned(),
            hint: None,
            rules: Vec::new(),
        }
    }
}

/// A rule for the surface of skills.
#[derive(Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "Rule")
)]
#[serde(deny_unknown_fields)]
struct SurfaceRuleRow {
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

impl Configuration {
    /// Reads a configuration file. Relative paths in it are relative to its folder.
    ///
    /// # Errors
    /// [`ConfigurationError`] if the file cannot be read, and those of [`parse`](Configuration::parse).
    pub fn read(
        path: impl AsRef<Path>,
        settings: &HostSettings,
    ) -> Result<Configuration, ConfigurationError> {
        let (name, file) = (
            path.as_ref().display().to_string(),
            settings.folder.join(path),
        );
        let text = fs::read_to_string(&file).map_err(|error| {
            ConfigurationError::new(format!("cannot read `{name}`")).caused_by(error)
        })?;
        let base = file.parent().unwrap_or(&settings.folder);
        let is_quotable = is_quotable(&file, &settings.folder);
        Configuration::from_document(
            TomlDocument::parse(&name, text, is_quotable)?,
            base,
            settings,
        )
    }

    /// Parses the text of a configuration. `name` is its name in errors; relative paths are relative to the folder of `settings`.
    ///
    /// No source is built: [`compose`](Configuration::compose) reports options that a kind refuses.
    ///
    /// # Errors
    /// [`ConfigurationError`] for a text that is not TOML, for unknown keys and kinds, and for invalid values.
    pub fn parse(
        name: &str,
        text: impl Into<String>,
        settings: &HostSettings,
    ) -> Result<Configuration, ConfigurationError> {
        Configuration::from_document(
            TomlDocument::parse(name, text.into(), true)?,
            &settings.folder,
            settings,
        )
    }

    fn from_document(
        document: TomlDocument,
        base: &Path,
        settings: &HostSettings,
    ) -> Result<Configuration, ConfigurationError> {
        let document = Arc::new(document);
        let (mut surface, mut preferences) = (SurfacePolicy::default(), Vec::new());
        let mut search = SearchFiles::default();
        let (mut registries, mut has_skills) = (RegistrySettings::defaults(base), false);
        let mut gateway = GatewaySettings::default();
        let mut install = InstallSettings::default();
        let mut rules = RuleSet::new("configuration", Authority::Full);
        for (key, item) in document.items() {
            match key {
                "source" => {}
                "surface" => surface = read_surface(&Section::new(&document, item)?)?,
                "prefer" => preferences = read_preferences(&Section::new(&document, item)?)?,
                "rules" => {
                    let section = Section::new(&document, item)?;
                    let RulesSection { disable, enable } = section.typed(section.values.clone())?;
                    rules = disable.into_iter().fold(rules, RuleSet::disable);
                    rules = enable.into_iter().fold(rules, RuleSet::enable);
                }
                "search" => search = read_search(&Section::new(&document, item)?, base, settings)?,
                "registries" => {
                    let section = Section::new(&document, item)?;
                    has_skills = section.values.contains_key("skills");
                    registries = registries::read(&section, base, settings)?;
                }
                "gateway" => {
                    let section = Section::new(&document, item)?;
                    gateway = section.typed(section.values.clone())?;
                }
                "install" => {
                    let section = Section::new(&document, item)?;
                    install = section.typed(section.values.clone())?;
                }
                _ => {
                    let message = format!(
                        "unknown key `{key}`; expected `[[source]]`, `[surface]`, `[prefer]`, `[rules]`, `[search]`, `[registries]`, `[gateway]` or `[install]`"
                    );
                    return Err(document.error(document.key_span(key), message));
                }
            }
        }
        let policy = denied_by_policy(settings)?;
        let denied = install.denied.iter().chain(&policy).copied();
        rules = denied.fold(rules, RuleSet::deny);
        let sections = document.sources()?;
        if !has_skills && !sections.is_empty() {
            registries.skills.clear();
        }
        let sources = sections
            .iter()
            .enumerate()
            .map(|(index, section)| {
                ConfiguredSource::read(section, base, settings, &document, index)
            })
            .collect::<Result<_, _>>()?;
        Ok(Configuration {
            sources,
            surface,
            preferences,
            rules,
            search,
            registries,
            gateway,
            install,
            document,
        })
    }

    /// Returns the sources in the order of the file.
    pub fn sources(&self) -> &[ConfiguredSource] {
        &self.sources
    }

    /// Returns the policy for installed skills. The [rules](Configuration::rules) have its denied content too.
    pub fn install(&self) -> &InstallSettings {
        &self.install
    }

    /// Returns the rules that disable skills.
    pub fn rules(&self) -> &RuleSet {
        &self.rules
    }

    /// Returns the files that a search reads.
    pub fn search(&self) -> &SearchFiles {
        &self.search
    }

    /// Returns whether the file defines a gateway: it has the table `[gateway]` or `[registries]`.
    // For `repertoire-cli` only.
    #[doc(hidden)]
    pub fn is_of_gateway(&self) -> bool {
        let mut tables = self.document.items();
        tables.any(|(key, _)| matches!(key, "gateway" | "registries"))
    }

    /// Returns the definitions of the registries of a gateway. Other hosts ignore them.
    pub fn registries(&self) -> &RegistrySettings {
        &self.registries
    }

    /// Returns the settings of a gateway. Other hosts ignore them.
    pub fn gateway(&self) -> &GatewaySettings {
        &self.gateway
    }

    /// Builds every source and adds all of the configuration to `builder`.
    ///
    /// The rules replace those of `builder`. A host with rules of its own sets a stack of both afterwards.
    ///
    /// # Errors
    /// [`ConfigurationError`] for an option that the kind of a source refuses.
    pub fn compose(&self, builder: Builder<Skill>) -> Result<Builder<Skill>, ConfigurationError> {
        let mut builder = self.configure(builder);
        for source in &self.sources {
            builder = source.mounts()?.into_iter().fold(builder, Builder::mount);
        }
        Ok(builder)
    }

    /// Adds everything but the sources to `builder`, for a host that builds some of them itself.
    pub fn configure(&self, builder: Builder<Skill>) -> Builder<Skill> {
        let builder = builder
            .rules(RuleStack::new([self.rules.clone()]))
            .surface_policy(self.surface.clone());
        self.preferences
            .iter()
            .fold(builder, |builder, (id, source)| {
                builder.prefer(id.clone(), source)
            })
    }

    /// Returns the error about an option of the table `key` with its place in the file, if the file has it.
    pub fn locate_in(&self, key: &str, error: &ConfigError) -> ConfigurationError {
        let section = self.document.items().find(|(name, _)| *name == key);
        match section.and_then(|(_, item)| Section::new(&self.document, item).ok()) {
            Some(section) => section.locate(error),
            None => ConfigurationError::new(error.message.clone()),
        }
    }

    /// Returns the error of composing a registry with its place in the file, if the file is at fault.
    pub fn locate(&self, error: &RegistryError) -> ConfigurationError {
        match error {
            RegistryError::DuplicateSource { name } | RegistryError::SourceName { name, .. } => {
                let message = match error {
                    RegistryError::DuplicateSource { .. } if name == SkillRegistry::REGISTERED => {
                        format!(
                            "the source name `{name}` is reserved for skills that are registered in code"
                        )
                    }
                    error => error.to_string(),
                };
                match self.sources.iter().rfind(|source| source.name() == name) {
                    Some(source) => source.locate(&ConfigError::in_option("name", message)),
                    None => ConfigurationError::new(message),
                }
            }
            RegistryError::UnknownPreference {
                id, source_name, ..
            } => {
                let is_written = self
                    .preferences
                    .iter()
                    .any(|(key, source)| key == id && source == source_name);
                let section = self.document.items().find(|(key, _)| *key == "prefer");
                match section
                    .and_then(|(_, item)| Section::new(&self.document, item).ok())
                    .filter(|_| is_written)
                {
                    Some(section) => {
                        section.locate(&ConfigError::in_option(id.as_str(), error.to_string()))
                    }
                    None => ConfigurationError::new(error.to_string()),
                }
            }
            _ => ConfigurationError::new(error.to_string()),
        }
    }
}

fn read_surface(section: &Section<'_>) -> Result<SurfacePolicy, ConfigurationError> {
    let SurfaceSection { mode, hint, rules } = section.typed(section.values.clone())?;
    let mut policy = SurfacePolicy::default();
    policy.default = SurfaceMode::declared(&mode)
        .map_err(|error| section.locate(&ConfigError::in_option("mode", error.to_string())))?;
    policy.hint = hint;
    // In reverse, as each rule goes before the earlier ones.
    policy.rules = rules
        .into_iter()
        .rev()
        .fold(SurfaceRules::shipped(), |rules, rule| {
            rules.with(
                SurfaceRule::new(rule.id, rule.mode)
                    .provider(&rule.provider)
                    .model(rule.model),
            )
        });
    Ok(policy)
}

fn read_search(
    section: &Section<'_>,
    base: &Path,
    settings: &HostSettings,
) -> Result<SearchFiles, ConfigurationError> {
    let values = settings.expand(section.values.clone());
    let values = values.map_err(|error| section.locate(&error))?;
    let SearchSection { examples, synonyms } = section.typed(values)?;
    Ok(SearchFiles {
        examples: examples.map(|path| base.join(path)),
        synonyms: synonyms.map(|path| base.join(path)),
    })
}

fn read_preferences(section: &Section<'_>) -> Result<Vec<(Id, String)>, ConfigurationError> {
    let rows = section.values.iter().map(|(key, value)| {
        let id = Id::new(key)
            .map_err(|error| section.document.error(section.span(key), error.to_string()))?;
        let Some(source) = value.as_str() else {
            let message = format!("`{key}`: expected the name of a source, found {value}");
            return Err(section.document.error(section.span(key), message));
        };
        Ok((id, source.to_owned()))
    });
    rows.collect()
}
