//! The context of reading one `SKILL.md`.

use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use repertoire_core::{Stamp, skill_md};

use super::SkillFile;
use crate::FsLimits;
use crate::frontier::{FolderToVisit, Reach};
use crate::link_bounds::LinkBounds;
use crate::owner::FileOwner;
use crate::parent_dir::{ParentDir, PathState};
use crate::saved_scan::SavedScan;
use crate::sibling_files::SiblingFiles;
use crate::stamp::FileStamp;

/// The context of reading one file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReadContext<'a> {
    pub(crate) folder: &'a FolderToVisit,
    pub(crate) root: usize,
    pub(crate) bounds: &'a LinkBounds,
    pub(crate) limits: &'a skill_md::Limits,
    /// The limits of the skill's other files.
    pub(crate) file_limits: &'a FsLimits,
    /// Whether the other files of every skill count.
    pub(crate) with_siblings: bool,
    /// The open folder above it.
    pub(crate) parent: &'a ParentDir,
    /// The state of the previous scan.
    pub(crate) previous: Option<&'a Arc<SkillFile>>,
    /// The saved scan of an earlier process, during the first scan.
    pub(crate) saved: Option<&'a SavedScan>,
    /// The time at which the scan began, if it is to be saved.
    pub(crate) saving_since: Option<SystemTime>,
}

impl ReadContext<'_> {
    pub(super) fn start(&self) -> usize {
        self.folder.start
    }

    pub(super) fn is_search_root(&self) -> bool {
        self.folder.depth == 0
    }

    pub(super) fn is_as_before(&self, known: &SkillFile) -> bool {
        (known.start, known.is_search_root) == (self.start(), self.is_search_root())
            && known.reach == self.folder.reach
    }

    /// Returns the state of the folder, if it can be read.
    pub(super) fn folder_state(&self) -> Option<PathState> {
        self.parent.state(&self.folder.path).ok()
    }

    /// Returns the version of the folder to save, if neither it nor the file can change without a new stamp.
    pub(super) fn version_to_save(&self, file: FileStamp, folder: PathState) -> Option<Stamp> {
        let began = self.saving_since?;
        let is_old = file.is_older_than(began) && folder.stamp.is_older_than(began);
        is_old.then(|| Stamp::of(&folder.stamp))
    }

    /// Returns the reason why another user can change the skill, and of what.
    pub(super) fn distrust(
        &self,
        path: &Path,
        owner: FileOwner,
        folder: Option<PathState>,
    ) -> Option<(&'static str, String)> {
        if let Some(reason) = self.bounds.distrust(self.root, owner, path) {
            return Some(("file", reason));
        }
        let of_folder = self
            .bounds
            .distrust(self.root, folder?.owner, &self.folder.path)?;
        Some(("folder", of_folder))
    }

    /// Returns the state of the previous scan, if neither the file nor its siblings have changed.
    pub(super) fn unchanged(&self, path: &Path) -> Option<&Arc<SkillFile>> {
        let known = self.previous?;
        let is_unchanged = known.settled
            && known.file.is_some()
            && self.is_as_before(known)
            && self.parent.stamp(path).ok() == known.file
            && known.siblings.as_deref() == self.siblings(path).as_ref();
        is_unchanged.then_some(known)
    }

    /// Returns the way to the open file, or `None` if a link leads out of the folders that may be searched.
    pub(super) fn reach_of(&self, path: &Path, is_link: bool, stamp: FileStamp) -> Option<Reach> {
        let reach = self.folder.reach.clone();
        if !is_link && !reach.by_link {
            let real = reach.real.as_deref();
            let real = real.map(|folder| folder.join(path.file_name().unwrap_or_default()).into());
            return Some(Reach { real, ..reach });
        }
        // The real path of the open file: links on the way may have changed.
        let real = path.canonicalize().ok()?;
        let metadata = real.metadata().ok()?;
        let is_same = FileStamp::of(&real, &metadata).identity == stamp.identity;
        (is_same && self.bounds.admit(&real)).then(|| Reach {
            is_outside: !self.bounds.let_quote(&real),
            real: Some(real.into()),
            ..reach
        })
    }

    pub(super) fn siblings(&self, path: &Path) -> Option<SiblingFiles> {
        let known = self.previous.and_then(|known| known.siblings.as_deref());
        self.with_siblings
            .then(|| SiblingFiles::of(path, self.is_search_root(), self.file_limits, known))
    }
}
