//! The folders where searches start.

use std::path::{Path, PathBuf};

use repertoire_core::skill_md;

use crate::FsLimits;
use crate::pattern::Patterns;

/// A folder in which a source searches, and the result.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RootReport {
    /// The folder, as it was configured.
    pub path: PathBuf,
    /// Whether there is such a folder.
    pub exists: bool,
    /// The number of skills in it.
    pub skills: usize,
}

/// The configuration of the scans of one source.
#[derive(Debug, Clone)]
pub(crate) struct SearchPlan {
    pub(crate) starts: Vec<SearchStart>,
    pub(crate) patterns: Patterns,
    pub(crate) limits: FsLimits,
    pub(crate) parser: skill_md::Limits,
    /// Whether the files next to a `SKILL.md` count into its row.
    pub(crate) siblings: bool,
    /// The folder that no link may leave, if there is one.
    pub(crate) within: Option<PathBuf>,
    /// The files and folders that decide where the starts are.
    pub(crate) inputs: RootInputs,
}

/// The files and folders that decide which folders are roots.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct RootInputs {
    pub(crate) files: Vec<PathBuf>,
    /// The folders whose entries are watched.
    pub(crate) folders: Vec<PathBuf>,
}

/// A folder where a search starts: a root, and the literal part of a pattern below it.
#[derive(Debug, Clone)]
pub(crate) struct SearchStart {
    /// The position of the root, which comes before the path in the order of skills.
    pub(crate) root: usize,
    pub(crate) path: PathBuf,
    /// The part of `path` below the root.
    pub(crate) prefix: PathBuf,
}

impl SearchPlan {
    pub(crate) fn new(
        roots: impl Iterator<Item = PathBuf>,
        patterns: Patterns,
        limits: FsLimits,
    ) -> SearchPlan {
        let prefixes = patterns.starts();
        let starts = roots.enumerate().flat_map(|(root, folder)| {
            // Collecting components drops `.` and the separator that joining an empty path leaves.
            let path = move |prefix: &PathBuf| folder.join(prefix).components().collect();
            prefixes.iter().map(move |prefix| SearchStart {
                root,
                path: path(prefix),
                prefix: prefix.clone(),
            })
        });
        let starts = starts.collect();
        let mut parser = skill_md::Limits::default();
        parser.file_bytes = limits.file_bytes;
        SearchPlan {
            starts,
            patterns,
            limits,
            parser,
            siblings: false,
            within: None,
            inputs: RootInputs::default(),
        }
    }

    pub(crate) fn is_over_like(&self, other: &SearchPlan) -> bool {
        self.starts
            .iter()
            .map(|start| &start.path)
            .eq(other.starts.iter().map(|start| &start.path))
    }

    pub(crate) fn order<'a>(&self, start: usize, path: &'a Path) -> (usize, &'a [u8]) {
        (self.starts[start].root, bytes(path))
    }
}

impl SearchStart {
    pub(crate) fn root_folder(&self) -> &Path {
        self.path
            .ancestors()
            .nth(self.prefix.components().count())
            .unwrap_or(&self.path)
    }
}

pub(crate) fn bytes(path: &Path) -> &[u8] {
    path.as_os_str().as_encoded_bytes()
}

pub(crate) fn is_within(path: &Path, folder: &Path) -> bool {
    let rest = bytes(path).strip_prefix(bytes(folder));
    rest.is_some_and(|rest| {
        rest.first()
            .is_none_or(|next| std::path::is_separator(char::from(*next)))
    })
}
