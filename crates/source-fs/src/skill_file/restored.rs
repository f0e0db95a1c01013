//! The state of a file from a saved scan.

use std::path::Path;
use std::time::SystemTime;

use super::{ReadContext, SkillFile};
use crate::root::bytes;
use crate::skill_path::SkillPath;

impl SkillFile {
    /// Returns the state of the file at `path` as an earlier process saved it, if reading it would give the same.
    pub(crate) fn restored(path: &Path, reading: ReadContext<'_>) -> Option<SkillFile> {
        let saved = reading.saved.filter(|_| !reading.with_siblings)?;
        let record = saved.find((reading.root, bytes(path)))?;
        let read_at = SystemTime::now();
        // Not through a link, whose own version is never that of the file that it leads to.
        let file = reading.parent.entry_state(path).ok()?;
        let folder = reading.folder_state()?;
        let is_current = record.has_versions(&file.stamp, &folder.stamp)
            && record.is_reached_by(&reading.folder.reach)
            && (record.start, record.is_search_root) == (reading.start(), reading.is_search_root())
            // A mount point: it is read as if it were new.
            && file.stamp.identity.device() == reading.folder.identity.device()
            && reading.distrust(path, file.owner, Some(folder)).is_none();
        if !is_current {
            return None;
        }
        let (row, diagnostics) = record.contents()?;
        saved.count_reused();
        Some(SkillFile {
            path: SkillPath::Text(row.item.location.clone()?),
            file: Some(file.stamp),
            read_at: Some(read_at),
            settled: true,
            stamp: Some(record.stamp),
            folder_version: Some(record.folder),
            row: Some(row),
            diagnostics,
            ..SkillFile::blank(SkillPath::default(), reading)
        })
        .filter(|restored| bytes(&restored.path) == bytes(path))
    }
}
