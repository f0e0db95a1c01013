//! The approvals of plugins.

use std::path::{Path, PathBuf};

use repertoire_core::Digest;
use repertoire_process::ApprovalFile;
use serde::{Deserialize, Serialize};

use crate::error::approve_command;
use crate::file::PluginFile;
use crate::{Inspection, PluginError};

/// The plugins that the user has approved, by the paths of their files, in a file that only its owner can read and write.
///
/// ```no_run
/// use repertoire_source_plugin::PluginApprovals;
///
/// let approvals = PluginApprovals::read("/home/me/.local/state/repertoire/plugins.json")?;
/// # let _ = approvals;
/// # Ok::<(), repertoire_source_plugin::PluginError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PluginApprovals {
    path: PathBuf,
    file: ApprovalFile<ApprovalDocument>,
}

/// An approved plugin: the content of the file when it was approved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PluginApproval {
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
struct ApprovalDocument {
    schema: u32,
    plugins: Vec<PluginApproval>,
}

const SCHEMA: u32 = 1;

impl Default for ApprovalDocument {
    fn default() -> ApprovalDocument {
        ApprovalDocument {
            schema: SCHEMA,
            plugins: Vec::new(),
        }
    }
}

impl PluginApprovals {
    /// Reads the file at `path`. A file that does not exist approves nothing.
    ///
    /// # Errors
    /// Returns [`PluginError::Unusable`] for a file that [`ApprovalFile`] refuses, and for one of another schema.
    pub fn read(path: impl Into<PathBuf>) -> Result<PluginApprovals, PluginError> {
        let path = path.into();
        let file = ApprovalFile::<ApprovalDocument>::read(&path).and_then(|file| {
            match file.document.schema {
                SCHEMA => Ok(file),
                schema => Err(format!("expected schema {SCHEMA}, found {schema}")),
            }
        });
        match file {
            Ok(file) => Ok(PluginApprovals { path, file }),
            Err(reason) => Err(PluginError::approvals(&path, &reason)),
        }
    }

    /// Returns all approvals, by path.
    pub fn plugins(&self) -> &[PluginApproval] {
        &self.file.document.plugins
    }

    /// Returns the approval of the file at `path`.
    pub fn find(&self, path: &Path) -> Option<&PluginApproval> {
        self.plugins().iter().find(|approval| approval.path == path)
    }

    /// Approves what was inspected, and returns the approval that it replaces.
    ///
    /// # Errors
    /// Returns [`PluginError::Unusable`] if the file cannot be written.
    pub fn approve(
        &mut self,
        inspected: &Inspection,
    ) -> Result<Option<PluginApproval>, PluginError> {
        let old = self.take(&inspected.path);
        let Inspection {
            path,
            digest,
            name,
            version,
            ..
        } = inspected.clone();
        let plugins = &mut self.file.document.plugins;
        plugins.push(PluginApproval {
            path,
            digest,
            name,
            version,
        });
        plugins.sort_by(|a, b| a.path.cmp(&b.path));
        self.write()?;
        Ok(old)
    }

    /// Revokes and returns the approval of the file at `path`.
    ///
    /// # Errors
    /// Returns [`PluginError::Unusable`] if the file cannot be written.
    pub fn revoke(&mut self, path: &Path) -> Result<Option<PluginApproval>, PluginError> {
        let old = self.take(path);
        if old.is_some() {
            self.write()?;
        }
        Ok(old)
    }

    pub(crate) fn check(&self, file: &PluginFile) -> Result<(), PluginError> {
        match self.find(&file.path) {
            Some(approval) if approval.digest == file.digest => Ok(()),
            Some(approval) => {
                let remedy = format!("`{}`", approve_command(&file.path));
                Err(PluginError::changed(
                    &file.path,
                    approval.digest,
                    file.digest,
                    &remedy,
                ))
            }
            None => Err(PluginError::not_approved(&file.path, file.digest)),
        }
    }

    fn take(&mut self, path: &Path) -> Option<PluginApproval> {
        let plugins = &mut self.file.document.plugins;
        let at = plugins.iter().position(|approval| approval.path == path)?;
        Some(plugins.remove(at))
    }

    fn write(&self) -> Result<(), PluginError> {
        self.file
            .write()
            .map_err(|reason| PluginError::approvals(&self.path, &reason))
    }
}
