//! The installed version of a plugin: the record of the client, and the order of versions.

use std::cmp::Ordering;
use std::path::{Path, PathBuf};

use super::plugin_files::read_optional;

/// The record that a client keeps of plugin, version and folder.
#[derive(Debug, Default)]
pub(super) struct InstallationRecord(Vec<(String, Option<String>, Option<PathBuf>)>);

impl InstallationRecord {
    pub(super) fn read(folder: &Path) -> InstallationRecord {
        const NAME: &str = "installed_plugins.json";
        let places = [
            Some(folder.join(NAME)),
            folder.parent().map(|above| above.join(NAME)),
        ];
        let record = places
            .into_iter()
            .flatten()
            .find_map(|path| read_optional(&path))
            .unwrap_or_default();
        let mut rows = Vec::new();
        for (key, value) in record["plugins"].as_object().into_iter().flatten() {
            // `name@marketplace`, and one row or, by scope, several.
            let name = key.split('@').next().unwrap_or(key);
            let several = value
                .as_array()
                .map_or(std::slice::from_ref(value), Vec::as_slice);
            for row in several {
                let text = |key: &str| row[key].as_str().map(str::to_owned);
                rows.push((
                    name.to_owned(),
                    text("version"),
                    text("installPath").map(PathBuf::from),
                ));
            }
        }
        InstallationRecord(rows)
    }

    pub(super) fn names(&self, plugin: &str, version: &str, folder: &Path) -> bool {
        self.0.iter().any(|(name, recorded, path)| {
            let is_there = path.as_deref().and_then(|path| path.canonicalize().ok())
                == folder.canonicalize().ok();
            name == plugin && (recorded.as_deref() == Some(version) || path.is_some() && is_there)
        })
    }
}

/// A version. Numbers compare as numbers, and a pre-release is before its release.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PluginVersion<'a> {
    numbers: Vec<VersionPart<'a>>,
    /// Behind the first hyphen.
    before: Option<Vec<VersionPart<'a>>>,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum VersionPart<'a> {
    Text(&'a str),
    Number(u64),
}

impl<'a> PluginVersion<'a> {
    pub(super) fn of(text: &'a str) -> PluginVersion<'a> {
        // Build metadata follows a plus sign.
        let text = text
            .strip_prefix('v')
            .unwrap_or(text)
            .split('+')
            .next()
            .unwrap_or_default();
        let parts = |text: &'a str| {
            text.split('.').map(|part| {
                part.parse()
                    .map_or(VersionPart::Text(part), VersionPart::Number)
            })
        };
        match text.split_once('-') {
            Some((numbers, before)) => PluginVersion {
                numbers: parts(numbers).collect(),
                before: Some(parts(before).collect()),
            },
            None => PluginVersion {
                numbers: parts(text).collect(),
                before: None,
            },
        }
    }
}

impl Ord for PluginVersion<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.numbers
            .cmp(&other.numbers)
            .then_with(|| match (&self.before, &other.before) {
                (None, None) => Ordering::Equal,
                (None, Some(_)) => Ordering::Greater,
                (Some(_), None) => Ordering::Less,
                (Some(a), Some(b)) => a.cmp(b),
            })
    }
}

impl PartialOrd for PluginVersion<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
