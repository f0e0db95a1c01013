//! The home folder in paths of the configuration.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use repertoire::registry::ConfigError;
use serde_json::{Map, Value};

/// The data of the user that configured sources may use.
#[derive(Debug)]
pub(crate) struct Home {
    /// The home folder, which replaces `~`, `$HOME` or `${HOME}` at the start of a path.
    pub(crate) folder: Option<PathBuf>,
    /// The state folder of this program.
    pub(crate) state: Option<PathBuf>,
    /// The variables of the process.
    pub(crate) variables: Arc<[(OsString, OsString)]>,
    /// The command line of the supervisor of programs that sources start.
    pub(crate) supervisor: Arc<[OsString]>,
}

impl Home {
    pub(crate) fn expand(&self, options: Map<String, Value>) -> Result<Map<String, Value>, ConfigError> {
        options.into_iter().map(|(key, value)| Ok((key.clone(), self.expand_value(&key, value)?))).collect()
    }

    fn expand_value(&self, key: &str, value: Value) -> Result<Value, ConfigError> {
        match value {
            Value::String(text) => self.expand_text(key, text).map(Value::String),
            Value::Array(items) => {
                let items = items.into_iter().enumerate();
                items.map(|(at, item)| self.expand_value(&format!("{key}[{at}]"), item)).collect()
            }
            Value::Object(map) => {
                let mut expanded = Map::new();
                for (name, value) in map {
                    let value = self.expand_value(&format!("{key}.{name}"), value)?;
                    expanded.insert(name, value);
                }
                Ok(Value::Object(expanded))
            }
            other => Ok(other),
        }
    }

    fn expand_text(&self, key: &str, text: String) -> Result<String, ConfigError> {
        let after = ["~", "$HOME", "${HOME}"].iter().find_map(|sign| text.strip_prefix(sign));
        let Some(rest) = after.filter(|rest| rest.is_empty() || rest.starts_with(['/', std::path::MAIN_SEPARATOR]))
        else {
            return Ok(text);
        };
        match &self.folder {
            Some(home) => Ok(home.join(rest.trim_start_matches(['/', '\\'])).to_string_lossy().into_owned()),
            None => Err(ConfigError::in_option(key, "the home folder is unknown; use an absolute path")),
        }
    }
}
