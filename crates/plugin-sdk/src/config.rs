//! What a plugin is told when a source is made.

use repertoire_core::SourceError;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::message::Create;

/// One source of a configuration.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    source: String,
    options: Map<String, Value>,
}

impl Config {
    /// A source called `source` with these options; for tests.
    pub fn new(source: impl Into<String>, options: Map<String, Value>) -> Config {
        Config { source: source.into(), options }
    }

    /// What the source is called in this registry. The composer chose it.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The options as a type of the plugin's own.
    ///
    /// # Errors
    /// [`Invalid`](repertoire_core::SourceErrorKind::Invalid) for options that do not fit.
    pub fn options<O: DeserializeOwned>(&self) -> Result<O, SourceError> {
        let options = Value::Object(self.options.clone());
        serde_json::from_value(options).map_err(|error| SourceError::invalid("the options do not fit").caused_by(error))
    }
}

impl From<Create> for Config {
    fn from(create: Create) -> Config {
        Config { source: create.source, options: create.options }
    }
}

/// Makes a source from its configuration.
pub trait Open: Sized {
    /// A source as `config` describes it. Relative paths in it are meant from the host's working folder.
    ///
    /// # Errors
    /// [`Invalid`](repertoire_core::SourceErrorKind::Invalid) for options that do not fit.
    fn open(config: &Config) -> Result<Self, SourceError>;
}
