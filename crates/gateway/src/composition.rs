//! The compositions of the four registries, from a configuration.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use repertoire::config::{
    AgentDefinition, Configuration, ConfigurationError, ConfiguredSource, ServerDefinition,
};
use repertoire::registry::{Builder, ConfigError, Registry};
use repertoire::skill::{Item, Source};
use repertoire::source::fs::{FileSource, FsOptions};
use repertoire::{FsSource, MemorySource, Mount, Skill, SkillRegistry};
use tokio::runtime::Handle;

use crate::{GatewayError, Registries, WorkflowFile};

/// The name of the sources that `[registries]` defines.
const PROJECT: &str = "project";

/// The compositions of the four registries.
#[derive(Debug)]
pub(crate) struct RegistryComposition {
    skills: Builder<Skill>,
    workflows: Builder<WorkflowFile>,
    agents: Builder<AgentDefinition>,
    mcp_servers: Builder<ServerDefinition>,
    pub(crate) sources: MountCache,
}

/// The sources of a composition by their settings. The next composition reuses those whose settings are the same.
#[derive(Debug, Default, Clone)]
pub(crate) struct MountCache {
    /// The mounts before their tier and trust are set.
    configured: HashMap<String, Vec<Mount<Skill>>>,
    skills: Option<CachedMount<RegistryFiles, Skill>>,
    workflows: Option<CachedMount<RegistryFiles, WorkflowFile>>,
    agents: Option<CachedMount<Vec<AgentDefinition>, AgentDefinition>>,
    mcp_servers: Option<CachedMount<Vec<ServerDefinition>, ServerDefinition>>,
}

/// A mount with the settings that it was made from.
type CachedMount<K, T> = (K, Mount<T>);

/// The folder and the patterns of a search.
type RegistryFiles = (PathBuf, Vec<String>);

impl RegistryComposition {
    /// Composes `configuration`, with the sources of `before` where their settings are the same. Nothing is listed.
    pub(crate) fn new(
        configuration: &Configuration,
        before: &MountCache,
    ) -> Result<RegistryComposition, GatewayError> {
        let settings = configuration.registries();
        let mut skills = configuration.configure(SkillRegistry::builder());
        let mut configured = HashMap::new();
        for source in configuration.sources() {
            let (key, mounts) = configured_mounts(source, &before.configured)?;
            for mount in &mounts {
                skills = skills.mount(source.place(mount.clone()));
            }
            configured.insert(key, mounts);
        }
        let patterns = &settings.workflows;
        let sources = MountCache {
            configured,
            skills: cached_files((configuration, &settings.skills), &before.skills, || {
                project_skills(configuration)
            })?,
            workflows: cached_files((configuration, patterns), &before.workflows, || {
                project_files(
                    configuration,
                    "workflows",
                    patterns,
                    FileSource::from_options,
                )
            })?,
            agents: Some(definitions(&settings.agents, &before.agents)),
            mcp_servers: Some(definitions(&settings.mcp_servers, &before.mcp_servers)),
        };
        Ok(RegistryComposition {
            skills: with_cached(skills, &sources.skills),
            workflows: with_cached(Registry::builder(), &sources.workflows),
            agents: with_cached(Registry::builder(), &sources.agents),
            mcp_servers: with_cached(Registry::builder(), &sources.mcp_servers),
            sources,
        })
    }

    /// Lists every source, and follows changes on `runtime` if the configuration says so.
    pub(crate) async fn start(
        self,
        configuration: &Configuration,
        runtime: &Handle,
    ) -> Result<(Registries, MountCache), GatewayError> {
        let located = |error| configuration.locate(&error);
        let (skills, workflows) = if configuration.gateway().watch {
            tokio::join!(self.skills.start(runtime), self.workflows.start(runtime))
        } else {
            tokio::join!(self.skills.load(), self.workflows.load())
        };
        // The last two hold values, which need not be followed.
        let registries = Registries {
            skills: skills.map_err(located)?,
            workflows: workflows?,
            agents: self.agents.load().await?,
            mcp_servers: self.mcp_servers.load().await?,
        };
        Ok((registries, self.sources))
    }

