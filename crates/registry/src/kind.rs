//! Kinds of sources that a configuration file can name.

use std::borrow::Borrow;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use repertoire_core::{ConfigError, Item, Skill, Source};
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
///         Ok(Arc::new(MemorySource::new(config.name.as_str())))
///     })
/// }
///
/// assert!(SourceKind::find("empty").is_ok());
/// assert!(SourceKind::find("emty").is_err());
/// ```
///
/// A crate that is only a dependency is dropped by the linker together with its kind: the binary says `use it as _;`.
///
/// A kind that connects before it can list creates a [`DeferredSource`](crate::DeferredSource). A kind that a closure creates
/// is not submitted: the host adds it to its [`SourceKinds`].
pub struct SourceKind<T: Item = Skill> {
    name: &'static str,
    about: &'static str,
    build: Build<T>,
    foreign: bool,
    namespaced: bool,
    connecting: bool,
}

type OneSource<T> = Result<SharedSource<T>, ConfigError>;
type Sources<T> = Result<Vec<SharedSource<T>>, ConfigError>;

enum Build<T: Item> {
    One(fn(&SourceConfig) -> OneSource<T>),
    Several(fn(&SourceConfig) -> Sources<T>),
    Closure(BuildClosure<T>),
}

type BuildClosure<T> = Arc<dyn Fn(&SourceConfig) -> Sources<T> + Send + Sync>;

inventory::collect!(SourceKind);

/// A source that its configuration made.
type SharedSource<T = Skill> = Arc<dyn Source<T>>;

impl SourceKind {
    /// Creates a kind called `name`, in lower-case letters, digits and hyphens. `about` is a few words for people.
    ///
    /// # Panics
    /// If the name has other characters. In `inventory::submit!` that is a compile error.
    pub const fn new(
        name: &'static str,
        about: &'static str,
        build: fn(&SourceConfig) -> Result<SharedSource, ConfigError>,
    ) -> SourceKind {
        SourceKind::with_build(name, about, Build::One(build))
    }

    /// Creates a kind whose sources bring skills of other people. They are plugins and restricted by default, and cannot be
    /// builtin.
    pub const fn foreign(
        name: &'static str,
        about: &'static str,
        build: fn(&SourceConfig) -> Result<SharedSource, ConfigError>,
    ) -> SourceKind {
        let mut kind = SourceKind::new(name, about, build);
        kind.foreign = true;
        kind
    }

    /// Creates a [foreign](SourceKind::foreign) and [namespaced](SourceKind::namespaced) kind that makes several sources of one
    /// configuration, such as the plugins in a folder. Each has a name of its own.
    pub const fn several(
        name: &'static str,
        about: &'static str,
        build: fn(&SourceConfig) -> Result<Vec<SharedSource>, ConfigError>,
    ) -> SourceKind {
        let mut kind = SourceKind::with_build(name, about, Build::Several(build));
        (kind.foreign, kind.namespaced) = (true, true);
        kind
    }

    /// Returns every linked kind by name.
    ///
    /// # Errors
    /// [`ConfigError`] if two linked crates submit a kind of one name.
    pub fn all() -> Result<Vec<&'static SourceKind>, ConfigError> {
        // The linker decides about the order of collection, so it has no meaning.
        let mut kinds: Vec<_> = inventory::iter::<SourceKind>().collect();
        kinds.sort_by_key(|kind| (kind.name, kind.about));
        match kinds
            .array_windows()
            .find(|[kind, next]| kind.name == next.name)
        {
            Some([kind, next]) => Err(duplicate(kind, next)),
            None => Ok(kinds),
        }
    }

    /// Returns the linked kind of this name.
    ///
    /// # Errors
    /// [`ConfigError`] for an unknown name, and if two linked crates submit a kind of one name.
    pub fn find(name: &str) -> Result<&'static SourceKind, ConfigError> {
        find::<Skill, _>(&SourceKind::all()?, name).copied()
    }
}

impl<T: Item> SourceKind<T> {
    /// Creates a kind of a host, whose closure may hold what the sources need, for [`SourceKinds::with`].
    ///
    /// # Panics
    /// As [`new`](SourceKind::new).
    pub fn from_fn(
        name: &'static str,
        about: &'static str,
        build: impl Fn(&SourceConfig) -> Result<SharedSource<T>, ConfigError> + Send + Sync + 'static,
    ) -> SourceKind<T> {
        let build = move |config: &SourceConfig| Ok(vec![build(config)?]);
        SourceKind::with_build(name, about, Build::Closure(Arc::new(build)))
    }

    const fn with_build(name: &'static str, about: &'static str, build: Build<T>) -> SourceKind<T> {
        assert!(
            is_kind_name(name),
            "the name of a kind has lower-case letters, digits and hyphens"
        );
        SourceKind {
            name,
            about,
            build,
            foreign: false,
            namespaced: false,
            connecting: false,
        }
    }

    /// Makes its sources namespaced by default.
    #[must_use]
    pub const fn namespaced(mut self) -> SourceKind<T> {
        self.namespaced = true;
        self
    }

