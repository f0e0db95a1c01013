//! The configuration files of a user and of a project.

use std::path::Path;

use repertoire::config::{Configuration, HostSettings};

use crate::Environment;
use crate::failure::Failure;

/// The name of the configuration file of a user or a project.
pub(crate) const CONFIGURATION: &str = "repertoire.toml";

/// Reads the configuration file in a folder, if there is one.
pub(crate) fn configuration_in(
    folder: &Path,
    environment: &Environment<'_>,
) -> Result<Option<Configuration>, Failure> {
    let path = folder.join(CONFIGURATION);
    if !path.is_file() {
        return Ok(None);
    }
    let configuration = Configuration::read(path, &host_settings(environment));
    let configuration = configuration.map_err(|error| Failure::of_configuration(&error))?;
    Ok(Some(configuration))
}

pub(crate) fn host_settings(environment: &Environment<'_>) -> HostSettings {
    let mut settings = HostSettings::new(&environment.cwd);
    settings.home = environment.home.clone();
    settings.state = environment.own_state();
    settings.variables = environment.variables.as_slice().into();
    settings.supervisor = environment.supervisor().into();
    settings
}
