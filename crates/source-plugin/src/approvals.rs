//! Which plugins somebody has approved.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use repertoire_core::Digest;
use serde::{Deserialize, Serialize};

use crate::file::PluginFile;
use crate::own_file::{make_own_folder, read_own_file};
use crate::{Inspection, PluginError};

/// The plugins that somebody has approved, by the paths of their files: a file that only its owner can read and write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approvals {
    file: PathBuf,
    plugins: Vec<Approval>,
}

/// One approved plugin: what was in the file when it was approved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Approval {
    /// The file: absolute, without links.
    pub path: PathBuf,
    /// SHA-256 over it.
    pub digest: Digest,
    /// What it called itself.
    pub name: String,
    /// The version that it claimed.
    pub version: String,
}

#[derive(Serialize, Deserialize)]
struct Document {
    schema: u32,
    plugins: Vec<Approval>,
}

/// The version of the file.
const SCHEMA: u32 = 1;

impl Approvals {
    /// Reads `file`; one that is not there approves nothing.
    ///
    /// # Errors
    /// [`PluginError::Approvals`] for a file that is a link, that belongs to another user or lies in such a folder, for one that
    /// others can write or put there, and for one that cannot be understood.
    pub fn read(file: impl Into<PathBuf>) -> Result<Approvals, PluginError> {
        let file = file.into();
        let plugins = read(&file).map_err(|reason| PluginError::Approvals { path: file.clone(), reason })?;
        Ok(Approvals { file, plugins })
    }

    /// All of them, by path.
    pub fn iter(&self) -> impl Iterator<Item = &Approval> {
        self.plugins.iter()
    }

    /// The approval of the file at `path`.
    pub fn of(&self, path: &Path) -> Option<&Approval> {
        self.plugins.iter().find(|approval| approval.path == path)
    }

    /// Approves what was inspected, in place of what was approved at its path before, which is returned.
    ///
    /// # Errors
    /// [`PluginError::Approvals`] when the file cannot be written.
    pub fn approve(&mut self, inspected: &Inspection) -> Result<Option<Approval>, PluginError> {
        let old = self.take(&inspected.path);
        let Inspection { path, digest, name, version, .. } = inspected.clone();
        self.plugins.push(Approval { path, digest, name, version });
        self.plugins.sort_by(|a, b| a.path.cmp(&b.path));
        self.write()?;
        Ok(old)
    }

    /// Takes the approval of the file at `path` back; nothing, if there is none.
    ///
    /// # Errors
    /// [`PluginError::Approvals`] when the file cannot be written.
    pub fn revoke(&mut self, path: &Path) -> Result<Option<Approval>, PluginError> {
        let old = self.take(path);
        if old.is_some() {
            self.write()?;
        }
        Ok(old)
    }

    /// Whether what is in `file` was approved.
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
        let at = self.plugins.iter().position(|approval| approval.path == path)?;
        Some(self.plugins.remove(at))
    }

    fn write(&self) -> Result<(), PluginError> {
        let document = Document { schema: SCHEMA, plugins: self.plugins.clone() };
        write(&self.file, &document)
            .map_err(|error| PluginError::Approvals { path: self.file.clone(), reason: error.to_string() })
    }
}

fn read(file: &Path) -> Result<Vec<Approval>, String> {
    let Some(bytes) = read_own_file(file)? else { return Ok(Vec::new()) };
    let Document { schema, plugins } = serde_json::from_slice(&bytes).map_err(|error| error.to_string())?;
    if schema != SCHEMA {
        return Err(format!("expected schema {SCHEMA}, found {schema}"));
    }
    Ok(plugins)
}

/// Writes all or nothing: whoever reads meanwhile, reads the old or the new one.
fn write(file: &Path, document: &Document) -> io::Result<()> {
    let folder = file.parent().ok_or(io::ErrorKind::IsADirectory)?;
    make_own_folder(folder).map_err(io::Error::other)?;
    // Made by this crate for its owner alone, wherever the system lets one say so.
    let mut fresh = tempfile::Builder::new().prefix(".plugins").tempfile_in(folder)?;
    let mut text = serde_json::to_string_pretty(document)?;
    text.push('\n');
    fresh.write_all(text.as_bytes())?;
    fresh.as_file().sync_all()?;
    fresh.persist(file).map(drop).map_err(|error| error.error)
}
