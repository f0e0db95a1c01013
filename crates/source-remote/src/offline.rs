//! The last content of a source, on the disk.

use std::error::Error;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use repertoire_core::{Digest, ResourcePath};
use repertoire_install::{Fetched, FileTree, InstallError, Reference, Store};
use serde::{Deserialize, Serialize};

/// The error returned when a copy cannot be written or read.
pub(crate) type CopyError = Box<dyn Error + Send + Sync>;

/// A folder with a store and a record of what was fetched last.
#[derive(Debug)]
pub(crate) struct OfflineCopy {
    folder: PathBuf,
}

/// The content of a reference.
#[derive(Debug, Serialize, Deserialize)]
struct CopyRecord {
    reference: Reference,
    skills: Vec<CopiedSkill>,
}

#[derive(Debug, Serialize, Deserialize)]
struct CopiedSkill {
    /// The folder in the source, or the name in an index; absent at the top.
    folder: Option<ResourcePath>,
    manifest: Digest,
}

impl OfflineCopy {
    pub(crate) fn new(folder: &Path) -> OfflineCopy {
        OfflineCopy {
            folder: folder.to_owned(),
        }
    }

    fn store(&self) -> Result<Store, InstallError> {
        Store::open(self.folder.join("store"))
    }

    fn record(&self, reference: &Reference) -> PathBuf {
        let name = Digest::of(reference.to_string().as_bytes()).to_string();
        let name = name.replace(':', "-");
        self.folder.join(format!("{name}.json"))
    }

    /// Replaces the copy of a reference, and removes content that no copy in the folder has.
    pub(crate) fn write(&self, reference: &Reference, fetched: &Fetched) -> Result<(), CopyError> {
        let store = self.store()?;
        let skills = fetched.skills.iter().map(|skill| {
            let manifest = store.put(&skill.tree)?;
            let folder = skill.folder.clone();
            Ok(CopiedSkill { folder, manifest })
        });
        let record = CopyRecord {
            reference: reference.clone(),
            skills: skills.collect::<Result<_, InstallError>>()?,
        };
        let path = self.record(reference);
        let text = serde_json::to_vec(&record)?;
        if fs::read(&path).is_ok_and(|old| old == text) {
            return Ok(());
        }
        let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
        file.write_all(&text)?;
        file.persist(&path).map_err(|error| error.error)?;
        store.remember(&path)?;
        drop(store);
        Store::collect(self.folder.join("store"), |record| match fs::read(record) {
            Ok(text) => {
                let record: CopyRecord = serde_json::from_slice(&text)?;
                let skills = record.skills.into_iter();
                Ok(Some(skills.map(|skill| skill.manifest).collect()))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(CopyError::from(error)),
        })?;
        Ok(())
    }

    /// Reads the copy of a reference; `None` if there is none.
    pub(crate) fn read(
        &self,
        reference: &Reference,
    ) -> Result<Option<Vec<(String, FileTree)>>, CopyError> {
        let text = match fs::read(self.record(reference)) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let record: CopyRecord = serde_json::from_slice(&text)?;
        let store = self.store()?;
        let trees = record.skills.iter().filter_map(|skill| {
            let folder = skill.folder.as_ref().map(ToString::to_string);
            let tree = store.get(&skill.manifest).transpose()?;
            Some(tree.map(|tree| (folder.unwrap_or_default(), tree)))
        });
        Ok(Some(trees.collect::<Result<_, _>>()?))
    }
}
