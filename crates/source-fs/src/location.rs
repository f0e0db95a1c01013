//! The path of a file, and its text for people and models.

use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The path of a file. Where it is UTF-8, as nearly always, its text is the path itself, shared and not copied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Location {
    Text(Arc<str>),
    Other(PathBuf),
}

impl Location {
    pub(crate) fn new(path: &Path) -> Location {
        match path.to_str() {
            Some(text) => Location::Text(text.into()),
            None => Location::Other(path.to_owned()),
        }
    }

    /// The path as text; what is not UTF-8 is replaced.
    pub(crate) fn text(&self) -> Arc<str> {
        match self {
            Location::Text(text) => text.clone(),
            Location::Other(path) => path.to_string_lossy().into(),
        }
    }
}

impl Deref for Location {
    type Target = Path;

    fn deref(&self) -> &Path {
        match self {
            Location::Text(text) => Path::new(text.as_ref()),
            Location::Other(path) => path,
        }
    }
}
