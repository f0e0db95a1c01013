//! The kinds `plugin` and `process`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use repertoire_registry::{ConfigError, SourceConfig, SourceKind, inventory};
#[cfg(unix)]
use repertoire_source_plugin::ProcessOptions;
use repertoire_source_plugin::{PluginOptions, PluginSource};

inventory::submit! {
    SourceKind::foreign("plugin", "a shared library, loaded into this process", |config| {
        Ok(Arc::new(PluginSource::new(config.name.as_str(), placed(config.options()?, config))))
    })
    .connecting()
}

/// Returns the path of the approvals of plugins in the state folder of a program.
pub fn approvals_in(state: &Path) -> PathBuf {
    state.join("plugins.json")
}

fn placed(mut options: PluginOptions, config: &SourceConfig) -> PluginOptions {
    options.path = config.path(&options.path);
    match &config.state {
        Some(state) => options.approved_in(approvals_in(state)),
        None => options,
    }
}

#[cfg(unix)]
inventory::submit! {
    SourceKind::foreign("process", "a shared library, loaded into a process of its own", |config| {
        let mut options: ProcessOptions = config.options()?;
        options.path = config.path(&options.path);
        options.runner = Some(match options.runner {
            Some(runner) => config.path(runner),
            None => beside_this_program()?,
        });
        if let Some(state) = &config.state {
            options = options.approved_in(approvals_in(state));
        }
        Ok(Arc::new(PluginSource::spawn(config.name.as_str(), options.supervised_by(config.supervisor.to_vec()))))
    })
    .connecting()
}

#[cfg(unix)]
fn beside_this_program() -> Result<PathBuf, ConfigError> {
    let this = std::env::current_exe()
        .map_err(|error| ConfigError::in_option("runner", error.to_string()))?;
    let beside = ["repertoire-plugin-host", "repertoire"].map(|name| this.with_file_name(name));
    beside.into_iter().find(|runner| runner.is_file()).ok_or_else(|| {
        let message =
            "no program that runs plugins is in the folder of this one; expected `repertoire-plugin-host` or `repertoire`";
        ConfigError::new(format!("{message}, or `runner = \"PATH\"`"))
    })
}