    /// Returns the same kind, whose sources start a program, load a library or open a connection. A program may refuse such
    /// kinds where it only reads files.
    #[must_use]
    pub const fn connecting(mut self) -> SourceKind<T> {
        self.connecting = true;
        self
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

    /// Creates the sources of this kind, most often one, in their order.
    ///
    /// # Errors
    /// [`ConfigError`] for options that the kind does not understand.
    pub fn build(&self, config: &SourceConfig) -> Result<Vec<SharedSource<T>>, ConfigError> {
        match &self.build {
            Build::One(build) => Ok(vec![build(config)?]),
            Build::Several(build) => build(config),
            Build::Closure(build) => build(config),
        }
    }
}

impl<T: Item> Clone for SourceKind<T> {
    fn clone(&self) -> SourceKind<T> {
        SourceKind {
            build: match &self.build {
                Build::One(build) => Build::One(*build),
                Build::Several(build) => Build::Several(*build),
                Build::Closure(build) => Build::Closure(Arc::clone(build)),
            },
            ..*self
        }
    }
}

impl<T: Item> fmt::Debug for SourceKind<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SourceKind")
            .field("name", &self.name)
            .field("about", &self.about)
            .finish_non_exhaustive()
    }
}

const fn is_kind_name(name: &str) -> bool {
    let mut rest = name.as_bytes();
    while let [first, more @ ..] = rest {
        if !matches!(first, b'a'..=b'z' | b'0'..=b'9' | b'-') {
            return false;
        }
        rest = more;
    }
    !name.is_empty()
}

fn duplicate<T: Item>(kind: &SourceKind<T>, other: &SourceKind<T>) -> ConfigError {
    let (name, about, other) = (kind.name, kind.about, other.about);
    ConfigError::new(format!(
        "two source kinds are called `{name}`: {about} and {other}; link one of them"
    ))
}

fn find<'k, T: Item, K: Borrow<SourceKind<T>>>(
    kinds: &'k [K],
    name: &str,
) -> Result<&'k K, ConfigError> {
    kinds
        .iter()
        .find(|kind| K::borrow(kind).name == name)
        .ok_or_else(|| {
            let known: Vec<_> = kinds.iter().map(|kind| K::borrow(kind).name).collect();
            ConfigError::new(format!(
                "unknown source kind `{name}`; known: {}",
                known.join(", ")
            ))
        })
}

/// The source kinds of a host: those that it links, and those that it adds. Kinds of other items than skills are always added.
///
/// ```
/// use std::sync::Arc;
///
/// use repertoire_core::Skill;
/// use repertoire_registry::{MemorySource, SourceConfig, SourceKind, SourceKinds};
///
/// let team: MemorySource<Skill> = MemorySource::new("team");
/// let kinds = SourceKinds::linked()?.with(SourceKind::from_fn("team", "the skills of the team", move |_| {
///     Ok(Arc::new(team.clone()))
/// }))?;
/// let config = SourceConfig::new("team", "/etc/agent", serde_json::Map::new());
/// assert_eq!(kinds.find("team")?.build(&config)?[0].name(), "team");
/// # Ok::<(), repertoire_registry::ConfigError>(())
/// ```
#[derive(Debug, Clone)]
pub struct SourceKinds<T: Item = Skill>(Vec<SourceKind<T>>);

impl SourceKinds {
    /// Returns the linked kinds.
    ///
    /// # Errors
    /// As [`SourceKind::all`].
    pub fn linked() -> Result<SourceKinds, ConfigError> {
        Ok(SourceKinds(
            SourceKind::all()?.into_iter().cloned().collect(),
        ))
    }
}

impl<T: Item> SourceKinds<T> {
    /// Adds a kind.
    ///
    /// # Errors
    /// [`ConfigError`] if the name is taken.
    pub fn with(mut self, kind: SourceKind<T>) -> Result<SourceKinds<T>, ConfigError> {
        match self.0.iter().find(|other| other.name == kind.name) {
            Some(other) => Err(duplicate(other, &kind)),
            None => {
                self.0.push(kind);
                Ok(self)
            }
        }
    }

    /// Returns the kind of this name.
    ///
    /// # Errors
    /// [`ConfigError`] for an unknown name.
    pub fn find(&self, name: &str) -> Result<&SourceKind<T>, ConfigError> {
        find::<T, _>(&self.0, name)
    }
}

impl<T: Item> Default for SourceKinds<T> {
    fn default() -> SourceKinds<T> {
        SourceKinds(Vec::new())
    }
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
        SourceConfig {
            name: name.into(),
            base: base.into(),
            state: None,
            variables,
            supervisor,
            options,
        }
    }

    /// Returns an environment variable.
    pub fn variable(&self, name: &str) -> Option<&OsStr> {
        self.variables
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_os_str())
    }

    /// Parses the options as the kind's own type.
    ///
    /// # Errors
    /// [`ConfigError`] with the path of the option that does not fit.
    pub fn options<O: DeserializeOwned>(&self) -> Result<O, ConfigError> {
        let options = serde_json::Value::Object(self.options.clone());
        serde_path_to_error::deserialize(options).map_err(|error| {
            let path = error.path().to_string();
            let message = error.into_inner().to_string();
            match path.as_str() {
                "." => ConfigError::new(message),
                _ => ConfigError::in_option(path, message),
            }
        })
    }

    /// Returns `path` relative to the base folder, unless it is absolute.
    pub fn path(&self, path: impl AsRef<Path>) -> PathBuf {
        self.base.join(path)
    }
}
