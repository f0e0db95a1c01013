//! The kinds of sources that run other people's code.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use repertoire_registry::{ConfigError, SourceConfig, SourceKind, inventory};
use repertoire_source_plugin::{PluginOptions, PluginSource};

inventory::submit! {
    SourceKind::foreign("plugin", "a shared library, loaded into this process", |config| {
        Ok(Arc::new(PluginSource::new(config.name.as_str(), placed(config.options()?, config))))
    })
}

/// The file with the approvals of plugins, in the folder that a program keeps its state in.
pub fn approvals_in(state: &Path) -> PathBuf {
    state.join("plugins.json")
}

/// The same plugin, its path meant from where the configuration stands, and approved by whom this program remembers.
fn placed(mut options: PluginOptions, config: &SourceConfig) -> PluginOptions {
    options.path = config.path(&options.path);
    options.approvals = config.state.as_deref().map(approvals_in);
    options
}

#[cfg(unix)]
mod process {
    use repertoire_core::Digest;
    use repertoire_source_plugin::Containment;
    use serde_json::{Map, Value};

    use super::*;

    inventory::submit! {
        SourceKind::foreign("process", "a shared library, loaded into a process of its own", |config| {
            let options: Options = config.options()?;
            let (plugin, how) = options.split(config)?;
            Ok(Arc::new(PluginSource::contained(config.name.as_str(), placed(plugin, config), how)))
        })
    }

    /// As of the kind `plugin`, and what the process gets.
    #[derive(serde::Deserialize)]
    #[serde(deny_unknown_fields, rename_all = "kebab-case")]
    struct Options {
        path: PathBuf,
        digest: Option<Digest>,
        #[serde(default)]
        options: Map<String, Value>,
        deadline_ms: Option<u64>,
        runner: Option<PathBuf>,
        memory_mib: Option<u64>,
    }

    impl Options {
        fn split(self, config: &SourceConfig) -> Result<(PluginOptions, Containment), ConfigError> {
            let mut plugin = PluginOptions::new(self.path).with_options(self.options);
            plugin.digest = self.digest;
            plugin.deadline_ms = self.deadline_ms.unwrap_or(plugin.deadline_ms);
            let runner = match self.runner {
                Some(runner) => config.path(runner),
                None => beside_this_program()?,
            };
            let how = Containment::by(runner);
            let how = match self.memory_mib {
                Some(memory) => how.with_memory(memory.saturating_mul(1 << 20)),
                None => how,
            };
            Ok((plugin, how))
        }
    }

    fn beside_this_program() -> Result<PathBuf, ConfigError> {
        let this = std::env::current_exe().map_err(|error| ConfigError::in_option("runner", error.to_string()))?;
        Ok(this.with_file_name("repertoire-plugin-host"))
    }
}
