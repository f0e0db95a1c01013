//! Which version of a plugin is installed.

use std::path::{Path, PathBuf};

use super::described::quietly;

/// What a client wrote down when it installed: plugin, version, folder.
#[derive(Debug, Default)]
pub(super) struct Installed(Vec<(String, Option<String>, Option<PathBuf>)>);

impl Installed {
    /// The record in `folder` or beside it.
    pub(super) fn read(folder: &Path) -> Installed {
        const NAME: &str = "installed_plugins.json";
        let places = [Some(folder.join(NAME)), folder.parent().map(|above| above.join(NAME))];
        let record = places.into_iter().flatten().find_map(|path| quietly(&path)).unwrap_or_default();
        let mut rows = Vec::new();
        for (key, value) in record["plugins"].as_object().into_iter().flatten() {
            // `name@marketplace`, and one row or, by scope, several.
            let name = key.split('@').next().unwrap_or(key);
            let several = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
            for row in several {
                let text = |key: &str| row[key].as_str().map(str::to_owned);
                rows.push((name.to_owned(), text("version"), text("installPath").map(PathBuf::from)));
            }
        }
        Installed(rows)
    }

    /// Whether the record names this version of a plugin.
    pub(super) fn names(&self, plugin: &str, version: &str, folder: &Path) -> bool {
        self.0.iter().any(|(name, recorded, path)| {
            let is_there = path.as_deref().and_then(|path| path.canonicalize().ok()) == folder.canonicalize().ok();
            name == plugin && (recorded.as_deref() == Some(version) || path.is_some() && is_there)
        })
    }
}
