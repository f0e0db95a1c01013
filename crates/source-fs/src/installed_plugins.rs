//! The plugins that clients install as folders.

mod diagnostics;
mod installed;
mod layout;
mod options;
mod plugin_files;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use repertoire_core::{Code, Diagnostic, Id, Skill, Source};

use crate::root::{RootInputs, SearchPlan};
use diagnostics::PluginDiagnostics;
use installed::{InstallationRecord, PluginVersion};
use plugin_files::{Marketplace, PluginManifest};

pub use options::InstalledPluginOptions;

/// Plugins that are folders of files: those that a client keeps in one folder, one version of each, or those anywhere below one.
///
/// These layouts are known, where a `plugin.json` can name folders in place of `skills`:
///
/// - `NAME/skills`, as in a repository's `plugins`
/// - `NAME/VERSION/skills` and `MARKETPLACE/NAME/VERSION/skills`, as in a client's cache
/// - a `.claude-plugin/marketplace.json` that names the folders itself
///
/// Of several versions the one counts that an installation record names (`installed_plugins.json`, in the folder or beside
/// it). Without a record the highest one counts: 1.10 is after 1.9. A folder that a file names counts only if its real path is
/// inside its plugin.
///
/// These plugins are folders of files, and nothing in them is run. Libraries of code are loaded by `repertoire-source-plugin`.
///
/// ```no_run
/// use std::path::Path;
///
/// use repertoire_source_fs::InstalledPlugins;
///
/// let found = InstalledPlugins::find(Path::new("/home/ada/.claude/plugins/cache"));
/// for plugin in found.plugins {
///     // Composed namespaced, so that two plugins cannot take each other's names.
///     println!("{} {:?}", plugin.name, plugin.skills);
/// }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct InstalledPlugins {
    /// The plugins, by name; no name twice.
    pub plugins: Vec<InstalledPlugin>,
    /// The skill folders of clients whose path begins with a dot, as in `.claude/skills`. Only [`find_below`](Self::find_below) looks
    /// for them; wildcards do not match them.
    pub client_folders: Vec<PathBuf>,
    /// The diagnostics about plugins that are left out.
    pub diagnostics: Vec<Diagnostic>,
}

/// A plugin that a client installed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct InstalledPlugin {
    /// The name of the plugin: the namespace of its skills.
    pub name: String,
    /// Its version, from the layout or its `plugin.json`.
    pub(crate) version: Option<String>,
    /// Its folder.
    pub folder: PathBuf,
    /// The folders that hold its skills, whether they exist or not; absolute, at least one.
    pub skills: Vec<PathBuf>,
    pub(crate) origin: PluginOrigin,
}

impl InstalledPlugins {
    /// Returns a source called `name` that reports the diagnostics, if there are any.
    pub fn diagnostics_source(&self, name: &str) -> Option<Arc<dyn Source<Skill>>> {
        let diagnostics = self.diagnostics.clone();
        (!diagnostics.is_empty()).then(|| PluginDiagnostics::fixed(name.to_owned(), diagnostics))
    }

    /// Finds the plugins in `folder`; none, if it is not there. Blocks for a few system calls for each plugin.
    pub fn find(folder: &Path) -> InstalledPlugins {
        let folder = &std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
        let mut found = PluginSearch::in_cache(folder);
        match Marketplace::read(folder, &mut found.diagnostics) {
            Some(marketplace) => found.listed(folder, marketplace),
            None => found.walk(folder),
        }
        found
            .plugins
            .sort_by(|a, b| a.name.cmp(&b.name).then_with(|| a.folder.cmp(&b.folder)));
        let PluginSearch {
            mut plugins,
            mut diagnostics,
            ..
        } = found;
        plugins.retain(|plugin| !plugin.skills.is_empty());
        plugins.retain(|plugin| {
            if !is_name(&plugin.name) {
                let message = format!(
                    "`{}` is no name for a plugin; it was left out",
                    repertoire_core::text::terminal_line(&plugin.name)
                );
                diagnostics.push(
                    Diagnostic::new(Code::CLIENT_PLUGIN, message).at_path(shown(&plugin.folder)),
                );
            }
            is_name(&plugin.name)
        });
        plugins.dedup_by(|later, first| {
            let is_taken = later.name == first.name;
            if is_taken {
                let message = format!(
                    "plugin `{}` is there twice; the first one is used",
                    later.name
                );
                let place = shown(&later.folder);
                diagnostics.push(
                    Diagnostic::new(Code::CLIENT_PLUGIN, message)
                        .at_path(place)
                        .and_path(shown(&first.folder)),
                );
            }
            is_taken
        });
        InstalledPlugins {
            plugins,
            client_folders: Vec::new(),
            diagnostics,
        }
    }
}

/// The place where a client keeps a plugin, whatever its version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PluginOrigin {
    cache: PathBuf,
    name: String,
}

impl PluginOrigin {
    pub(crate) fn plugin(&self) -> Option<InstalledPlugin> {
        InstalledPlugins::find(&self.cache)
            .plugins
            .into_iter()
            .find(|plugin| plugin.name == self.name)
    }
}

impl InstalledPlugin {
    /// Returns `plan` over the skills of this plugin.
    pub(crate) fn plan(&self, plan: SearchPlan) -> SearchPlan {
        let SearchPlan { starts, .. } = SearchPlan::new(
            self.skills.iter().cloned(),
            plan.patterns.clone(),
            plan.limits.clone(),
        );
        SearchPlan {
            starts,
            within: Some(self.folder.clone()),
            inputs: self.inputs(),
            ..plan
        }
    }

