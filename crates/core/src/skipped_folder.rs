//! Folders in which nobody looks for skills.

use std::ffi::OsStr;

/// Why a folder of a tree is skipped, by its name alone. Every reader of folders goes by this one table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SkippedFolder {
    /// Version control, dependencies and caches: neither skills nor a part of one.
    Tool,
    /// What builds write. A skill may bear such a name and scripts may be shipped in such a folder,
    /// so only the search for skills below it is left out.
    Output,
}

const TABLE: &[(&str, SkippedFolder)] = &[
    (".git", SkippedFolder::Tool),
    (".hg", SkippedFolder::Tool),
    (".svn", SkippedFolder::Tool),
    (".jj", SkippedFolder::Tool),
    ("node_modules", SkippedFolder::Tool),
    ("bower_components", SkippedFolder::Tool),
    ("site-packages", SkippedFolder::Tool),
    ("__pycache__", SkippedFolder::Tool),
    (".venv", SkippedFolder::Tool),
    ("venv", SkippedFolder::Tool),
    (".tox", SkippedFolder::Tool),
    (".nox", SkippedFolder::Tool),
    (".mypy_cache", SkippedFolder::Tool),
    (".pytest_cache", SkippedFolder::Tool),
    (".ruff_cache", SkippedFolder::Tool),
    ("target", SkippedFolder::Output),
    ("dist", SkippedFolder::Output),
    ("build", SkippedFolder::Output),
    ("coverage", SkippedFolder::Output),
    (".next", SkippedFolder::Output),
];

impl SkippedFolder {
    /// Why a folder of this name is skipped, if it is.
    ///
    /// ```
    /// use repertoire_core::SkippedFolder;
    ///
    /// assert_eq!(SkippedFolder::of("node_modules"), Some(SkippedFolder::Tool));
    /// assert_eq!(SkippedFolder::of("skills"), None);
    /// ```
    pub fn of(name: impl AsRef<OsStr>) -> Option<SkippedFolder> {
        let name = name.as_ref();
        TABLE.iter().find(|(skipped, _)| name == *skipped).map(|(_, why)| *why)
    }
}
