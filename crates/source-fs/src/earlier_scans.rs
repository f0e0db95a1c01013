//! The results of earlier scans that a walk can reuse.

use std::sync::Arc;
use std::time::SystemTime;

use crate::saved_scan::SavedScan;
use crate::skill_files::SkillFileTable;

/// The results of earlier scans that a walk can reuse. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(crate) struct EarlierScans {
    /// The files of the previous scan of this source.
    pub(crate) scanned: Option<Arc<SkillFileTable>>,
    /// The scan that an earlier process saved, during the first scan of this one.
    pub(crate) saved: Option<Arc<SavedScan>>,
    /// The time at which this scan began, if it is to be saved.
    pub(crate) saving_since: Option<SystemTime>,
}

impl EarlierScans {
    pub(crate) fn of_source(scanned: Option<&Arc<SkillFileTable>>) -> EarlierScans {
        EarlierScans {
            scanned: scanned.cloned(),
            ..EarlierScans::default()
        }
    }
}
