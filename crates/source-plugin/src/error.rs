//! The errors of plugins.

use std::io;
use std::path::{Path, PathBuf};

use repertoire_core::text::command_argument;
use repertoire_core::{Digest, SourceError, SourceErrorKind};

/// The reason why a plugin is not used.
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
    #[error("refusing to load plugin `{}`: `{}` is world-writable; run `chmod o-w` on it", path.display(), open.display())]
    Writable {
        /// The file.
        path: PathBuf,
        /// The world-writable file, or the folder above it.
        open: PathBuf,
    },
    /// The library needs others from folders to which another user can write.
    #[error("plugin `{}` is not loaded: {reason}", path.display())]
    Dependency {
        /// The file.
        path: PathBuf,
        /// The dependency, and the expectation that does not hold.
        reason: String,
    },
    /// The file is not an approved plugin for this system, or the system does not load it.
    #[error("{message}")]
    Unusable {
        /// The kind of the error: `Denied` for content that is not approved.
        kind: SourceErrorKind,
        /// The file, and the expectation that does not hold.
        message: String,
    },
}

impl PluginError {
    fn unusable(kind: SourceErrorKind, message: String) -> PluginError {
        PluginError::Unusable { kind, message }
    }

    pub(crate) fn not_a_plugin(path: &Path, reason: &str) -> PluginError {
        PluginError::unusable(
            SourceErrorKind::Invalid,
            format!("`{}` is not a plugin: {reason}", path.display()),
        )
    }

    pub(crate) fn not_approved(path: &Path, digest: Digest) -> PluginError {
        let approve = approve_command(path);
        let path = path.display();
        let message = format!(
            "plugin `{path}` is not approved; if you trust it, `{approve}`, or pin `digest = \"{digest}\"`"
        );
        PluginError::unusable(SourceErrorKind::Denied, message)
    }

    /// Returns the error of a file that changed since it was approved; `remedy` approves the new content.
    pub(crate) fn changed(
        path: &Path,
        approved: Digest,
        found: Digest,
        remedy: &str,
    ) -> PluginError {
        let path = path.display();
        let message = format!(
            "plugin `{path}` has changed: expected {approved}, found {found}; if you trust the new one, {remedy}"
        );
        PluginError::unusable(SourceErrorKind::Denied, message)
    }

    pub(crate) fn approvals(path: &Path, reason: &str) -> PluginError {
        let message = format!(
            "the approvals in `{}` cannot be used: {reason}",
            path.display()
        );
        PluginError::unusable(SourceErrorKind::Denied, message)
    }

    /// Returns the error of a library that the system does not load. Its constructors may have run.
    pub(crate) fn not_loaded(path: &Path, reason: &str) -> PluginError {
        let message = format!("plugin `{}` cannot be loaded: {reason}", path.display());
        PluginError::unusable(SourceErrorKind::Unavailable, message)
    }

    /// Returns the error of a library with an invalid table. Its constructors and its entry have run.
    pub(crate) fn invalid_table(path: &Path, reason: &str) -> PluginError {
        let message = format!("plugin `{}` cannot be used: {reason}", path.display());
        PluginError::unusable(SourceErrorKind::Invalid, message)
    }
}

impl From<PluginError> for SourceError {
    fn from(error: PluginError) -> SourceError {
        let message = error.to_string();
        match error {
            PluginError::Unreadable { error, .. } => {
                SourceError::new(SourceErrorKind::Unavailable, message).caused_by(error)
            }
            PluginError::Unusable { kind, .. } => SourceError::new(kind, message),
            PluginError::Writable { .. } | PluginError::Dependency { .. } => {
                SourceError::new(SourceErrorKind::Denied, message)
            }
        }
    }
}

/// Returns the command that approves the plugin at `path`.
pub(crate) fn approve_command(path: &Path) -> String {
    let path = path.to_string_lossy();
    format!("repertoire plugin approve {}", command_argument(&path))
}
