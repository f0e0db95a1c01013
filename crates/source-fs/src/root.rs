//! Where searches start.

use std::path::{Path, PathBuf};

use repertoire_core::skill_md;

use crate::pattern::Patterns;
use crate::{ClientPlugin, FsLimits};

/// A folder in which a source searches, and what came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RootReport {
    /// The folder, as it was configured.
    pub path: PathBuf,
    /// Whether there is such a folder.
    pub exists: bool,
    /// How many skills it contributes.
    pub skills: usize,
}

/// What one source does at every scan.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    pub(crate) starts: Vec<Start>,
    pub(crate) patterns: Patterns,
    pub(crate) limits: FsLimits,
    pub(crate) parser: skill_md::Limits,
    /// Whether a skill's other files count into its row.
    pub(crate) beside: bool,
    /// The folder that no link may leave, if there is one.
    pub(crate) within: Option<PathBuf>,
    /// What decides where the starts are.
    pub(crate) guides: Guides,
}

/// Files and folders beside the roots that decide which folders are roots.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Guides {
    pub(crate) files: Vec<PathBuf>,
    /// Folders whose entries matter.
    pub(crate) folders: Vec<PathBuf>,
}

/// A folder where a search starts: a root, and the literal part of a pattern below it.
#[derive(Debug, Clone)]
pub(crate) struct Start {
    /// The position of the root, which comes before the path in the order of skills.
    pub(crate) root: usize,
    pub(crate) path: PathBuf,
    /// The part of `path` below the root.
    pub(crate) prefix: PathBuf,
}

impl Plan {
    pub(crate) fn new(roots: impl Iterator<Item = PathBuf>, patterns: Patterns, limits: FsLimits) -> Plan {
        let prefixes = patterns.starts();
        let starts = roots.enumerate().flat_map(|(root, folder)| {
            // Collecting components drops `.` and the separator that joining an empty path leaves.
            let path = move |prefix: &PathBuf| folder.join(prefix).components().collect();
            prefixes.iter().map(move |prefix| Start { root, path: path(prefix), prefix: prefix.clone() })
        });
        let starts = starts.collect();
        let mut parser = skill_md::Limits::default();
        parser.file_bytes = limits.file_bytes;
        Plan { starts, patterns, limits, parser, beside: false, within: None, guides: Guides::default() }
    }

    /// Returns the same plan over the skills of `plugin`, out of which no link leads.
    pub(crate) fn of(self, plugin: &ClientPlugin) -> Plan {
        let Plan { patterns, limits, parser, beside, .. } = self;
        let Plan { starts, .. } = Plan::new(plugin.skills.iter().cloned(), patterns.clone(), limits.clone());
        let within = Some(plugin.folder.clone());
        Plan { starts, patterns, limits, parser, beside, within, guides: plugin.guides() }
    }

    /// Returns whether searches start at the same folders.
    pub(crate) fn is_over_like(&self, other: &Plan) -> bool {
        self.starts.iter().map(|start| &start.path).eq(other.starts.iter().map(|start| &start.path))
    }

    /// The order of skills: roots as configured, then paths by their bytes.
    pub(crate) fn order<'a>(&self, start: usize, path: &'a Path) -> (usize, &'a [u8]) {
        (self.starts[start].root, bytes(path))
    }
}

impl Start {
    /// Returns the root that it lies in.
    pub(crate) fn root_folder(&self) -> &Path {
        self.path.ancestors().nth(self.prefix.components().count()).unwrap_or(&self.path)
    }
}

/// What paths are compared by, on every platform alike.
pub(crate) fn bytes(path: &Path) -> &[u8] {
    path.as_os_str().as_encoded_bytes()
}

/// Whether `path` is `folder` or lies below it, both spelled by the same walk.
pub(crate) fn is_within(path: &Path, folder: &Path) -> bool {
    let rest = bytes(path).strip_prefix(bytes(folder));
    rest.is_some_and(|rest| rest.first().is_none_or(|next| std::path::is_separator(char::from(*next))))
}
