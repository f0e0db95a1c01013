//! The approvals of plugins.

use std::path::{Path, PathBuf};

use repertoire_core::Digest;
use repertoire_process::ApprovalFile;
use serde::{Deserialize, Serialize};

use crate::file::PluginFile;
use crate::{Inspection, PluginError};

/// The plugins that the user has approved, by the paths of their files, in a file that only its owner can read and write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approvals {
    path: PathBuf,
    file: ApprovalFile<Document>,
}

/// An approved plugin: the content of the file when it was approved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Approval {
    /// The file: absolute, without links.
    pub path: PathBuf,
    /// SHA-256 of the file.
    pub digest: Digest,
    /// The name in the file.
    pub name: String,
    /// The version in the file.
    pub version: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Document {
    schema: u32,
    plugins: Vec<Approval>,
}

const SCHEMA: u32 = 1;

impl Default for Document {
    fn default() -> Document {
        Document { schema: SCHEMA, plugins: Vec::new() }
    }
}

impl Approvals {
    /// Reads the file at `path`. A file that does not exist approves nothing.
    ///
    /// # Errors
    /// Returns [`PluginError::Approvals`] for a file that [`ApprovalFile`] refuses, and for one of another schema.
    pub fn read(path: impl Into<PathBuf>) -> Result<Approvals, PluginError> {
        let path = path.into();
        let file = ApprovalFile::<Document>::read(&path).and_then(|file| match file.document.schema {
            SCHEMA => Ok(file),
            schema => Err(format!("expected schema {SCHEMA}, found {schema}")),
        });
        match file {
            Ok(file) => Ok(Approvals { path, file }),
            Err(reason) => Err(PluginError::Approvals { path, reason }),
        }
    }

    /// Returns all approvals, by path.
    pub fn iter(&self) -> impl Iterator<Item = &Approval> {
        self.file.document.plugins.iter()
    }

    /// Returns the approval of the file at `path`.
    pub fn of(&self, path: &Path) -> Option<&Approval> {
        self.iter().find(|approval| approval.path == path)
    }

    /// Approves what was inspected, and returns the approval that it replaces.
    ///
    /// # Errors
    /// Returns [`PluginError::Approvals`] if the file cannot be written.
    pub fn approve(&mut self, inspected: &Inspection) -> Result<Option<Approval>, PluginError> {
        let old = self.take(&inspected.path);
        let Inspection { path, digest, name, version, .. } = inspected.clone();
        let plugins = &mut self.file.document.plugins;
        plugins.push(Approval { path, digest, name, version });
        plugins.sort_by(|a, b| a.path.cmp(&b.path));
        self.write()?;
        Ok(old)
    }

    /// Revokes and returns the approval of the file at `path`.
    ///
    /// # Errors
    /// Returns [`PluginError::Approvals`] if the file cannot be written.
    pub fn revoke(&mut self, path: &Path) -> Result<Option<Approval>, PluginError> {
        let old = self.take(path);
        if old.is_some() {
            self.write()?;
        }
        Ok(old)
    }

    pub(crate) fn check(&self, file: &PluginFile) -> Result<(), PluginError> {
        let (path, found) = (file.path.clone(), file.digest);
        match self.of(&file.path) {
            Some(Approval { digest, .. }) if *digest == found => Ok(()),
            Some(Approval { digest, .. }) => {
                Err(PluginError::Changed { path, approved: *digest, found, pinned: false })
            }
            None => Err(PluginError::NotApproved { path, digest: found }),
        }
    }

    fn take(&mut self, path: &Path) -> Option<Approval> {
        let plugins = &mut self.file.document.plugins;
        let at = plugins.iter().position(|approval| approval.path == path)?;
        Some(plugins.remove(at))
    }

    fn write(&self) -> Result<(), PluginError> {
        self.file.write().map_err(|reason| PluginError::Approvals { path: self.path.clone(), reason })
    }
}
