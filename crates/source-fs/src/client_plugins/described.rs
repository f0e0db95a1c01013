//! What plugins and marketplaces say of themselves.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use repertoire_core::{Code, Diagnostic};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};

/// Where clients put these files.
const PLACES: [&str; 2] = [".claude-plugin", ".codex-plugin"];

/// Bytes of such a file.
const LARGEST: u64 = 1 << 20;

/// `plugin.json`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Manifest {
    pub(super) name: Option<String>,
    pub(super) version: Option<String>,
    #[serde(deserialize_with = "one_or_many")]
    pub(super) skills: Vec<String>,
}

/// `marketplace.json`.
#[derive(Debug, Deserialize)]
pub(super) struct Marketplace {
    #[serde(default, deserialize_with = "local")]
    pub(super) plugins: Vec<Entry>,
}

/// One plugin of a marketplace that lies in its own folder.
#[derive(Debug, Deserialize)]
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) source: String,
    #[serde(default, deserialize_with = "one_or_many")]
    pub(super) skills: Vec<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

fn one_or_many<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    Ok(match OneOrMany::deserialize(deserializer)? {
        OneOrMany::One(path) => vec![path],
        OneOrMany::Many(paths) => paths,
    })
}

/// Plugins that are elsewhere, at an address, are not installed here.
fn local<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Entry>, D::Error> {
    let entries = Vec::<serde_json::Value>::deserialize(deserializer)?;
    Ok(entries.into_iter().filter_map(|entry| serde_json::from_value(entry).ok()).collect())
}

impl Manifest {
    pub(super) fn is_in(place: &Path) -> bool {
        PLACES.iter().any(|folder| place.join(folder).join("plugin.json").is_file())
    }

    pub(super) fn read(place: &Path, diagnostics: &mut Vec<Diagnostic>) -> Option<Manifest> {
        read(place, "plugin.json", diagnostics)
    }
}

impl Marketplace {
    /// With `pluginRoot` put before each source.
    pub(super) fn read(place: &Path, diagnostics: &mut Vec<Diagnostic>) -> Option<Marketplace> {
        let raw: serde_json::Value = read(place, "marketplace.json", diagnostics)?;
        let root = raw.pointer("/metadata/pluginRoot").and_then(|root| root.as_str()).map(str::to_owned);
        let mut marketplace: Marketplace = serde_json::from_value(raw).ok()?;
        for entry in &mut marketplace.plugins {
            if let Some(root) = &root {
                entry.source = format!("{}/{}", root.trim_end_matches('/'), entry.source.trim_start_matches("./"));
            }
        }
        Some(marketplace)
    }
}

/// The JSON of a file, if it is there.
fn read<T: DeserializeOwned>(place: &Path, name: &str, diagnostics: &mut Vec<Diagnostic>) -> Option<T> {
    let path = PLACES.iter().map(|folder| place.join(folder).join(name)).find(|path| path.is_file())?;
    // Errors quote what they are about, and a link can lead to a secret.
    let is_inside =
        path.canonicalize().is_ok_and(|path| place.canonicalize().is_ok_and(|place| path.starts_with(place)));
    if !is_inside {
        let message = format!("`{name}` is a link that leads out of the plugin, and is not read");
        diagnostics.push(Diagnostic::new(Code::LINK_LEADS_OUT, message).at_path(super::shown(&path)));
        return None;
    }
    let bytes = File::open(&path).and_then(|file| {
        let mut bytes = Vec::new();
        file.take(LARGEST).read_to_end(&mut bytes).map(|_| bytes)
    });
    let parsed = bytes.map_err(|error| error.to_string());
    let parsed = parsed.and_then(|bytes| serde_json::from_slice(&bytes).map_err(|error| error.to_string()));
    match parsed {
        Ok(parsed) => Some(parsed),
        Err(error) => {
            let message = format!("`{name}` cannot be understood, and says nothing: {error}");
            diagnostics.push(Diagnostic::new(Code::CLIENT_PLUGIN, message).at_path(super::shown(&path)));
            None
        }
    }
}

/// The JSON of a file that nobody misses.
pub(super) fn quietly(path: &Path) -> Option<serde_json::Value> {
    let is_small = fs::metadata(path).ok().is_some_and(|metadata| metadata.is_file() && metadata.len() <= LARGEST);
    is_small.then(|| fs::read(path).ok()).flatten().and_then(|bytes| serde_json::from_slice(&bytes).ok())
}
