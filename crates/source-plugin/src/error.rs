//! The errors of plugins.

use std::io;
use std::path::PathBuf;

use repertoire_core::{Digest, SourceError, SourceErrorKind};

/// The reason why a plugin is not used. No code of it has run, unless the variant says so.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PluginError {
    /// The file cannot be read.
    #[error("plugin `{}` cannot be read", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        #[source]
        error: io::Error,
    },
    /// Everybody can replace the file.
    #[error("plugin `{}` is not loaded: everybody can write to `{}`; `chmod o-w` it", path.display(), open.display())]
    Writable {
        /// The file.
        path: PathBuf,
        /// The file, or the folder above it, that everybody can write to.
        open: PathBuf,
    },
    /// The file is not a plugin for this system.
    #[error("`{}` is not a plugin: {reason}", path.display())]
    NotAPlugin {
        /// The file.
        path: PathBuf,
        /// The expectation that does not hold.
        reason: String,
    },
    /// The library needs others from places to which another user can write.
    #[error("plugin `{}` is not loaded: {reason}", path.display())]
    Dependency {
        /// The file.
        path: PathBuf,
        /// The dependency, and the expectation that does not hold.
        reason: String,
    },
    /// The file is not approved.
    #[error("plugin `{}` is not approved; if you trust it, `repertoire plugin approve {}`, or pin `digest = \"{digest}\"`", path.display(), path.display())]
    NotApproved {
        /// The file.
        path: PathBuf,
        /// The digest of the file.
        digest: Digest,
    },
    /// The file changed since it was approved.
    #[error("plugin `{}` has changed: expected {approved}, found {found}; if you trust the new one, {}", path.display(), remedy(*pinned, path, found))]
    Changed {
        /// The file.
        path: PathBuf,
        /// The approved or pinned digest.
        approved: Digest,
        /// The digest of the file.
        found: Digest,
        /// Whether the configuration pins the digest.
        pinned: bool,
    },
    /// The approvals cannot be relied on.
    #[error("the approvals in `{}` cannot be used: {reason}", path.display())]
    Approvals {
        /// The file with the approvals.
        path: PathBuf,
        /// A clause about the file.
        reason: String,
    },
    /// The system does not load the library. Its constructors may have run.
    #[error("plugin `{}` cannot be loaded: {reason}", path.display())]
    NotLoaded {
        /// The file.
        path: PathBuf,
        /// The message of the system.
        reason: String,
    },
    /// The table of the library is invalid. Its constructors and its entry have run.
    #[error("plugin `{}` cannot be used: {reason}", path.display())]
    Table {
        /// The file.
        path: PathBuf,
        /// The expectation that does not hold.
        reason: String,
    },
}

fn remedy(pinned: bool, path: &std::path::Path, found: &Digest) -> String {
    match pinned {
        true => format!("pin `digest = \"{found}\"`"),
        false => format!("`repertoire plugin approve {}`", path.display()),
    }
}

impl From<PluginError> for SourceError {
    fn from(error: PluginError) -> SourceError {
        let kind = match &error {
            PluginError::Unreadable { .. } | PluginError::NotLoaded { .. } => SourceErrorKind::Unavailable,
            PluginError::NotAPlugin { .. } | PluginError::Table { .. } => SourceErrorKind::Invalid,
            PluginError::Writable { .. }
            | PluginError::Dependency { .. }
            | PluginError::NotApproved { .. }
            | PluginError::Changed { .. }
            | PluginError::Approvals { .. } => SourceErrorKind::Denied,
        };
        let outer = SourceError::new(kind, error.to_string());
        match error {
            PluginError::Unreadable { error, .. } => outer.caused_by(error),
            _ => outer,
        }
    }
}
