//! The logins in a configuration file of Docker.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fmt;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::install_error::InstallError;

/// The logins that `docker login`, `skopeo login` and `oras login` write into a file. `Debug` shows the hosts alone.
#[derive(Default)]
pub(super) struct DockerConfig {
    /// The encoded user and password, by the host of the registry.
    logins: BTreeMap<String, String>,
}

#[derive(Deserialize)]
struct ConfigDocument {
    #[serde(default)]
    auths: BTreeMap<String, AuthRow>,
}

#[derive(Deserialize)]
struct AuthRow {
    auth: Option<String>,
}

const MOST_BYTES: u64 = 1 << 20;

/// Returns the file that Docker writes logins into: in `folder`, which the variable `DOCKER_CONFIG` names, or else below `home`.
pub fn docker_config_file(folder: Option<&OsStr>, home: Option<&Path>) -> Option<PathBuf> {
    let folder = folder.map(PathBuf::from);
    let folder = folder.or_else(|| Some(home?.join(".docker")));
    Some(folder?.join("config.json"))
}

impl DockerConfig {
    /// Reads a file. One that does not exist has no logins.
    ///
    /// # Errors
    /// Those of reading, and of a file that is invalid.
    pub(super) fn read(path: Option<&Path>) -> Result<DockerConfig, InstallError> {
        let Some(path) = path else {
            return Ok(DockerConfig::default());
        };
        let what = format!("cannot read the logins in `{}`", path.display());
        let text = match fs::metadata(path) {
            Ok(file) if file.len() > MOST_BYTES => {
                return Err(InstallError::refused(format!(
                    "`{}` has more than {MOST_BYTES} bytes",
                    path.display()
                )));
            }
            Ok(_) => fs::read(path).map_err(|error| InstallError::io(what.clone(), error))?,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Ok(DockerConfig::default());
            }
            Err(error) => return Err(InstallError::io(what, error)),
        };
        // The message of a parser could quote a password.
        let document: ConfigDocument = serde_json::from_slice(&text).map_err(|error| {
            let place = format!("line {}, column {}", error.line(), error.column());
            InstallError::refused(format!("{what}: invalid JSON in {place}"))
        })?;
        let logins = document.auths.into_iter().filter_map(|(key, row)| {
            let auth = row.auth.filter(|auth| !auth.is_empty())?;
            Some((host_of(&key).to_owned(), auth))
        });
        Ok(DockerConfig {
            logins: logins.collect(),
        })
    }

    /// Returns the encoded user and password for a registry.
    pub(super) fn login(&self, registry: &str) -> Option<&str> {
        self.logins.get(registry).map(String::as_str)
    }
}

impl fmt::Debug for DockerConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.logins.keys()).finish()
    }
}

/// Returns the host of a key, which may be a URL.
fn host_of(key: &str) -> &str {
    let rest = key.split_once("://").map_or(key, |(_, rest)| rest);
    rest.split('/').next().unwrap_or(rest)
}
