//! The error of an option of a source.

/// The error returned for an option that a source does not accept. A configuration reader points to the option in its file.
///
/// ```
/// use repertoire_core::ConfigError;
///
/// let error = ConfigError::in_option("limits.depth", "expected a number from 1 to 64");
/// assert_eq!(error.key.as_deref(), Some("limits.depth"));
/// assert_eq!(error.to_string(), "expected a number from 1 to 64");
/// ```
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
        ConfigError {
            key: None,
            message: message.into(),
        }
    }

    /// Creates an error about one option.
    pub fn in_option(key: impl Into<String>, message: impl Into<String>) -> ConfigError {
        ConfigError {
            key: Some(key.into()),
            message: message.into(),
        }
    }
}
