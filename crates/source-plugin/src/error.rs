//! Why a plugin is not used.

use std::io;
use std::path::PathBuf;

use repertoire_core::{Digest, SourceError, SourceErrorKind};

/// Why a plugin is not used. No code of it has run, unless the variant says so.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PluginError {
    /// The file cannot be read.
    #[error("plugin `{}` cannot be read", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        error: io::Error,
    },
    /// Anybody could replace the file.
    #[error("plugin `{}` is not loaded: everybody can write to `{}`; `chmod o-w` it", path.display(), open.display())]
    Writable {
        /// The file.
        path: PathBuf,
        /// The file, or the folder above it, that everybody can write to.
        open: PathBuf,
    },
    /// The file is no shared library of this system.
    #[error("`{}` is no plugin: {reason}", path.display())]
    NotAPlugin {
        /// The file.
        path: PathBuf,
        /// What was expected and found.
        reason: String,
    },
    /// The library needs others from where another user can put them.
    #[error("plugin `{}` is not loaded: {reason}", path.display())]
    Dependency {
        /// The file.
        path: PathBuf,
        /// Which, and what was expected.
        reason: String,
    },
    /// Nobody approved the file.
    #[error("plugin `{}` is not approved; if you trust it, `repertoire plugin approve {}`, or pin `digest = \"{digest}\"`", path.display(), path.display())]
    NotApproved {
        /// The file.
        path: PathBuf,
        /// The digest of what it holds.
        digest: Digest,
    },
    /// The file is another one than was approved.
    #[error("plugin `{}` has changed: expected {approved}, found {found}; if you trust the new one, {}", path.display(), remedy(*pinned, path, found))]
    Changed {
        /// The file.
        path: PathBuf,
        /// What was approved or pinned.
        approved: Digest,
        /// What is there.
        found: Digest,
        /// Whether the configuration pins it.
        pinned: bool,
    },
    /// The approvals cannot be relied on.
    #[error("the approvals in `{}` cannot be used: {reason}", path.display())]
    Approvals {
        /// The file with the approvals.
        path: PathBuf,
        /// What is wrong with them.
        reason: String,
    },
    /// The system does not load the library. Its constructors may have run.
    #[error("plugin `{}` cannot be loaded: {reason}", path.display())]
    NotLoaded {
        /// The file.
        path: PathBuf,
        /// What the system says.
        reason: String,
    },
    /// The library answers, and its table is not what it should be. Its constructors and its entry have run.
    #[error("plugin `{}` cannot be used: {reason}", path.display())]
    Table {
        /// The file.
        path: PathBuf,
        /// What was expected and found.
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
