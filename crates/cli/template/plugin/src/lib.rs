//! A plugin that serves the `SKILL.md` texts of a folder, one file per skill. Replace the folder with your own store.

use std::path::PathBuf;
use std::{fs, io};

use repertoire_plugin_sdk::message::{DocumentBody, DocumentListing, DocumentRow};
use repertoire_plugin_sdk::{PluginConfig, Digest, Documents, Open, SourceError, SourceErrorKind, export_documents};

/// The options of the plugin in a configuration file.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Acme {
    folder: PathBuf,
}

impl Open for Acme {
    fn open(config: &PluginConfig) -> Result<Acme, SourceError> {
        config.options()
    }
}

impl Acme {
    /// Returns the text of a skill. Only keys that `list` returned become paths.
    fn text(&self, key: &str) -> Result<String, SourceError> {
        let not_found = || SourceError::new(SourceErrorKind::NotFound, format!("no skill `{key}`"));
        if !self.keys().map_err(unavailable)?.iter().any(|known| known == key) {
            return Err(not_found());
        }
        fs::read_to_string(self.folder.join(format!("{key}.md"))).map_err(|error| not_found().caused_by(error))
    }

    /// Returns the keys of all skills in a stable order.
    fn keys(&self) -> io::Result<Vec<String>> {
        let mut keys = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            keys.extend(entry?.file_name().to_str().and_then(|name| name.strip_suffix(".md")).map(str::to_owned));
        }
        keys.sort();
        Ok(keys)
    }
}

fn unavailable(error: io::Error) -> SourceError {
    SourceError::new(SourceErrorKind::Unavailable, "the folder cannot be read").caused_by(error)
}

/// Returns a text that changes with the content: the host then reads the body again.
fn stamp(text: &str) -> String {
    Digest::of(text.as_bytes()).to_string()
}

impl Documents for Acme {
    // Add `resources` or `changes` when you implement `resources` and `resource`, or `wait`.
    const FEATURES: &'static str = "";

    fn list(&self) -> Result<DocumentListing, SourceError> {
        let mut rows = Vec::new();
        for key in self.keys().map_err(unavailable)? {
            // The host parses the text and reports its diagnostics.
            let text = self.text(&key)?;
            rows.push(DocumentRow::new(key, stamp(&text), text));
        }
        Ok(DocumentListing::new(0, rows))
    }

    fn body(&self, key: &str) -> Result<DocumentBody, SourceError> {
        let text = self.text(key)?;
        Ok(DocumentBody::document(stamp(&text), text))
    }
}

export_documents!(Acme);
