//! The place in which an agent is started.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::schema::{Toggle, Walk};

/// The place in which an agent is started: the folders, the environment and the switches that no file states.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct AgentPlace {
    /// The home folder.
    pub home: PathBuf,
    /// The folder in which the agent is started.
    pub folder: PathBuf,
    /// The environment variables of the agent.
    pub environment: BTreeMap<String, String>,
    /// The folder below which absolute paths of profiles are resolved. Default `/`.
    pub system: PathBuf,
    /// The context window of the model, in tokens.
    pub window: Option<u64>,
    /// `true` if the agent trusts the project. Default `true`.
    pub is_trusted: bool,
    /// The switches of an agent that no file states, as `cursor.third-party`.
    pub toggles: BTreeMap<String, bool>,
}

impl AgentPlace {
    /// Creates a place in `folder` without environment variables.
    pub fn new(home: impl Into<PathBuf>, folder: impl Into<PathBuf>) -> AgentPlace {
        AgentPlace {
            home: home.into(),
            folder: folder.into(),
            environment: BTreeMap::new(),
            system: PathBuf::from("/"),
            window: None,
            is_trusted: true,
            toggles: BTreeMap::new(),
        }
    }

    /// Returns the value of a variable that is set and not empty.
    pub(crate) fn variable(&self, name: &str) -> Option<&str> {
        let value = self.environment.get(name)?;
        (!value.is_empty()).then_some(value)
    }

    /// Returns whether a variable is set to neither `0` nor `false`.
    pub(crate) fn is_set(&self, name: &str) -> bool {
        self.variable(name)
            .is_some_and(|value| !["0", "false"].contains(&value))
    }

    pub(crate) fn is_on(&self, toggle: &Toggle) -> bool {
        self.toggles
            .get(&toggle.name)
            .copied()
            .unwrap_or(toggle.default)
    }

    /// Returns the nearest folder, from the current one up, that holds `.git`.
    pub(crate) fn repository(&self) -> Option<&Path> {
        self.folder
            .ancestors()
            .find(|folder| folder.join(".git").exists())
    }

    /// Returns the folders of the project, the nearest one first.
    pub(crate) fn project_folders(&self, walk: Walk, repository: Option<&Path>) -> Vec<PathBuf> {
        match (walk, repository) {
            (Walk::Here, _) | (_, None) => vec![self.folder.clone()],
            (Walk::Root, Some(repository)) => vec![repository.to_owned()],
            (Walk::Up, Some(repository)) => self
                .folder
                .ancestors()
                .take_while(|folder| folder.starts_with(repository))
                .map(Path::to_owned)
                .collect(),
        }
    }

    /// Returns the path that `template` stands for; relative paths are below `base`.
    ///
    /// `~/` is the home folder, and `${NAME:-DEFAULT}` a variable. `None` if a variable without default is not set.
    pub fn expand(&self, template: &str, base: &Path) -> Option<PathBuf> {
        let Some(rest) = template.strip_prefix("${") else {
            return Some(self.plain(template, base));
        };
        let (variable, rest) = rest.split_once('}')?;
        let (name, default) = match variable.split_once(":-") {
            Some((name, default)) => (name, Some(default)),
            None => (variable, None),
        };
        let start = match self.variable(name) {
            Some(value) => match value.strip_prefix("~/") {
                Some(below) => self.home.join(below),
                None => self.folder.join(value),
            },
            None => self.plain(default?, base),
        };
        Some(match rest.trim_start_matches('/') {
            "" => start,
            rest => start.join(rest),
        })
    }

    fn plain(&self, path: &str, base: &Path) -> PathBuf {
        if path == "~" {
            self.home.clone()
        } else if let Some(below) = path.strip_prefix("~/") {
            self.home.join(below)
        } else if let Some(below) = path.strip_prefix('/') {
            self.system.join(below)
        } else {
            base.join(path)
        }
    }
}
