//! The data of a host that configured sources may use.

use std::ffi::OsString;
use std::path::{MAIN_SEPARATOR, PathBuf};
use std::sync::Arc;

use repertoire_registry::{ConfigError, SourceKinds};
use serde_json::{Map, Value};

/// The data of a host that configured sources may use. Nothing is read from the process.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct HostSettings {
    /// The folder that the path of a configuration file is relative to.
    pub folder: PathBuf,
    /// The home folder of the user: it replaces `~`, `$HOME` or `${HOME}` at the start of an option.
    pub home: Option<PathBuf>,
    /// The folder in which the host keeps its state, such as approvals of plugins.
    pub state: Option<PathBuf>,
    /// The environment variables that sources may read, and pass to programs that they start.
    pub variables: Arc<[(OsString, OsString)]>,
    /// The command line of a supervisor, which runs the command after it and ends all processes that it started.
    pub supervisor: Arc<[OsString]>,
    /// A second file, such as that of the user, which denies content too. It need not exist.
    pub policy: Option<PathBuf>,
    /// The kinds of sources that a file may name. By default those that the host links.
    pub kinds: Option<SourceKinds>,
}

impl HostSettings {
    /// Returns settings without home, state, variables and supervisor.
    pub fn new(folder: impl Into<PathBuf>) -> HostSettings {
        let (variables, supervisor) = (Arc::default(), Arc::default());
        HostSettings {
            folder: folder.into(),
            home: None,
            state: None,
            variables,
            supervisor,
            policy: None,
            kinds: None,
        }
    }

    pub(crate) fn expand(
        &self,
        options: Map<String, Value>,
    ) -> Result<Map<String, Value>, ConfigError> {
        options
            .into_iter()
            .map(|(key, value)| Ok((key.clone(), self.expand_value(&key, value)?)))
            .collect()
    }

    fn expand_value(&self, key: &str, value: Value) -> Result<Value, ConfigError> {
        match value {
            Value::String(text) => self.expand_text(key, text).map(Value::String),
            Value::Array(items) => {
                let items = items.into_iter().enumerate();
                items
                    .map(|(at, item)| self.expand_value(&format!("{key}[{at}]"), item))
                    .collect()
            }
            Value::Object(map) => {
                let values = map.into_iter().map(|(name, value)| {
                    let value = self.expand_value(&format!("{key}.{name}"), value)?;
                    Ok((name, value))
                });
                values.collect::<Result<_, _>>().map(Value::Object)
            }
            other => Ok(other),
        }
    }

    fn expand_text(&self, key: &str, text: String) -> Result<String, ConfigError> {
        let after = ["~", "$HOME", "${HOME}"]
            .iter()
            .find_map(|sign| text.strip_prefix(sign));
        let Some(rest) =
            after.filter(|rest| rest.is_empty() || rest.starts_with(['/', MAIN_SEPARATOR]))
        else {
            return Ok(text);
        };
        match &self.home {
            Some(home) => Ok(home
                .join(rest.trim_start_matches(['/', '\\']))
                .to_string_lossy()
                .into_owned()),
            None => Err(ConfigError::in_option(
                key,
                "the home folder is unknown; use an absolute path",
            )),
        }
    }
}
