//! Folders that hold no skills, or no part of one.

use std::ffi::OsStr;

use crate::skipped_file::plain;

/// Why a folder of a tree is skipped, by its name alone. Every reader of folders goes by this one table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SkippedFolder {
    /// What version control keeps. It is never compared.
    VersionControl,
    /// Dependencies that a tool installed. Scripts of a skill load them, so a lock compares them as a whole.
    Dependencies,
    /// What tools and interpreters write as they run. It comes and goes by itself.
    Cache,
    /// What the system leaves.
    Litter,
    /// Keys and credentials, by convention.
    Secrets,
    /// What builds write. A skill may bear such a name and scripts may be shipped in such a folder,
    /// so only the search for skills below it is left out.
    Output,
}

const TABLE: &[(&str, SkippedFolder)] = &[
    (".git", SkippedFolder::VersionControl),
    (".hg", SkippedFolder::VersionControl),
    (".svn", SkippedFolder::VersionControl),
    (".jj", SkippedFolder::VersionControl),
    ("node_modules", SkippedFolder::Dependencies),
    ("bower_components", SkippedFolder::Dependencies),
    ("site-packages", SkippedFolder::Dependencies),
    (".venv", SkippedFolder::Dependencies),
    ("venv", SkippedFolder::Dependencies),
    ("__pycache__", SkippedFolder::Cache),
    (".tox", SkippedFolder::Cache),
    (".nox", SkippedFolder::Cache),
    (".mypy_cache", SkippedFolder::Cache),
    (".pytest_cache", SkippedFolder::Cache),
    (".ruff_cache", SkippedFolder::Cache),
    ("__MACOSX", SkippedFolder::Litter),
    (".AppleDouble", SkippedFolder::Litter),
    (".Spotlight-V100", SkippedFolder::Litter),
    (".Trashes", SkippedFolder::Litter),
    (".fseventsd", SkippedFolder::Litter),
    (".TemporaryItems", SkippedFolder::Litter),
    ("$RECYCLE.BIN", SkippedFolder::Litter),
    ("System Volume Information", SkippedFolder::Litter),
    ("@eaDir", SkippedFolder::Litter),
    (".ssh", SkippedFolder::Secrets),
    (".gnupg", SkippedFolder::Secrets),
    (".aws", SkippedFolder::Secrets),
    (".kube", SkippedFolder::Secrets),
    (".docker", SkippedFolder::Secrets),
    (".azure", SkippedFolder::Secrets),
    ("target", SkippedFolder::Output),
    ("dist", SkippedFolder::Output),
    ("build", SkippedFolder::Output),
    ("coverage", SkippedFolder::Output),
    (".next", SkippedFolder::Output),
];

impl SkippedFolder {
    /// Returns why a folder of this name is skipped, if it is.
    ///
    /// A name that some file system takes for one of the table counts as that one: letter case, invisible characters and
    /// trailing dots do not matter. The names of build output are taken as they are, since skills bear them.
    ///
    /// ```
    /// use repertoire_core::SkippedFolder;
    ///
    /// assert_eq!(SkippedFolder::of("node_modules"), Some(SkippedFolder::Dependencies));
    /// assert_eq!(SkippedFolder::of(".GIT"), Some(SkippedFolder::VersionControl));
    /// assert_eq!(SkippedFolder::of("skills"), None);
    /// ```
    pub fn of(name: impl AsRef<OsStr>) -> Option<SkippedFolder> {
        let name = name.as_ref().to_str()?;
        let exact = |(known, why): &&(&str, SkippedFolder)| *why == SkippedFolder::Output && *known == name;
        if let Some((_, why)) = TABLE.iter().find(exact) {
            return Some(*why);
        }
        let name = plain(name);
        let is_like = |(known, why): &&(&str, SkippedFolder)| why.is_apart() && known.eq_ignore_ascii_case(&name);
        TABLE.iter().find(is_like).map(|(_, why)| *why)
    }

    /// Returns whether nothing in such a folder is a part of a skill.
    pub fn is_apart(self) -> bool {
        self != SkippedFolder::Output
    }
}
