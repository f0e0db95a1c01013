//! The path of a file, and its text for people and models.

use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The path of a file. Where it is UTF-8, as nearly always, its text is the path itself, shared and not copied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SkillPath {
    Text(Arc<str>),
    Other(PathBuf),
}

impl Default for SkillPath {
    fn default() -> SkillPath {
        SkillPath::Other(PathBuf::new())
    }
}

impl SkillPath {
    pub(crate) fn new(path: &Path) -> SkillPath {
        match path.to_str() {
            Some(text) => SkillPath::Text(text.into()),
            None => SkillPath::Other(path.to_owned()),
        }
    }

    pub(crate) fn text(&self) -> Arc<str> {
        match self {
            SkillPath::Text(text) => text.clone(),
            SkillPath::Other(path) => path.to_string_lossy().into(),
        }
    }
}

impl Deref for SkillPath {
    type Target = Path;

    fn deref(&self) -> &Path {
        match self {
            SkillPath::Text(text) => Path::new(text.as_ref()),
            SkillPath::Other(path) => path,
        }
    }
}
