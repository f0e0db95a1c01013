//! Kinds of sources that a configuration file can name.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use repertoire_core::{Skill, Source};
use serde::de::DeserializeOwned;

/// A kind of source that a configuration file can name.
///
/// A crate submits its kind once, and it works wherever the crate is linked:
///
/// ```
/// use std::sync::Arc;
///
/// use repertoire_registry::{ConfigError, MemorySource, SourceConfig, SourceKind, inventory};
///
/// #[derive(serde::Deserialize)]
/// #[serde(deny_unknown_fields)]
/// struct Options {}
///
/// inventory::submit! {
///     SourceKind::new("empty", "a source without skills", |config: &SourceConfig| {
///         let Options {} = config.options()?;
///         Ok(Arc::new(MemorySource::named(config.name.as_str())))
///     })
/// }
///
/// assert!(SourceKind::find("empty").is_ok());
/// assert!(SourceKind::find("emty").is_err());
/// ```
///
/// A crate that is only a dependency is dropped by the linker together with its kind: the binary says `use it as _;`.
#[derive(Debug, Clone, Copy)]
pub struct SourceKind {
    name: &'static str,
    about: &'static str,
    build: Way,
    foreign: bool,
    namespaced: bool,
    connecting: bool,
}

/// Makes a source from its configuration. Reads no skill yet.
pub type Build = fn(&SourceConfig) -> Result<Arc<dyn Source<Skill>>, ConfigError>;

/// Makes several sources from one configuration, each with a name of its own. Reads no skill yet.
pub type BuildSeveral = fn(&SourceConfig) -> Result<Vec<Arc<dyn Source<Skill>>>, ConfigError>;

#[derive(Debug, Clone, Copy)]
enum Way {
    One(Build),
    Several(BuildSeveral),
}

inventory::collect!(SourceKind);

impl SourceKind {
    /// Creates a kind called `name`. `about` is a few words for people.
    pub const fn new(name: &'static str, about: &'static str, build: Build) -> SourceKind {
        SourceKind { name, about, build: Way::One(build), foreign: false, namespaced: false, connecting: false }
    }

    /// Creates a kind whose sources bring skills of other people. They are plugins and restricted by default, and cannot be
    /// builtin.
    pub const fn foreign(name: &'static str, about: &'static str, build: Build) -> SourceKind {
        SourceKind { foreign: true, ..SourceKind::new(name, about, build) }
    }

    /// Creates a [foreign](SourceKind::foreign) and [namespaced](SourceKind::namespaced) kind that makes several sources of one
    /// configuration, such as the plugins in a folder.
    pub const fn several(name: &'static str, about: &'static str, build: BuildSeveral) -> SourceKind {
        SourceKind { name, about, build: Way::Several(build), foreign: true, namespaced: true, connecting: false }
    }

    /// Makes its sources namespaced by default.
    #[must_use]
    pub const fn namespaced(self) -> SourceKind {
        SourceKind { namespaced: true, ..self }
    }

    /// Returns the same kind, whose sources start a program, load a library or open a connection. A program may refuse such
    /// kinds where it only reads files.
    #[must_use]
    pub const fn connecting(self) -> SourceKind {
        SourceKind { connecting: true, ..self }
    }

    /// Returns whether its sources start a program, load a library or open a connection.
    pub fn is_connecting(&self) -> bool {
        self.connecting
    }

    /// Returns whether its sources bring skills of other people.
    pub fn is_foreign(&self) -> bool {
        self.foreign
    }

    /// Returns whether its sources are namespaced by default.
    pub fn is_namespaced(&self) -> bool {
        self.namespaced
    }

