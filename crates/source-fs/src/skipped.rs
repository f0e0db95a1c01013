//! Folders that wildcards do not match.

use std::ffi::OsStr;

/// Why a folder is skipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Skipped {
    /// Version control, dependencies and caches: neither skills nor a part of one.
    Tool,
    /// What builds write. A skill may bear such a name and scripts may be shipped in such a folder,
    /// so only the search for skills below it is left out.
    Output,
}

const TABLE: &[(&str, Skipped)] = &[
    (".git", Skipped::Tool),
    (".hg", Skipped::Tool),
    (".svn", Skipped::Tool),
    (".jj", Skipped::Tool),
    ("node_modules", Skipped::Tool),
    ("bower_components", Skipped::Tool),
    ("site-packages", Skipped::Tool),
    ("__pycache__", Skipped::Tool),
    (".venv", Skipped::Tool),
    ("venv", Skipped::Tool),
    (".tox", Skipped::Tool),
    (".nox", Skipped::Tool),
    (".mypy_cache", Skipped::Tool),
    (".pytest_cache", Skipped::Tool),
    (".ruff_cache", Skipped::Tool),
    ("target", Skipped::Output),
    ("dist", Skipped::Output),
    ("build", Skipped::Output),
    ("coverage", Skipped::Output),
    (".next", Skipped::Output),
];

impl Skipped {
    /// Why a folder of this name is skipped, if it is.
    pub(crate) fn of(name: &OsStr) -> Option<Skipped> {
        TABLE.iter().find(|(skipped, _)| name == *skipped).map(|(_, why)| *why)
    }
}
