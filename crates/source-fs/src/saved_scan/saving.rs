//! Sources that save their scans.

use std::path::PathBuf;
use std::sync::Arc;

use super::ScanStore;
use crate::FsSource;

impl FsSource {
    /// Returns the same source, whose first listing reads only skills that changed since an earlier process saved them in `folder`.
    ///
    /// `build` names the build of the program: a text that changes with it. A different build reads everything again. The first
    /// listing saves its skills if more than one in 64 is not saved yet. The folder is made if it does not exist, for this user
    /// alone.
    ///
    /// - A skill is reused if the versions of its `SKILL.md` and of its folder are those that were read. Each takes one `stat`.
    /// - A skill whose file or folder changed within two seconds of the listing is not saved, nor one with an error or behind a
    ///   link.
    /// - On a remote file system, on an image, and where files have no change time, nothing is saved.
    /// - Bodies, digests and other files are not saved.
    /// - A source that [watches](FsSource::watching) from its first listing on saves nothing.
    /// - A saved scan that is damaged, or cannot be read or written, counts as absent.
    #[doc(hidden)]
    #[must_use]
    pub fn saving_scans(self, folder: impl Into<PathBuf>, build: impl Into<String>) -> FsSource {
        self.saved_by(ScanStore::new(folder.into(), build.into()))
    }

    pub(crate) fn saved_by(mut self, store: ScanStore) -> FsSource {
        self.saved_scans = Some(Arc::new(store));
        self
    }

    /// Returns the reason why the last listing did not use or save a [scan](FsSource::saving_scans), if there is one.
    #[doc(hidden)]
    pub fn saved_scan_fault(&self) -> Option<String> {
        self.saved_scans.as_ref()?.fault()
    }
}
