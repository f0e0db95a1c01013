//! Installed skills in folders that the sources do not search.

use std::path::Path;

use repertoire::skill::{Manifest, ResourcePath};
use repertoire_install::{FileChangeKind, ProjectFolder};

use super::{Difference, DifferenceKind};
use crate::failure::Failure;
use crate::lock::LockEntry;

/// Compares the folder of an installed skill with the lock.
pub(super) fn compare(
    base: &Path,
    path: &ResourcePath,
    locked: &LockEntry,
) -> Result<Vec<Difference>, Failure> {
    let state = ProjectFolder::state(base, path)?;
    let changes = state.three_way(&locked.manifest, &locked.manifest);
    let differences = changes.into_iter().map(|change| {
        let kind = match change.ours {
            Some(FileChangeKind::Added) => DifferenceKind::Extra,
            Some(FileChangeKind::Removed) => DifferenceKind::Missing,
            _ => DifferenceKind::Changed,
        };
        Difference {
            locked: digest(&locked.manifest, &change.path),
            found: state
                .manifest
                .as_ref()
                .and_then(|manifest| digest(manifest, &change.path)),
            ..Difference::of_skill(kind, &locked.id, path.as_str(), Some(&change.path))
        }
    });
    Ok(differences.collect())
}

fn digest(manifest: &Manifest, path: &str) -> Option<String> {
    let file = manifest.file(&path.parse().ok()?)?;
    Some(file.digest.to_string())
}
