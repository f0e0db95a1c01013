//! The plugins that clients install as folders.

mod described;
mod findings;
mod installed;
mod layout;
mod options;
mod origin;
mod version;

use std::fs;
use std::path::{Path, PathBuf};

use repertoire_core::{Code, Diagnostic, Id};

use crate::FsSource;
use described::{Manifest, Marketplace};
use installed::Installed;
use version::Version;

pub use findings::ClientPluginsFindings;
pub use layout::Layout;
pub use options::ClientPluginsOptions;
pub(crate) use origin::PluginOrigin;

/// The plugins that a client keeps in one folder: one version of each.
///
/// These layouts are known, `skills` standing for what a `plugin.json` names instead:
///
/// - `NAME/skills`, as in a repository's `plugins`
/// - `NAME/VERSION/skills` and `MARKETPLACE/NAME/VERSION/skills`, as in a client's cache
/// - a `.claude-plugin/marketplace.json` that names the folders itself
///
/// Of several versions the one counts that an installation record names (`installed_plugins.json`, in the folder or beside
/// it); without a record the highest, compared as versions are: 1.10 is after 1.9. A folder that a file names counts only if it
/// lies inside its plugin, links resolved.
///
/// These are folders of files: nothing in them is run. A library of code is `repertoire-source-plugin`'s affair.
///
/// ```no_run
/// use std::path::Path;
///
/// use repertoire_source_fs::ClientPlugins;
///
/// let found = ClientPlugins::find(Path::new("/home/ada/.claude/plugins/cache"));
/// for plugin in found.plugins {
///     // Composed namespaced, so that two plugins cannot take each other's names.
///     println!("{} {:?}", plugin.name, plugin.skills);
/// }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClientPlugins {
    /// The plugins, by name; no name twice.
    pub plugins: Vec<ClientPlugin>,
    /// What could not be read, and what was left out.
    pub diagnostics: Vec<Diagnostic>,
}

/// One plugin that a client installed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClientPlugin {
    /// What it is called: the namespace of its skills.
    pub name: String,
    /// Its version, where the layout or its `plugin.json` tells.
    pub version: Option<String>,
    /// Its folder.
    pub folder: PathBuf,
    /// The folders that hold its skills, whether they exist or not; absolute, at least one.
    pub skills: Vec<PathBuf>,
    pub(crate) origin: PluginOrigin,
}

impl ClientPlugin {
    /// A source over its skills, to be composed namespaced at the tier of plugins.
    pub fn source(&self) -> FsSource {
        ClientPluginsOptions::new(&self.folder).source(self, self.name.as_str())
    }
}

impl ClientPlugins {
    /// Finds the plugins in `folder`; none, if it is not there. Blocks for a few system calls for each plugin.
    pub fn find(folder: &Path) -> ClientPlugins {
        let folder = &std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
        let mut found = Found::in_cache(folder);
        match Marketplace::read(folder, &mut found.diagnostics) {
            Some(marketplace) => found.listed(folder, marketplace),
            None => found.walk(folder),
        }
        found.plugins.sort_by(|a, b| a.name.cmp(&b.name).then_with(|| a.folder.cmp(&b.folder)));
        let Found { mut plugins, mut diagnostics, .. } = found;
        plugins.retain(|plugin| !plugin.skills.is_empty());
        plugins.retain(|plugin| {
            if !is_name(&plugin.name) {
                let message = format!(
                    "`{}` is no name for a plugin; it was left out",
                    repertoire_core::text::terminal_line(&plugin.name)
                );
                diagnostics.push(Diagnostic::new(Code::CLIENT_PLUGIN, message).at_path(shown(&plugin.folder)));
            }
            is_name(&plugin.name)
        });
        plugins.dedup_by(|later, first| {
            let is_taken = later.name == first.name;
            if is_taken {
                let message = format!("plugin `{}` is there twice; the first one stays", later.name);
                let place = shown(&later.folder);
                diagnostics
                    .push(Diagnostic::new(Code::CLIENT_PLUGIN, message).at_path(place).and_path(shown(&first.folder)));
            }
            is_taken
        });
        ClientPlugins { plugins, diagnostics }
    }
}

