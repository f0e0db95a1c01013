//! A file or folder that is looked at.

use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use crate::fault::Fault;

/// A file or folder, and how messages call it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) path: PathBuf,
    shown: PathBuf,
}

impl Place {
    /// What lies at `path`; messages call it as seen from `cwd`.
    pub(crate) fn new(path: PathBuf, cwd: &Path) -> Place {
        let shown = path.strip_prefix(cwd).unwrap_or(&path).to_owned();
        Place { path, shown }
    }

    pub(crate) fn join(&self, name: &Path) -> Place {
        Place { path: self.path.join(name), shown: self.shown.join(name) }
    }

    pub(crate) fn shown(&self) -> String {
        self.shown.display().to_string()
    }

    pub(crate) fn name(&self) -> Option<&str> {
        self.path.file_name()?.to_str()
    }

    /// The path as text, for `include_bytes!`.
    pub(crate) fn text(&self) -> Result<String, Fault> {
        let unnameable = || self.fault("the path is not UTF-8").help("rename it");
        Ok(self.path.to_str().ok_or_else(unnameable)?.to_owned())
    }

    pub(crate) fn fault(&self, message: impl Into<String>) -> Fault {
        Fault::new(self.shown(), message)
    }

    pub(crate) fn read(&self) -> Result<Vec<u8>, Fault> {
        fs::read(&self.path).map_err(|error| self.unreadable(&error))
    }

    /// What a folder holds, in order of names.
    pub(crate) fn entries(&self) -> Result<Vec<Place>, Fault> {
        let entries = fs::read_dir(&self.path).and_then(Iterator::collect::<io::Result<Vec<_>>>);
        let entries = entries.map_err(|error| self.unreadable(&error))?;
        let mut places: Vec<_> = entries.iter().map(|entry| self.join(entry.file_name().as_ref())).collect();
        places.sort();
        Ok(places)
    }

    pub(crate) fn is_link(&self) -> bool {
        self.path.is_symlink()
    }

    /// What it is, links followed.
    pub(crate) fn metadata(&self) -> Result<Metadata, Fault> {
        fs::metadata(&self.path).map_err(|error| self.unreadable(&error))
    }

    /// Its path without links.
    pub(crate) fn real(&self) -> Result<PathBuf, Fault> {
        self.path.canonicalize().map_err(|error| self.unreadable(&error))
    }

    fn unreadable(&self, error: &io::Error) -> Fault {
        self.fault(format!("cannot be read: {error}"))
    }
}
