//! What a configuration says of the plugins of a client.

use std::path::{Path, PathBuf};

use repertoire_core::{Code, Diagnostic};
use serde::Deserialize;

use super::{ClientPlugin, ClientPlugins, ClientPluginsFindings, shown};
use crate::{FsLimits, FsOptions, FsSource, WatchOptions};

/// Which plugins of a client make sources. Keys are in kebab case; an unknown key is an error.
///
/// ```toml
/// path = "~/.claude/plugins/cache"
/// only = ["kit", "tool"]
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct ClientPluginsOptions {
    /// The folder that [`ClientPlugins::find`] looks at, absolute or relative to the base.
    pub path: PathBuf,
    /// The plugins that count, by name. Default: all.
    #[serde(default)]
    pub only: Option<Vec<String>>,
    /// Bounds on what is visited and read, for each plugin.
    #[serde(default)]
    pub limits: FsLimits,
    /// How to [keep up](FsSource::watching) with the skills of each plugin. Default: not at all.
    #[serde(default)]
    pub watch: Option<WatchOptions>,
}

impl ClientPluginsOptions {
    /// All plugins in `path`.
    pub fn new(path: impl Into<PathBuf>) -> ClientPluginsOptions {
        ClientPluginsOptions { path: path.into(), only: None, limits: FsLimits::default(), watch: None }
    }

    /// Finds the plugins that count; blocks as [`ClientPlugins::find`] does. A plugin that is asked for and not there is a
    /// finding.
    pub fn find(&self, base: &Path) -> ClientPlugins {
        let folder = base.join(&self.path);
        let mut found = ClientPlugins::find(&folder);
        let Some(only) = &self.only else { return found };
        for name in only {
            if !found.plugins.iter().any(|plugin| plugin.name == *name) {
                let message = format!("no plugin `{}` is there", repertoire_core::text::terminal_line(name));
                found.diagnostics.push(Diagnostic::new(Code::CLIENT_PLUGIN, message).at_path(shown(&folder)));
            }
        }
        found.plugins.retain(|plugin| only.contains(&plugin.name));
        found
    }

    /// A source over the skills of `plugin`, called `name`: most often the plugin's own. Links that lead out of the
    /// plugin are not followed. When the client moves the plugin to another version, the source follows.
    pub fn source(&self, plugin: &ClientPlugin, name: impl Into<String>) -> FsSource {
        let (limits, watch) = (self.limits.clone(), self.watch.clone());
        let options = FsOptions { roots: plugin.skills.clone(), limits, watch, ..FsOptions::default() };
        let source = FsSource::from_options(name, &plugin.folder, options);
        source.expect("there is a root, all of them are absolute, and the pattern is the usual one").of_plugin(plugin)
    }

    /// A source called `name` that tells what is wrong or odd in the folder, beside those of the plugins that were
    /// `composed`.
    pub fn findings(&self, name: impl Into<String>, base: &Path, composed: ClientPlugins) -> ClientPluginsFindings {
        ClientPluginsFindings::new(name.into(), base.to_owned(), self.clone(), composed.plugins)
    }
}
