//! The places below a folder that hold skills apart from it.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use repertoire_core::{Code, Diagnostic, SkippedFolder};

use super::plugin_files::{Marketplace, PluginManifest};
use super::{InstalledPlugins, PluginSearch, folders, shown};
use crate::pattern::FILE_NAME;
use crate::{AgentFolders, FsLimits};

impl InstalledPlugins {
    /// Finds the plugins and the skill folders of agents anywhere below `folder`: two of them may use one name without a conflict.
    ///
    /// The folder itself is not among the plugins. Links that lead out of it are reported and not followed. Blocks for a few system
    /// calls for each folder.
    ///
    /// A skill folder is any `.NAME/skills`, or one of `agents` whose path is relative and begins with a dot. A plugin is a folder that a `marketplace.json` names,
    /// one with a `plugin.json`, and one with `skills` in a folder called `plugins`.
    pub fn find_below(folder: &Path, agents: &AgentFolders) -> InstalledPlugins {
        let limits = FsLimits::default();
        let mut found = PluginSearch::in_cache(folder);
        let mut all = InstalledPlugins {
            plugins: Vec::new(),
            client_folders: Vec::new(),
            diagnostics: Vec::new(),
        };
        let mut level = vec![folder.to_owned()];
        let mut room = limits.folders;
        for _ in 0..=limits.depth {
            level.truncate(room);
            room -= level.len();
            let mut next = Vec::new();
            for place in std::mem::take(&mut level) {
                found.meet(&place);
                if place != folder && place.join(FILE_NAME).is_file() {
                    continue;
                }
                let entries = place.read_dir().into_iter().flatten().flatten();
                let real =
                    entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
                let mut names: Vec<_> = real.map(|entry| entry.file_name()).collect();
                names.retain(|name| SkippedFolder::of(name).is_none());
                names.sort();
                for name in names {
                    if name.as_encoded_bytes().first() == Some(&b'.') {
                        for found in client_folders(agents, &place.join(&name)) {
                            if leads_out(&found, folder) {
                                let message =
                                    "the skill folder is a link that leads out; it is not searched";
                                all.diagnostics.push(
                                    Diagnostic::new(Code::LINK_LEADS_OUT, message)
                                        .at_path(shown(&found)),
                                );
                            } else {
                                all.client_folders.push(found);
                            }
                        }
                    } else {
                        next.push(place.join(name));
                    }
                }
            }
            level = next;
        }
        all.plugins = found.plugins;
        for diagnostic in found.diagnostics {
            // A plugin that a marketplace names is met again in its own folder.
            if !all.diagnostics.contains(&diagnostic) {
                all.diagnostics.push(diagnostic);
            }
        }
        let mut seen = HashSet::new();
        all.plugins
            .retain(|plugin| plugin.folder != folder && seen.insert(plugin.folder.clone()));
        all
    }
}

fn leads_out(path: &Path, folder: &Path) -> bool {
    let real = path
        .canonicalize()
        .and_then(|path| Ok(path.starts_with(folder.canonicalize()?)));
    !real.unwrap_or_default()
}

/// Returns the skill folders in `hidden`, whose name begins with a dot.
fn client_folders(agents: &AgentFolders, hidden: &Path) -> Vec<PathBuf> {
    let known = agents.project.iter().chain(&agents.home);
    let known = known.filter_map(|path| {
        let below = path.strip_prefix(hidden.file_name()?).ok()?;
        Some(hidden.join(below))
    });
    let mut folders: Vec<PathBuf> = known.chain([hidden.join("skills")]).collect();
    folders.sort();
    folders.dedup();
    folders.retain(|folder| folder.is_dir());
    folders
}

impl PluginSearch {
    fn meet(&mut self, place: &Path) {
        let is_of_plugins = place.file_name().is_some_and(|name| name == "plugins");
        if let Some(marketplace) = Marketplace::read(place, &mut self.diagnostics) {
            self.listed(place, marketplace);
        } else if is_of_plugins {
            // A link among them is another way to a plugin that is met in its own place, or leads out.
            let all = folders(place)
                .into_iter()
                .filter(|(_, plugin)| !plugin.is_symlink());
            for (name, plugin) in all.filter(|(_, plugin)| plugin.join("skills").is_dir()) {
                self.add(&plugin, name);
            }
        } else if PluginManifest::is_in(place) {
            let name = place
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            self.add(place, name);
        }
    }

    fn add(&mut self, place: &Path, name: String) {
        if !self.plugins.iter().any(|plugin| plugin.folder == place) {
            let plugin = self.plugin(place, name, None);
            self.plugins.push(plugin);
        }
    }
}
