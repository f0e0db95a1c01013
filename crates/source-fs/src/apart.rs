//! Entries of a skill's folder that are not part of the skill.

use std::ffi::OsStr;
use std::path::Path;

use repertoire_core::{OmissionReason, SkippedFile, SkippedFolder};

/// The reason why an entry is not part of a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Apart {
    Litter,
    Dependencies,
    For(OmissionReason),
}

pub(crate) fn apart(name: &OsStr) -> Option<Apart> {
    match (SkippedFolder::of(name), SkippedFile::of(name)) {
        (Some(SkippedFolder::VersionControl), _) => {
            Some(Apart::For(OmissionReason::VersionControl))
        }
        (Some(SkippedFolder::Cache), _) => Some(Apart::For(OmissionReason::Cache)),
        (Some(SkippedFolder::Secrets), _) | (_, Some(SkippedFile::Secret)) => {
            Some(Apart::For(OmissionReason::Secret))
        }
        (Some(SkippedFolder::Dependencies), _) => Some(Apart::Dependencies),
        (Some(folder), None) if !folder.is_apart() => None,
        (None, None) => None,
        _ => Some(Apart::Litter),
    }
}

pub(crate) fn is_apart(path: &Path) -> bool {
    path.iter().any(|name| apart(name).is_some())
}
