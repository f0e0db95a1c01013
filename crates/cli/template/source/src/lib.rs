//! A source of the `SKILL.md` texts of a folder, one file per skill. Replace the folder with your own store.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, io};

use repertoire::registry::{SourceKind, inventory};
use repertoire::skill::skill_md::{self, FileContext, Parsed};
use repertoire::skill::{
    Body, Digest, Listing, ListingEntry, Revision, Source, SourceError, SourceErrorKind, Stamp,
    async_trait,
};
use repertoire::{Id, Skill};

inventory::submit! {
    SourceKind::new("acme", "the skills of a folder, one file per skill", |config| {
        let options: AcmeOptions = config.options()?;
        Ok(Arc::new(AcmeSource::new(config.name.as_str(), config.path(options.folder))))
    })
}

/// The options of the kind in a configuration file.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct AcmeOptions {
    folder: PathBuf,
}

/// The skills of a folder, one file per skill.
#[derive(Debug)]
pub struct AcmeSource {
    name: String,
    folder: PathBuf,
}

/// A file of the folder.
struct Document {
    path: PathBuf,
    bytes: Vec<u8>,
}

impl AcmeSource {
    /// Returns a source called `name` of the files in `folder`.
    pub fn new(name: impl Into<String>, folder: impl Into<PathBuf>) -> AcmeSource {
        AcmeSource {
            name: name.into(),
            folder: folder.into(),
        }
    }

    /// Returns every file in a stable order.
    fn documents(&self) -> Result<Vec<Document>, SourceError> {
        let unavailable = |error: io::Error| {
            SourceError::new(SourceErrorKind::Unavailable, "cannot read the folder")
                .caused_by(error)
        };
        let mut documents = Vec::new();
        for entry in fs::read_dir(&self.folder).map_err(unavailable)? {
            let path = entry.map_err(unavailable)?.path();
            if path.extension().is_some_and(|extension| extension == "md") {
                match fs::read(&path) {
                    Ok(bytes) => documents.push(Document { path, bytes }),
                    // It was removed since the folder was read.
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                    Err(error) => return Err(unavailable(error)),
                }
            }
        }
        documents.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(documents)
    }
}

impl Document {
    fn parse(&self) -> Parsed {
        let name = self
            .path
            .file_stem()
            .map(Path::new)
            .unwrap_or(&self.path)
            .to_string_lossy();
        skill_md::parse(
            &self.bytes,
            FileContext::new(&self.path.to_string_lossy()).in_directory(&name),
        )
    }

    /// Returns a value that changes with everything behind the row: with files beside the body, these too.
    fn stamp(&self) -> Stamp {
        Stamp::of(&self.bytes)
    }
}

#[async_trait]
impl Source<Skill> for AcmeSource {
    fn name(&self) -> &str {
        &self.name
    }

    async fn list(&self) -> Result<Listing<Skill>, SourceError> {
        // A store that counts its changes reads the number here, before the data, and implements `changed`.
        let revision = Revision(0);
        let (mut rows, mut diagnostics) = (Vec::new(), Vec::new());
        for document in self.documents()? {
            let parsed = document.parse();
            // A file that is not a skill is a diagnostic, and hides no other.
            diagnostics.extend(parsed.diagnostics);
            if let Some(skill) = parsed.skill {
                // A source with files beside the body also calls `with_parts`, so that their changes are found.
                rows.push(
                    ListingEntry::new(skill, document.stamp())
                        .with_digest(Digest::of(&document.bytes)),
                );
            }
        }
        Ok(Listing::new(revision, rows, diagnostics))
    }

    async fn body(&self, id: &Id) -> Result<Body, SourceError> {
        let mut documents = self.documents()?.into_iter();
        let document =
            documents.find(|document| document.parse().skill.is_some_and(|skill| skill.id == *id));
        let document = document.ok_or_else(|| SourceError::not_found("skill", id))?;
        Ok(Body::of_file(&document.bytes, document.stamp())?)
    }

    // Implement `resources` and `resource` for files beside the body, and `changed` for a store that reports changes.
}