    fn inputs(&self) -> RootInputs {
        const RECORD: &str = "installed_plugins.json";
        let cache = &self.origin.cache;
        let mut files = vec![
            cache.join(RECORD),
            cache.join(".claude-plugin/marketplace.json"),
        ];
        files.extend(cache.parent().map(|above| above.join(RECORD)));
        files.push(self.folder.join(".claude-plugin/plugin.json"));
        // The folder of versions, and each version that may be chosen next.
        let mut inputs = RootInputs {
            files,
            folders: Vec::new(),
        };
        if let Some(versions) = self.folder.parent().filter(|versions| *versions != cache) {
            inputs
                .folders
                .extend(folders(versions).into_iter().map(|(_, version)| version));
            inputs.folders.push(versions.to_owned());
            inputs.folders.retain(|folder| {
                fs::symlink_metadata(folder).is_ok_and(|metadata| metadata.is_dir())
            });
        }
        inputs
    }
}

struct PluginSearch {
    cache: PathBuf,
    installed: InstallationRecord,
    plugins: Vec<InstalledPlugin>,
    diagnostics: Vec<Diagnostic>,
}

impl PluginSearch {
    fn in_cache(folder: &Path) -> PluginSearch {
        let (cache, installed) = (folder.to_owned(), InstallationRecord::read(folder));
        PluginSearch {
            cache,
            installed,
            plugins: Vec::new(),
            diagnostics: Vec::new(),
        }
    }

    fn listed(&mut self, folder: &Path, marketplace: Marketplace) {
        for entry in marketplace.plugins {
            let Some(place) = self.inside(folder, &entry.source) else {
                continue;
            };
            let mut plugin = self.plugin(&place, entry.name, None);
            if !entry.skills.is_empty() {
                plugin.skills = entry
                    .skills
                    .iter()
                    .filter_map(|path| self.inside(&place, path))
                    .collect();
            }
            self.plugins.push(plugin);
        }
    }

    fn walk(&mut self, folder: &Path) {
        for (name, place) in folders(folder) {
            if is_plugin(&place) {
                let plugin = self.plugin(&place, name, None);
                self.plugins.push(plugin);
            } else if !self.versions(&name, &place) {
                for (name, place) in folders(&place) {
                    self.versions(&name, &place);
                }
            }
        }
    }

    fn versions(&mut self, name: &str, place: &Path) -> bool {
        let mut versions: Vec<_> = folders(place)
            .into_iter()
            .filter(|(_, place)| is_plugin(place))
            .collect();
        versions.sort_by(|(a, _), (b, _)| PluginVersion::of(a).cmp(&PluginVersion::of(b)));
        let recorded = versions
            .iter()
            .find(|(version, place)| self.installed.names(name, version, place))
            .cloned();
        let Some((version, place)) = recorded.or_else(|| versions.pop()) else {
            return false;
        };
        let plugin = self.plugin(&place, name.to_owned(), Some(version));
        self.plugins.push(plugin);
        true
    }

    fn plugin(&mut self, place: &Path, name: String, version: Option<String>) -> InstalledPlugin {
        let manifest = PluginManifest::read(place, &mut self.diagnostics).unwrap_or_default();
        let paths = if manifest.skills.is_empty() {
            vec!["skills".to_owned()]
        } else {
            manifest.skills
        };
        let skills = paths
            .iter()
            .filter_map(|path| self.inside(place, path))
            .collect();
        // A name that could not stand before a colon is the folder's.
        let own = manifest.name.filter(|name| is_name(name));
        let version = version.or(manifest.version);
        let name = own.unwrap_or(name);
        let origin = PluginOrigin {
            cache: self.cache.clone(),
            name: name.clone(),
        };
        InstalledPlugin {
            name,
            version,
            folder: place.to_owned(),
            skills,
            origin,
        }
    }

    fn inside(&mut self, place: &Path, path: &str) -> Option<PathBuf> {
        let named = place.join(path.trim_start_matches("./"));
        let is_plain =
            !Path::new(path).has_root() && !path.split(['/', '\\']).any(|part| part == "..");
        let stays = match (named.canonicalize(), place.canonicalize()) {
            (Ok(named), Ok(place)) => named.starts_with(place),
            // What is not there leads nowhere yet.
            _ => true,
        };
        if is_plain && stays {
            return Some(named);
        }
        let message = format!(
            "`{}` leaves the plugin that names it; it was left out",
            repertoire_core::text::terminal_line(path)
        );
        self.diagnostics
            .push(Diagnostic::new(Code::CLIENT_PLUGIN, message).at_path(shown(place)));
        None
    }
}

fn is_name(name: &str) -> bool {
    !name.contains(':') && Id::new(name).is_ok()
}

fn is_plugin(place: &Path) -> bool {
    place.join("skills").is_dir() || PluginManifest::is_in(place)
}

fn folders(folder: &Path) -> Vec<(String, PathBuf)> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let named =
        entries.filter_map(|entry| Some((entry.file_name().into_string().ok()?, entry.path())));
    let mut folders: Vec<_> = named
        .filter(|(name, place)| !name.starts_with('.') && place.is_dir())
        .collect();
    folders.sort();
    folders
}

fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests;
