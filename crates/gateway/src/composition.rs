//! The compositions of the four registries, from a configuration.

use std::collections::HashMap;
use std::sync::Arc;

use repertoire::config::{
    AgentDefinition, Configuration, ConfiguredSource, RegistrySettings, ServerDefinition,
};
use repertoire::registry::{Builder, ConfigError, Registry};
use repertoire::skill::Item;
use repertoire::source::fs::{FileSource, FsOptions, InvalidOptions};
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
    skills: HashMap<String, Vec<Mount<Skill>>>,
    workflows: Option<(RegistryFiles, Mount<WorkflowFile>)>,
    agents: Option<(Vec<AgentDefinition>, Mount<AgentDefinition>)>,
    mcp_servers: Option<(Vec<ServerDefinition>, Mount<ServerDefinition>)>,
}

/// The folder and the patterns of a search.
type RegistryFiles = (std::path::PathBuf, Vec<String>);

impl RegistryComposition {
    /// Composes `configuration`, with the sources of `before` where their settings are the same. Nothing is listed.
    pub(crate) fn new(
        configuration: &Configuration,
        before: &MountCache,
    ) -> Result<RegistryComposition, GatewayError> {
        let settings = configuration.registries();
        let mut sources = MountCache::default();
        let mut skills = configuration.configure(SkillRegistry::builder());
        for source in configuration.sources() {
            for mount in sources.configured(source, before)? {
                skills = skills.mount(source.place(mount));
            }
        }
        if let Some(mount) = sources.project_skills(configuration, before)? {
            skills = skills.mount(mount);
        }
        let mut workflows = Registry::builder();
        if let Some(mount) = sources.project_workflows(configuration, before)? {
            workflows = workflows.mount(mount);
        }
        let agents = definitions(&settings.agents, &before.agents);
        let mcp_servers = definitions(&settings.mcp_servers, &before.mcp_servers);
        let composition = RegistryComposition {
            skills,
            workflows,
            agents: Registry::builder().mount(agents.clone()),
            mcp_servers: Registry::builder().mount(mcp_servers.clone()),
            sources: MountCache {
                agents: Some((settings.agents.clone(), agents)),
                mcp_servers: Some((settings.mcp_servers.clone(), mcp_servers)),
                ..sources
            },
        };
        Ok(composition)
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

impl MountCache {
    fn configured(
        &mut self,
        source: &ConfiguredSource,
        before: &MountCache,
    ) -> Result<Vec<Mount<Skill>>, GatewayError> {
        let (kind, config) = (source.kind(), source.config());
        // The variables and the supervisor are those of the host, which stay.
        let options: serde_json::Value = config.options().map_err(|error| source.locate(&error))?;
        let key = format!(
            "{} {} {:?} {options}",
            kind.name(),
            config.name,
            config.base
        );
        let mounts = match before.skills.get(&key) {
            Some(mounts) => mounts.clone(),
            None => {
                let built = kind.build(config).map_err(|error| source.locate(&error))?;
                built.into_iter().map(Mount::user).collect()
            }
        };
        self.skills.insert(key, mounts.clone());
        Ok(mounts)
    }

    fn project_skills(
        &mut self,
        configuration: &Configuration,
        before: &MountCache,
    ) -> Result<Option<Mount<Skill>>, GatewayError> {
        let RegistrySettings {
            project, skills, ..
        } = configuration.registries();
        if skills.is_empty() {
            return Ok(None);
        }
        let key = format!("{PROJECT} {} {skills:?}", project.display());
        let mount = match before.skills.get(&key).and_then(|mounts| mounts.first()) {
            Some(mount) => mount.clone(),
            None => {
                let source = FsSource::from_options(PROJECT, project, options(skills));
                let source = source.map_err(|error| bad_glob(configuration, "skills", &error))?;
                Mount::user(source)
            }
        };
        self.skills.insert(key, vec![mount.clone()]);
        Ok(Some(mount))
    }

    fn project_workflows(
        &mut self,
        configuration: &Configuration,
        before: &MountCache,
    ) -> Result<Option<Mount<WorkflowFile>>, GatewayError> {
        let RegistrySettings {
            project, workflows, ..
        } = configuration.registries();
        if workflows.is_empty() {
            return Ok(None);
        }
        let key = (project.clone(), workflows.clone());
        let known = before.workflows.as_ref().filter(|(known, _)| *known == key);
        let mount = match known {
            Some((_, mount)) => mount.clone(),
            None => {
                let source = FileSource::from_options(PROJECT, project, options(workflows));
                let source =
                    source.map_err(|error| bad_glob(configuration, "workflows", &error))?;
                Mount::user(source)
            }
        };
        self.workflows = Some((key, mount.clone()));
        Ok(Some(mount))
    }
}

fn options(patterns: &[String]) -> FsOptions {
    let mut options = FsOptions::default();
    options.patterns = patterns.to_vec();
    options
}

fn bad_glob(configuration: &Configuration, registry: &str, error: &InvalidOptions) -> GatewayError {
    let help = error.help.as_ref().map(|help| format!("; {help}"));
    let message = format!("{}{}", error.message, help.unwrap_or_default());
    configuration
        .locate_in(
            "registries",
            &ConfigError::in_option(format!("{registry}.glob"), message),
        )
        .into()
}

fn definitions<T: Item>(now: &[T], before: &Option<(Vec<T>, Mount<T>)>) -> Mount<T> {
    match before {
        Some((known, mount)) if known == now => mount.clone(),
        _ => {
            let source = MemorySource::new(PROJECT);
            for definition in now {
                source
                    .register(definition.clone())
                    .expect("the configuration refuses ids that come twice");
            }
            Mount::user(Arc::new(source))
        }
    }
}