    /// Returns the name in configuration files.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns a few words for people.
    pub fn about(&self) -> &'static str {
        self.about
    }

    /// Returns every linked kind by name.
    pub fn all() -> Vec<&'static SourceKind> {
        // The linker decides about the order of collection, so it means nothing.
        let mut kinds: Vec<_> = inventory::iter::<SourceKind>().collect();
        kinds.sort_by_key(|kind| kind.name);
        kinds
    }

    /// Returns the linked kind of this name.
    ///
    /// # Errors
    /// [`UnknownKind`], which lists the known ones.
    pub fn find(name: &str) -> Result<&'static SourceKind, UnknownKind> {
        let known = SourceKind::all();
        known
            .iter()
            .find(|kind| kind.name == name)
            .copied()
            .ok_or_else(|| UnknownKind { name: name.to_owned(), known: known.iter().map(|kind| kind.name).collect() })
    }

    /// Creates the sources of this kind, most often one, in their order.
    ///
    /// # Errors
    /// [`ConfigError`] for options that the kind does not understand.
    pub fn build(&self, config: &SourceConfig) -> Result<Vec<Arc<dyn Source<Skill>>>, ConfigError> {
        match self.build {
            Way::One(build) => Ok(vec![build(config)?]),
            Way::Several(build) => build(config),
        }
    }
}

/// The error returned when no linked crate has this kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown source kind `{name}`; known: {}", known.join(", "))]
#[non_exhaustive]
pub struct UnknownKind {
    /// The unknown name.
    pub name: String,
    /// The linked kinds.
    pub known: Vec<&'static str>,
}

/// One source as a configuration file describes it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SourceConfig {
    /// The source's name: unique, no colon.
    pub name: String,
    /// The folder to which paths are relative.
    pub base: PathBuf,
    /// The folder in which the program keeps its state, if it has one.
    pub state: Option<PathBuf>,
    /// The environment variables that the program passes to sources.
    pub variables: Arc<[(OsString, OsString)]>,
    /// The command line of a supervisor, which runs the command after it and ends all processes that it started. Default: none.
    pub supervisor: Arc<[OsString]>,
    options: serde_json::Map<String, serde_json::Value>,
}

impl SourceConfig {
    /// Creates the configuration of a source called `name`.
    pub fn new(
        name: impl Into<String>,
        base: impl Into<PathBuf>,
        options: serde_json::Map<String, serde_json::Value>,
    ) -> SourceConfig {
        let (variables, supervisor) = (Arc::default(), Arc::default());
        SourceConfig { name: name.into(), base: base.into(), state: None, variables, supervisor, options }
    }

    /// Sets the folder with the state of the program.
    #[must_use]
    pub fn with_state(mut self, folder: impl Into<PathBuf>) -> SourceConfig {
        self.state = Some(folder.into());
        self
    }

    /// Sets the environment variables.
    #[must_use]
    pub fn with_variables(mut self, variables: impl Into<Arc<[(OsString, OsString)]>>) -> SourceConfig {
        self.variables = variables.into();
        self
    }

    /// Sets the [supervisor](SourceConfig::supervisor).
    #[must_use]
    pub fn with_supervisor(mut self, supervisor: impl Into<Arc<[OsString]>>) -> SourceConfig {
        self.supervisor = supervisor.into();
        self
    }

    /// Returns an environment variable.
    pub fn variable(&self, name: &str) -> Option<&OsStr> {
        self.variables.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_os_str())
    }

    /// Parses the options as the kind's own type.
    ///
    /// # Errors
    /// [`ConfigError`] with the path of the option that does not fit.
    pub fn options<O: DeserializeOwned>(&self) -> Result<O, ConfigError> {
        let options = serde_json::Value::Object(self.options.clone());
        serde_path_to_error::deserialize(options).map_err(|error| {
            let path = error.path().to_string();
            ConfigError { key: (path != ".").then_some(path), message: error.into_inner().to_string() }
        })
    }

    /// Returns `path` relative to the base folder, unless it is absolute.
    pub fn path(&self, path: impl AsRef<Path>) -> PathBuf {
        self.base.join(path)
    }
}

/// The error returned for an option that the kind does not accept.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
#[non_exhaustive]
pub struct ConfigError {
    /// The option, with dots, if the error is about one.
    pub key: Option<String>,
    /// The message.
    pub message: String,
}

impl ConfigError {
    /// Creates an error about the options as a whole.
    pub fn new(message: impl Into<String>) -> ConfigError {
        ConfigError { key: None, message: message.into() }
    }

    /// Creates an error about one option.
    pub fn in_option(key: impl Into<String>, message: impl Into<String>) -> ConfigError {
        ConfigError { key: Some(key.into()), message: message.into() }
    }
}
