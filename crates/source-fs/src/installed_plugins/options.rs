//! The options of the plugins of a client.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use repertoire_core::{Code, Diagnostic, Skill, Source};
use serde::Deserialize;

use super::diagnostics::PluginDiagnostics;
use super::{InstalledPlugin, InstalledPlugins, shown};
use crate::{FsLimits, FsOptions, FsSource, WatchOptions};

/// The options of the plugins of a client. Keys are in kebab case; an unknown key is an error.
///
/// ```toml
/// path = "~/.claude/plugins/cache"
/// only = ["kit", "tool"]
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct InstalledPluginOptions {
    /// The folder that [`InstalledPlugins::find`] reads, absolute or relative to the base.
    path: PathBuf,
    /// The plugins that count, by name. Default: all.
    #[serde(default)]
    only: Option<Vec<String>>,
    /// Bounds on what is visited and read, for each plugin.
    #[serde(default)]
    limits: FsLimits,
    /// The options of [watching](FsSource::watching) the skills of each plugin.
    #[serde(default)]
    watch: Option<WatchOptions>,
}

impl InstalledPluginOptions {
    /// Creates the options of all plugins in `path`.
    pub fn new(path: impl Into<PathBuf>) -> InstalledPluginOptions {
        InstalledPluginOptions {
            path: path.into(),
            only: None,
            limits: FsLimits::default(),
            watch: None,
        }
    }

    /// Finds the plugins that count. Blocks as [`InstalledPlugins::find`] does. A plugin of `only` that is absent is a diagnostic.
    pub fn find(&self, base: &Path) -> InstalledPlugins {
        let folder = base.join(&self.path);
        let mut found = InstalledPlugins::find(&folder);
        let Some(only) = &self.only else { return found };
        for name in only {
            if !found.plugins.iter().any(|plugin| plugin.name == *name) {
                let message = format!(
                    "no plugin `{}` is there",
                    repertoire_core::text::terminal_line(name)
                );
                found
                    .diagnostics
                    .push(Diagnostic::new(Code::CLIENT_PLUGIN, message).at_path(shown(&folder)));
            }
        }
        found.plugins.retain(|plugin| only.contains(&plugin.name));
        found
    }

    /// Creates a source called `name` over the skills of `plugin`.
    ///
    /// Links that lead out of the plugin are not followed. When the client installs a different version, the source reads that one.
    pub fn source(&self, plugin: &InstalledPlugin, name: impl Into<String>) -> FsSource {
        let (limits, watch) = (self.limits.clone(), self.watch.clone());
        let options = FsOptions {
            roots: plugin.skills.clone(),
            limits,
            watch,
            ..FsOptions::default()
        };
        let source = FsSource::from_options(name, &plugin.folder, options);
        source
            .expect("there is a root, all of them are absolute, and the pattern is the usual one")
            .of_plugin(plugin)
    }

    /// Creates a source called `name` that reports diagnostics about the folder, and plugins that differ from the `composed` ones.
    pub fn diagnostics_source(
        &self,
        name: impl Into<String>,
        base: &Path,
        composed: InstalledPlugins,
    ) -> Arc<dyn Source<Skill>> {
        let (options, base) = (self.clone(), base.to_owned());
        PluginDiagnostics::composed(name.into(), move || options.find(&base), composed.plugins)
    }
}
