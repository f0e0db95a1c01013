//! Files and folders on disk, and the errors of embedding them.

use std::fmt;
use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use repertoire_core::Diagnostic;

/// A file or folder, and its path in messages.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SourcePath {
    pub(crate) path: PathBuf,
    shown: PathBuf,
}

impl SourcePath {
    /// Creates it for `path`. Messages show the path relative to `cwd`.
    pub(crate) fn new(path: PathBuf, cwd: &Path) -> SourcePath {
        let shown = path.strip_prefix(cwd).unwrap_or(&path).to_owned();
        SourcePath { path, shown }
    }

    pub(crate) fn join(&self, name: &Path) -> SourcePath {
        SourcePath {
            path: self.path.join(name),
            shown: self.shown.join(name),
        }
    }

    pub(crate) fn shown(&self) -> String {
        self.shown.display().to_string()
    }

    pub(crate) fn name(&self) -> Option<&str> {
        self.path.file_name()?.to_str()
    }

    pub(crate) fn text(&self) -> Result<String, EmbedError> {
        let text = self.path.to_str();
        text.map(str::to_owned)
            .ok_or_else(|| self.error("the path is not UTF-8").help("rename it"))
    }

    pub(crate) fn error(&self, message: impl Into<String>) -> EmbedError {
        EmbedError::new(self.shown(), message)
    }

    pub(crate) fn read(&self) -> Result<Vec<u8>, EmbedError> {
        fs::read(&self.path).map_err(|error| self.unreadable(&error))
    }

    /// Returns the entries of a folder, in order of names.
    pub(crate) fn entries(&self) -> Result<Vec<SourcePath>, EmbedError> {
        let entries = fs::read_dir(&self.path).and_then(Iterator::collect::<io::Result<Vec<_>>>);
        let entries = entries.map_err(|error| self.unreadable(&error))?;
        let mut places: Vec<_> = entries
            .iter()
            .map(|entry| self.join(entry.file_name().as_ref()))
            .collect();
        places.sort();
        Ok(places)
    }

    pub(crate) fn is_link(&self) -> bool {
        self.path.is_symlink()
    }

    pub(crate) fn metadata(&self) -> Result<Metadata, EmbedError> {
        fs::metadata(&self.path).map_err(|error| self.unreadable(&error))
    }

    pub(crate) fn real(&self) -> Result<PathBuf, EmbedError> {
        self.path
            .canonicalize()
            .map_err(|error| self.unreadable(&error))
    }

    fn unreadable(&self, error: &io::Error) -> EmbedError {
        self.error(format!("cannot be read: {error}"))
    }
}

/// An error of embedding a folder: place, message and help.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct EmbedError {
    /// The place as `path:line:column`, as far as known.
    place: String,
    message: String,
    help: Option<String>,
}

impl EmbedError {
    pub(crate) fn new(place: String, message: impl Into<String>) -> EmbedError {
        EmbedError {
            place,
            message: message.into(),
            help: None,
        }
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> EmbedError {
        self.help = Some(help.into());
        self
    }
}

impl From<Diagnostic> for EmbedError {
    fn from(diagnostic: Diagnostic) -> EmbedError {
        let place = diagnostic.place().expect("the parser got the path");
        EmbedError {
            place,
            message: diagnostic.message,
            help: diagnostic.help,
        }
    }
}

impl fmt::Display for EmbedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)?;
        self.help
            .iter()
            .try_for_each(|help| write!(f, "\nhelp: {help}"))
    }
}

impl From<EmbedError> for Vec<EmbedError> {
    fn from(error: EmbedError) -> Vec<EmbedError> {
        vec![error]
    }
}
