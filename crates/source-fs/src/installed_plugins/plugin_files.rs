//! The JSON files of plugins and marketplaces.

use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions};
use repertoire_core::{Code, Diagnostic};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::error::Category;

use super::shown;
use crate::file;
use crate::file_system::FileSystem;

/// The folders of a plugin in which clients keep these files.
const PLACES: [&str; 2] = [".claude-plugin", ".codex-plugin"];

/// The size limit of one file, in bytes.
const LARGEST: u64 = 1 << 20;

/// The content of a `plugin.json`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct PluginManifest {
    pub(super) name: Option<String>,
    pub(super) version: Option<String>,
    #[serde(deserialize_with = "one_or_many")]
    pub(super) skills: Vec<String>,
}

/// The content of a `marketplace.json`.
#[derive(Debug)]
pub(super) struct Marketplace {
    /// The plugins that lie in folders of the marketplace, not those at an address.
    pub(super) plugins: Vec<MarketplaceEntry>,
}

/// A plugin of a marketplace.
#[derive(Debug, Deserialize)]
pub(super) struct MarketplaceEntry {
    pub(super) name: String,
    pub(super) source: String,
    #[serde(default, deserialize_with = "one_or_many")]
    pub(super) skills: Vec<String>,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a string or a list of strings")]
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

impl PluginManifest {
    pub(super) fn is_in(place: &Path) -> bool {
        PLACES
            .iter()
            .any(|folder| place.join(folder).join("plugin.json").is_file())
    }

    pub(super) fn read(place: &Path, diagnostics: &mut Vec<Diagnostic>) -> Option<PluginManifest> {
        read(place, "plugin.json", diagnostics)
    }
}

impl Marketplace {
    pub(super) fn read(place: &Path, diagnostics: &mut Vec<Diagnostic>) -> Option<Marketplace> {
        #[derive(Deserialize)]
        struct RawMarketplace {
            #[serde(default)]
            metadata: MarketplaceMetadata,
            #[serde(default)]
            plugins: Vec<serde_json::Value>,
        }
        #[derive(Default, Deserialize)]
        struct MarketplaceMetadata {
            #[serde(rename = "pluginRoot")]
            plugin_root: Option<String>,
        }
        const NAME: &str = "marketplace.json";
        let RawMarketplace { metadata, plugins } = read(place, NAME, diagnostics)?;
        let mut marketplace = Marketplace {
            plugins: Vec::new(),
        };
        for (index, entry) in plugins.into_iter().enumerate() {
            // A plugin at an address is not installed here.
            if entry["source"].is_object() {
                continue;
            }
            let Ok(mut entry) = serde_json::from_value::<MarketplaceEntry>(entry) else {
                let message = format!(
                    "plugin {} of `{NAME}` is skipped: expected strings `name` and `source`",
                    index + 1
                );
                let path = path_of(place, NAME).unwrap_or_else(|| place.to_owned());
                diagnostics
                    .push(Diagnostic::new(Code::CLIENT_PLUGIN, message).at_path(shown(&path)));
                continue;
            };
            if let Some(root) = &metadata.plugin_root {
                entry.source = format!(
                    "{}/{}",
                    root.trim_end_matches('/'),
                    entry.source.trim_start_matches("./")
                );
            }
            marketplace.plugins.push(entry);
        }
        Some(marketplace)
    }
}

fn path_of(place: &Path, name: &str) -> Option<PathBuf> {
    PLACES
        .iter()
        .map(|folder| place.join(folder).join(name))
        .find(|path| path.is_file())
}

fn read<T: DeserializeOwned>(
    place: &Path,
    name: &str,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<T> {
    let path = path_of(place, name)?;
    let bytes = match read_inside(place, path.strip_prefix(place).ok()?) {
        Ok(bytes) => bytes,
        Err(UnreadFile::LeadsOut) => {
            let message =
                format!("`{name}` is a link that leads out of the plugin, and is not read");
            diagnostics.push(Diagnostic::new(Code::LINK_LEADS_OUT, message).at_path(shown(&path)));
            return None;
        }
        Err(UnreadFile::Failed(cause)) => {
            let message = format!("`{name}` is not used: {cause}");
            diagnostics.push(Diagnostic::new(Code::CLIENT_PLUGIN, message).at_path(shown(&path)));
            return None;
        }
    };
    match serde_json::from_slice(&bytes) {
        Ok(parsed) => Some(parsed),
        Err(error) => {
            // Messages about wrong types quote values, and a link inside of the plugin can lead to a secret.
            let cause = match error.classify() {
                Category::Data => "a field has a wrong type".to_owned(),
                Category::Io | Category::Syntax | Category::Eof => {
                    let text = error.to_string();
                    text.split(" at line ")
                        .next()
                        .unwrap_or_default()
                        .to_owned()
                }
            };
            let [line, column] = [error.line(), error.column()]
                .map(|number| u32::try_from(number).unwrap_or(u32::MAX).max(1));
            let message = format!("`{name}` is not used: {cause}");
            let diagnostic = Diagnostic::new(Code::CLIENT_PLUGIN, message).at(line, column);
            diagnostics.push(
                diagnostic
                    .at_path(shown(&path))
                    .help("correct the JSON at this place"),
            );
            None
        }
    }
}

/// The reason why a file was not read.
enum UnreadFile {
    /// A link leads out of the folder, or to a table of the kernel.
    LeadsOut,
    /// The cause, in words.
    Failed(String),
}

impl From<io::Error> for UnreadFile {
    fn from(error: io::Error) -> UnreadFile {
        // cap-std makes this error itself for a path that leaves the folder.
        let leads_out =
            error.kind() == ErrorKind::PermissionDenied && error.raw_os_error().is_none();
        if leads_out {
            UnreadFile::LeadsOut
        } else {
            UnreadFile::Failed(file::cause(&error))
        }
    }
}

/// Reads the file at `path` below `folder`. The kernel resolves the path beneath the folder, so that no swapped link leads out.
fn read_inside(folder: &Path, path: &Path) -> Result<Vec<u8>, UnreadFile> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    cap_std::fs::OpenOptionsExt::custom_flags(&mut options, file::careful_flags());
    let folder = Dir::open_ambient_dir(folder, ambient_authority())?;
    let opened = folder.open_with(path, &options)?.into_std();
    let metadata = opened.metadata()?;
    if FileSystem::of_file(&opened) == FileSystem::Kernel {
        return Err(UnreadFile::LeadsOut);
    }
    if !metadata.is_file() {
        return Err(UnreadFile::Failed(format!(
            "expected a file, found {}",
            file::what(&metadata)
        )));
    }
    let mut bytes = Vec::new();
    opened.take(LARGEST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST {
        return Err(UnreadFile::Failed(format!(
            "it is larger than {LARGEST} bytes"
        )));
    }
    Ok(bytes)
}

pub(super) fn read_optional(path: &Path) -> Option<serde_json::Value> {
    let (opened, metadata) = file::open(path)
        .ok()
        .filter(|(_, metadata)| metadata.is_file())?;
    let mut bytes = Vec::new();
    let is_small =
        metadata.len() <= LARGEST && opened.take(LARGEST + 1).read_to_end(&mut bytes).is_ok();
    (is_small && bytes.len() as u64 <= LARGEST)
        .then(|| serde_json::from_slice(&bytes).ok())
        .flatten()
}
