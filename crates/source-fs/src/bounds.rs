//! The real folders that bound one walk.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use repertoire_core::SkippedFolder;

use crate::pattern::FILE_NAME;
use crate::root::Plan;

/// The real folders that bound one walk: links are compared with these.
#[derive(Debug, Default)]
pub(crate) struct Bounds {
    /// The real folder of each root that exists.
    roots: Vec<PathBuf>,
    /// The real folder that no link may leave, if the plan names one.
    within: Option<PathBuf>,
}

impl Bounds {
    /// Resolves the folders of `plan`. Blocks for a few system calls for each root.
    pub(crate) fn of(plan: &Plan) -> Bounds {
        let mut roots: Vec<PathBuf> =
            plan.starts.iter().filter_map(|start| start.root_folder().canonicalize().ok()).collect();
        roots.dedup();
        let real = |folder: &PathBuf| folder.canonicalize().unwrap_or_else(|_| folder.clone());
        Bounds { roots, within: plan.within.as_ref().map(real) }
    }

    /// Returns whether the walk may go on at the real path `real`.
    pub(crate) fn admit(&self, real: &Path) -> bool {
        self.within.as_ref().is_none_or(|within| real.starts_with(within))
    }

    /// Returns whether the real path `real` lies in a root.
    pub(crate) fn hold(&self, real: &Path) -> bool {
        self.roots.iter().any(|root| real.starts_with(root))
    }

    /// Returns whether diagnostics may quote the file with the real path `real`, to which a link led.
    ///
    /// Inside a root there are secrets too, as in `.git/config`: only what the walk could have found itself is quoted.
    pub(crate) fn let_quote(&self, real: &Path) -> bool {
        let is_open =
            |name: &OsStr| name.as_encoded_bytes().first() != Some(&b'.') && SkippedFolder::of(name).is_none();
        let is_found = |below: &Path| {
            let is_named = below.file_name().is_some_and(|name| name.eq_ignore_ascii_case(FILE_NAME));
            is_named && below.components().all(|part| is_open(part.as_os_str()))
        };
        self.roots.iter().any(|root| real.strip_prefix(root).is_ok_and(is_found))
    }
}