struct Found {
    cache: PathBuf,
    installed: Installed,
    plugins: Vec<ClientPlugin>,
    diagnostics: Vec<Diagnostic>,
}

impl Found {
    /// Returns what is found in `folder` before anything was looked at.
    fn in_cache(folder: &Path) -> Found {
        let (cache, installed) = (folder.to_owned(), Installed::read(folder));
        Found { cache, installed, plugins: Vec::new(), diagnostics: Vec::new() }
    }

    /// What a marketplace lists.
    fn listed(&mut self, folder: &Path, marketplace: Marketplace) {
        for entry in marketplace.plugins {
            let Some(place) = self.inside(folder, &entry.source) else { continue };
            let mut plugin = self.plugin(&place, entry.name, None);
            if !entry.skills.is_empty() {
                plugin.skills = entry.skills.iter().filter_map(|path| self.inside(&place, path)).collect();
            }
            self.plugins.push(plugin);
        }
    }

    /// What lies in a cache or a folder of plugins.
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

    /// The version of one plugin that counts; whether there is any.
    fn versions(&mut self, name: &str, place: &Path) -> bool {
        let mut versions: Vec<_> = folders(place).into_iter().filter(|(_, place)| is_plugin(place)).collect();
        versions.sort_by(|(a, _), (b, _)| Version::of(a).cmp(&Version::of(b)));
        let recorded = versions.iter().find(|(version, place)| self.installed.names(name, version, place)).cloned();
        let Some((version, place)) = recorded.or_else(|| versions.pop()) else { return false };
        let plugin = self.plugin(&place, name.to_owned(), Some(version));
        self.plugins.push(plugin);
        true
    }

    /// The plugin at `place`, called `name` unless its own file says otherwise.
    fn plugin(&mut self, place: &Path, name: String, version: Option<String>) -> ClientPlugin {
        let manifest = Manifest::read(place, &mut self.diagnostics).unwrap_or_default();
        let paths = if manifest.skills.is_empty() { vec!["skills".to_owned()] } else { manifest.skills };
        let skills = paths.iter().filter_map(|path| self.inside(place, path)).collect();
        // A name that could not stand before a colon is the folder's.
        let own = manifest.name.filter(|name| is_name(name));
        let version = version.or(manifest.version);
        let name = own.unwrap_or(name);
        let origin = PluginOrigin { cache: self.cache.clone(), name: name.clone() };
        ClientPlugin { name, version, folder: place.to_owned(), skills, origin }
    }

    /// The path that a file of a plugin names, if it stays inside.
    fn inside(&mut self, place: &Path, path: &str) -> Option<PathBuf> {
        let named = place.join(path.trim_start_matches("./"));
        let is_plain = !Path::new(path).has_root() && !path.split(['/', '\\']).any(|part| part == "..");
        let real = |path: &Path| path.canonicalize().ok();
        let stays = match (real(&named), real(place)) {
            (Some(named), Some(place)) => named.starts_with(place),
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
        self.diagnostics.push(Diagnostic::new(Code::CLIENT_PLUGIN, message).at_path(shown(place)));
        None
    }
}

/// Whether a source can be called so: an id that may stand before a colon.
fn is_name(name: &str) -> bool {
    !name.contains(':') && Id::new(name).is_ok()
}

fn is_plugin(place: &Path) -> bool {
    place.join("skills").is_dir() || Manifest::is_in(place)
}

/// The folders in `folder` that are not hidden, by name.
fn folders(folder: &Path) -> Vec<(String, PathBuf)> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let named = entries.filter_map(|entry| Some((entry.file_name().into_string().ok()?, entry.path())));
    let mut folders: Vec<_> = named.filter(|(name, place)| !name.starts_with('.') && place.is_dir()).collect();
    folders.sort();
    folders
}

fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests;
