//! The way from a source back to its plugin.

use std::fs;
use std::path::PathBuf;

use super::{ClientPlugin, ClientPlugins, folders};
use crate::root::Guides;

/// The place where a client keeps a plugin, whatever its version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PluginOrigin {
    pub(super) cache: PathBuf,
    pub(super) name: String,
}

impl PluginOrigin {
    /// Finds the plugin in the version that counts now; `None` if it is not installed any more.
    pub(crate) fn plugin(&self) -> Option<ClientPlugin> {
        ClientPlugins::find(&self.cache).plugins.into_iter().find(|plugin| plugin.name == self.name)
    }
}

impl ClientPlugin {
    /// Returns what decides which version of the plugin counts: to be watched beside its skills.
    pub(crate) fn guides(&self) -> Guides {
        const RECORD: &str = "installed_plugins.json";
        let cache = &self.origin.cache;
        let mut files = vec![cache.join(RECORD), cache.join(".claude-plugin/marketplace.json")];
        files.extend(cache.parent().map(|above| above.join(RECORD)));
        files.push(self.folder.join(".claude-plugin/plugin.json"));
        // The folder of versions, and those who may become the one that counts.
        let mut guides = Guides { files, folders: Vec::new() };
        if let Some(versions) = self.folder.parent().filter(|versions| *versions != cache) {
            guides.folders.extend(folders(versions).into_iter().map(|(_, version)| version));
            guides.folders.push(versions.to_owned());
            guides.folders.retain(|folder| fs::symlink_metadata(folder).is_ok_and(|metadata| metadata.is_dir()));
        }
        guides
    }
}