    /// Replaces the compositions of `registries`, and lists every source again.
    ///
    /// The skills come first, as only their composition can be refused. After a refusal nothing has changed.
    pub(crate) async fn apply(
        self,
        configuration: &Configuration,
        registries: &Registries,
    ) -> Result<MountCache, GatewayError> {
        let composed = registries.skills.recompose(self.skills).await;
        composed.map_err(|error| configuration.locate(&error))?;
        registries.workflows.recompose(self.workflows).await?;
        registries.agents.recompose(self.agents).await?;
        registries.mcp_servers.recompose(self.mcp_servers).await?;
        let (skills, workflows) =
            tokio::join!(registries.skills.refresh(), registries.workflows.refresh());
        skills?;
        workflows?;
        Ok(self.sources)
    }
}

/// Returns the key of `source`, and its mounts before their tier and trust are set.
fn configured_mounts(
    source: &ConfiguredSource,
    before: &HashMap<String, Vec<Mount<Skill>>>,
) -> Result<(String, Vec<Mount<Skill>>), GatewayError> {
    let (kind, config) = (source.kind(), source.config());
    // The variables and the supervisor are those of the host, which stay.
    let options: serde_json::Value = config.options().map_err(|error| source.locate(&error))?;
    let key = format!(
        "{} {} {:?} {options}",
        kind.name(),
        config.name,
        config.base
    );
    let mounts = match before.get(&key) {
        Some(mounts) => mounts.clone(),
        None => {
            let built = kind.build(config).map_err(|error| source.locate(&error))?;
            built.into_iter().map(Mount::user).collect()
        }
    };
    Ok((key, mounts))
}

/// Returns the mount of `before`, if its settings are the same.
fn reused<K: PartialEq, T: Item>(
    settings: &K,
    before: &Option<CachedMount<K, T>>,
) -> Option<Mount<T>> {
    let same = before.as_ref().filter(|(known, _)| known == settings);
    same.map(|(_, mount)| mount.clone())
}

fn with_cached<K, T: Item>(builder: Builder<T>, cached: &Option<CachedMount<K, T>>) -> Builder<T> {
    match cached {
        Some((_, mount)) => builder.mount(mount.clone()),
        None => builder,
    }
}

/// Returns the source of the skills that `[registries.skills]` selects, or `None` without patterns.
///
/// A gateway mounts it in the tier of the user, after the sources of the file. So does a host that lists the skills of a gateway.
///
/// # Errors
/// [`ConfigurationError`] for an invalid pattern, with its place in the file.
#[doc(hidden)]
pub fn project_skills(
    configuration: &Configuration,
) -> Result<Option<FsSource>, ConfigurationError> {
    let patterns = &configuration.registries().skills;
    project_files(configuration, "skills", patterns, FsSource::from_options)
}

fn project_files<S>(
    configuration: &Configuration,
    registry: &str,
    patterns: &[String],
    build: fn(&'static str, &Path, FsOptions) -> Result<S, ConfigError>,
) -> Result<Option<S>, ConfigurationError> {
    if patterns.is_empty() {
        return Ok(None);
    }
    let mut options = FsOptions::default();
    options.patterns = patterns.to_vec();
    let source = build(PROJECT, &configuration.registries().project, options);
    source.map(Some).map_err(|error| {
        let error = ConfigError::in_option(format!("{registry}.glob"), error.message);
        configuration.locate_in("registries", &error)
    })
}

/// Returns the mount of the files that a registry selects, or `None` without patterns.
fn cached_files<T: Item, S: Source<T>>(
    (configuration, patterns): (&Configuration, &[String]),
    before: &Option<CachedMount<RegistryFiles, T>>,
    build: impl FnOnce() -> Result<Option<S>, ConfigurationError>,
) -> Result<Option<CachedMount<RegistryFiles, T>>, GatewayError> {
    let files = (
        configuration.registries().project.clone(),
        patterns.to_vec(),
    );
    let mount = match reused(&files, before) {
        Some(mount) => Some(mount),
        None => build()?.map(Mount::user),
    };
    Ok(mount.map(|mount| (files, mount)))
}

fn definitions<T: Item>(
    now: &Vec<T>,
    before: &Option<CachedMount<Vec<T>, T>>,
) -> CachedMount<Vec<T>, T> {
    let mount = reused(now, before).unwrap_or_else(|| {
        let source = MemorySource::new(PROJECT);
        for definition in now {
            source
                .register(definition.clone())
                .expect("the configuration refuses ids that come twice");
        }
        Mount::user(Arc::new(source))
    });
    (now.clone(), mount)
}
