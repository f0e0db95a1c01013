//! The content behind a row.

use repertoire_core::{Body, ContentDigests, Manifest};

use super::{ListedRow, ReadContext, SkillFile};
use crate::FsLimits;
use crate::folder::SkillFolder;
use crate::manifest;
use crate::sibling_files::SiblingFiles;
use crate::stamp::FileStamp;

impl SkillFile {
    /// Keeps the listed row of the previous read if the content is the same; else lists the new content, if the previous one was
    /// known.
    pub(super) fn compare(&mut self, reading: ReadContext<'_>) {
        if let Some(previous) = reading.previous
            && self.begins_with_siblings_of(previous)
            && let (Some(row), Some(known)) = (&mut self.row, &previous.row)
            && row.item == known.item
        {
            *row = known.of_version(row);
            return;
        }
        let Some(known) = reading
            .previous
            .filter(|known| known.content_known())
            .and_then(|known| known.row.as_ref())
        else {
            return;
        };
        let limits = reading.with_siblings.then_some(reading.file_limits);
        let Some(row) = limits.and_then(|limits| self.read_content(limits)) else {
            return;
        };
        self.row = Some(if row.has_content_of(known) {
            known.of_version(&row)
        } else {
            row
        });
    }

    /// Records the state of the other files while they do not count: that of the first read of this version.
    ///
    /// In a skill that was just written, a file that is written next can have an earlier change time than the time of this read.
    pub(super) fn date_siblings(&mut self, reading: ReadContext<'_>) {
        if self.siblings.is_some() {
            return;
        }
        let first = reading
            .previous
            .filter(|previous| previous.siblings.is_none() && previous.file == self.file);
        if let Some(first) = first {
            (self.read_at, self.siblings_read) = (first.read_at, first.siblings_read.clone());
        } else if let (Some(file), Some(read_at)) = (self.file, self.read_at)
            && !file.is_settled(read_at)
        {
            let limits = reading.file_limits;
            let now = SiblingFiles::of(&self.path, self.is_search_root, limits, None);
            self.siblings_read = Some(Box::new(now.stamp));
        }
    }

    /// Returns whether the other files count since `previous`, and nothing has changed since that was read.
    fn begins_with_siblings_of(&self, previous: &SkillFile) -> bool {
        let is_new = previous.siblings.is_none() && self.file == previous.file;
        let Some(siblings) = self.siblings.as_ref().filter(|_| is_new) else {
            return false;
        };
        match (&previous.siblings_read, previous.read_at) {
            (Some(stamp), _) => siblings.stamp == **stamp,
            (None, Some(read_at)) => siblings.are_older_than(read_at),
            (None, None) => false,
        }
    }

    pub(crate) fn read_whole(&self, limits: &FsLimits) -> SkillFile {
        let row = self.read_content(limits);
        SkillFile {
            path: self.path.clone(),
            siblings: self.siblings.clone(),
            content_unknown: row.is_none(),
            row: row.or_else(|| self.row.clone()),
            diagnostics: self.diagnostics.clone(),
            digests: self.digests.clone(),
            reach: self.reach.clone(),
            siblings_read: self.siblings_read.clone(),
            ..*self
        }
    }

    fn read_content(&self, limits: &FsLimits) -> Option<ListedRow> {
        let row = self
            .row
            .as_ref()
            .filter(|row| Some(row.version) == self.stamp)?;
        let folder = SkillFolder::open(self, limits).ok()?;
        let body = folder.body().ok()?;
        let files = Manifest::new(manifest::of(&folder)).ok()?;
        let (file, siblings) = (
            FileStamp::of(&self.path, &self.path.metadata().ok()?),
            self.siblings.as_deref()?,
        );
        let beside_now = SiblingFiles::of(&self.path, self.is_search_root, limits, Some(siblings));
        let is_current = body.stamp == row.version
            && self.file == Some(file)
            && beside_now.stamp == siblings.stamp;
        is_current.then(|| row.with_content(body.digest, ContentDigests::new(&body.text, &files)))
    }

    pub(super) fn content_known(&self) -> bool {
        self.row.as_ref().is_some_and(ListedRow::is_content_known)
    }

    pub(crate) fn is_unread(&self) -> bool {
        let is_own = self
            .row
            .as_ref()
            .is_some_and(|row| Some(row.version) == self.stamp);
        self.siblings.is_some() && is_own && !self.content_known() && !self.content_unknown
    }

    /// Returns `body` with the listed stamp, if it is of the listed version.
    pub(crate) fn as_listed(&self, body: Body) -> Body {
        let listed = self.row.as_ref().filter(|row| row.version == body.stamp);
        let mut body = body;
        body.stamp = listed.map_or(body.stamp, |row| row.stamp);
        body
    }
}
