//! The configuration of a source.

use repertoire_core::SourceError;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// The configuration of one source.
///
/// ```
/// use repertoire_plugin_sdk::PluginConfig;
/// use serde_json::{Map, json};
///
/// let options = Map::from_iter([("folder".to_owned(), json!("skills"))]);
/// let config = PluginConfig::new("team", options);
/// let options: std::collections::BTreeMap<String, String> = config.options()?;
/// assert_eq!((config.source(), options["folder"].as_str()), ("team", "skills"));
/// # Ok::<(), repertoire_core::SourceError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct PluginConfig {
    source: String,
    options: Map<String, Value>,
}

impl PluginConfig {
    /// Creates the configuration of a source called `source`.
    pub fn new(source: impl Into<String>, options: Map<String, Value>) -> PluginConfig {
        PluginConfig {
            source: source.into(),
            options,
        }
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
        serde_json::from_value(options)
            .map_err(|error| SourceError::invalid("the options do not fit").caused_by(error))
    }
}

/// A source that is made from a configuration.
pub trait Open: Sized {
    /// Makes the source. Relative paths in `config` are relative to the working folder of the host.
    ///
    /// # Errors
    /// Returns [`Invalid`](repertoire_core::SourceErrorKind::Invalid) for options that do not fit.
    fn open(config: &PluginConfig) -> Result<Self, SourceError>;
}
