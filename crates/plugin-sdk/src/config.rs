//! The configuration of a source.

use repertoire_core::SourceError;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::message::Create;

/// The configuration of one source.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    source: String,
    options: Map<String, Value>,
}

impl Config {
    /// Creates the configuration of a source called `source`, for tests.
    pub fn new(source: impl Into<String>, options: Map<String, Value>) -> Config {
        Config { source: source.into(), options }
    }

    /// Returns the name of the source, which the host chose.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Deserializes the options into a type of the plugin.
    ///
    /// # Errors
    /// Returns [`Invalid`](repertoire_core::SourceErrorKind::Invalid) for options that do not fit.
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

/// A source that is made from a configuration.
pub trait Open: Sized {
    /// Makes the source. Relative paths in `config` are relative to the working folder of the host.
    ///
    /// # Errors
    /// Returns [`Invalid`](repertoire_core::SourceErrorKind::Invalid) for options that do not fit.
    fn open(config: &Config) -> Result<Self, SourceError>;
}
