//! The rows of a lock about installed skills.

use repertoire_core::{Digest, Id, Manifest, Resource, ResourcePath};
use serde::{Deserialize, Serialize};

use crate::fetcher::FetchedRevision;
use crate::file_tree::content_digest;
use crate::install_error::{InstallError, InstallErrorKind};
use crate::reference::Reference;
use crate::source_skill::SourceSkill;

/// A skill that was installed from elsewhere, as the lock states it.
///
/// No field is added within a version of the lock.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct InstalledSkill {
    /// The name of the skill.
    pub id: Id,
    /// The folder of the skill, relative to the lock, with `/`.
    pub path: ResourcePath,
    /// The reference that was installed: a repository, an archive, a folder or the index of a host.
    pub reference: Reference,
    /// The folder of the skill in the source, or its name in an index; absent at the top.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<ResourcePath>,
    /// The commit of a repository.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The digest of an archive, or of the file that an index names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub archive: Option<Digest>,
    /// The digest of the manifest of `files`, by which the store holds the content.
    pub manifest: Digest,
    /// The digest of agentskills#358 and ToolHive: of path, NUL, hexadecimal digest and line feed for each file.
    pub content: Digest,
    /// Every file that was installed, sorted by the bytes of `path`, which is unique.
    pub files: Vec<Resource>,
    /// The identity that signed the content, if a signature was verified.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signer: Option<String>,
    /// The time at which the reference was first installed, in UTC: `2026-11-30T02:33:42Z`.
    pub first_trusted: String,
}

impl InstalledSkill {
    /// Creates the row of a fetched skill that is installed at `path`.
    pub fn new(
        fetched: &SourceSkill,
        path: ResourcePath,
        reference: Reference,
        revision: &FetchedRevision,
        first_trusted: String,
    ) -> InstalledSkill {
        let manifest = fetched.tree.manifest();
        let (commit, archive) = match revision {
            FetchedRevision::Commit(commit) => (Some(commit.clone()), None),
            FetchedRevision::Archive(digest) => (None, Some(*digest)),
            FetchedRevision::Folder | FetchedRevision::Index => (None, fetched.artifact),
        };
        InstalledSkill {
            id: fetched.skill.id.clone(),
            path,
            reference,
            folder: fetched.folder.clone(),
            commit,
            archive,
            manifest: manifest.digest(),
            content: content_digest(manifest.files()),
            files: manifest.files().to_vec(),
            signer: None,
            first_trusted,
        }
    }

    /// Returns the installed files.
    ///
    /// # Errors
    /// [`Corrupt`](InstallErrorKind::Corrupt) if a file comes twice, or a digest is not that of the files.
    pub fn checked_manifest(&self) -> Result<Manifest, InstallError> {
        let manifest = Manifest::new(self.files.iter().cloned())
            .map_err(|error| corrupt(format!("`{}`: {error}", self.path)))?;
        if manifest.digest() != self.manifest {
            return Err(corrupt(format!(
                "`{}`: `manifest` is not the digest of its files",
                self.path
            )));
        }
        match content_digest(manifest.files()) == self.content {
            true => Ok(manifest),
            false => Err(corrupt(format!(
                "`{}`: `content` is not the digest of its files",
                self.path
            ))),
        }
    }

    /// Returns the reference to exactly the installed content.
    pub fn pinned(&self) -> Reference {
        match (&self.commit, self.archive) {
            (Some(commit), _) => self.reference.at_commit(commit),
            (None, Some(digest)) => self.reference.at_manifest(digest),
            (None, None) => self.reference.clone(),
        }
    }
}

fn corrupt(message: String) -> InstallError {
    InstallError::new(InstallErrorKind::Corrupt, message)
}
