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
    /// A kind called `name`; `about` is a few words for people.
    pub const fn new(name: &'static str, about: &'static str, build: Build) -> SourceKind {
        SourceKind { name, about, build: Way::One(build), foreign: false, namespaced: false, connecting: false }
    }

    /// A kind whose sources bring what other people made: they belong to the tier of plugins and are restricted unless a
    /// configuration says otherwise, and can never be builtin.
    pub const fn foreign(name: &'static str, about: &'static str, build: Build) -> SourceKind {
        SourceKind { foreign: true, ..SourceKind::new(name, about, build) }
    }

    /// A [foreign](SourceKind::foreign) and [namespaced](SourceKind::namespaced) kind that makes several sources of one
    /// configuration, as there are plugins in a folder.
    pub const fn several(name: &'static str, about: &'static str, build: BuildSeveral) -> SourceKind {
        SourceKind { name, about, build: Way::Several(build), foreign: true, namespaced: true, connecting: false }
    }

    /// The same kind, its sources namespaced unless a configuration says otherwise.
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

    /// Whether its sources bring what other people made.
    pub fn is_foreign(&self) -> bool {
        self.foreign
    }

    /// Whether its sources are namespaced unless a configuration says otherwise.
    pub fn is_namespaced(&self) -> bool {
        self.namespaced
    }

    /// The name in configuration files.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// A few words for people.
    pub fn about(&self) -> &'static str {
        self.about
    }

    /// Every linked kind, by name.
    pub fn all() -> Vec<&'static SourceKind> {
        // The linker decides about the order of collection, so it means nothing.
        let mut kinds: Vec<_> = inventory::iter::<SourceKind>().collect();
        kinds.sort_by_key(|kind| kind.name);
        kinds
    }

    /// The linked kind of this name.
    ///
    /// # Errors
    /// [`UnknownKind`], which lists the known ones.
    pub fn find(name: &str) -> Result<&'static SourceKind, UnknownKind> {
        let known = SourceKind::all();
        let unknown = || UnknownKind { name: name.to_owned(), known: known.iter().map(|kind| kind.name).collect() };
        known.iter().find(|kind| kind.name == name).copied().ok_or_else(unknown)
    }

    /// Makes the sources of this kind, most often one; in their order.
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

/// No linked crate brings this kind.
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
    /// The folder that relative paths are meant from.
    pub base: PathBuf,
    /// The folder in which the program keeps what it was told to remember, where it has one.
    pub state: Option<PathBuf>,
    /// The variables of the program's environment, as far as it lets sources see them.
    pub variables: Arc<[(OsString, OsString)]>,
    /// The command line of a program that runs the one behind it, and ends with it whatever that started; none by default. A
    /// kind that starts programs says what else it gets.
    pub keeper: Arc<[OsString]>,
    options: serde_json::Map<String, serde_json::Value>,
}

impl SourceConfig {
    /// A source called `name` whose options are `options`.
    pub fn new(
        name: impl Into<String>,
        base: impl Into<PathBuf>,
        options: serde_json::Map<String, serde_json::Value>,
    ) -> SourceConfig {
        let (variables, keeper) = (Arc::default(), Arc::default());
        SourceConfig { name: name.into(), base: base.into(), state: None, variables, keeper, options }
    }

    /// The same source of a program that keeps its state in `folder`.
    #[must_use]
    pub fn with_state(mut self, folder: impl Into<PathBuf>) -> SourceConfig {
        self.state = Some(folder.into());
        self
    }

    /// The same source of a program whose environment has these variables.
    #[must_use]
    pub fn with_variables(mut self, variables: impl Into<Arc<[(OsString, OsString)]>>) -> SourceConfig {
        self.variables = variables.into();
        self
    }

    /// The same source of a program with such a [keeper](SourceConfig::keeper).
    #[must_use]
    pub fn with_keeper(mut self, keeper: impl Into<Arc<[OsString]>>) -> SourceConfig {
        self.keeper = keeper.into();
        self
    }

    /// A variable of the program's environment.
    pub fn variable(&self, name: &str) -> Option<&OsStr> {
        self.variables.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_os_str())
    }

    /// The options as the kind's own type.
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

    /// `path`, meant from the base folder unless it is absolute.
    pub fn path(&self, path: impl AsRef<Path>) -> PathBuf {
        self.base.join(path)
    }
}

/// An option that does not fit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
#[non_exhaustive]
pub struct ConfigError {
    /// The option, dotted, where one is to blame.
    pub key: Option<String>,
    /// What is wrong with it.
    pub message: String,
}

impl ConfigError {
    /// The options as a whole do not fit.
    pub fn new(message: impl Into<String>) -> ConfigError {
        ConfigError { key: None, message: message.into() }
    }

    /// One option does not fit.
    pub fn in_option(key: impl Into<String>, message: impl Into<String>) -> ConfigError {
        ConfigError { key: Some(key.into()), message: message.into() }
    }
}
