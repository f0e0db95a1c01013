//! What the content behind a row consists of.

use repertoire_core::{Body, Manifest, Parts};

use super::{Reading, Record, Row};
use crate::FsLimits;
use crate::beside::Beside;
use crate::folder::SkillFolder;
use crate::manifest;
use crate::stamp::FileStamp;

impl Record {
    /// Lists what was listed before, if the content is known to be the same, and else what the content is, if that was
    /// known before.
    pub(super) fn compare(&mut self, reading: Reading<'_>) {
        let Some(known) = reading.previous.filter(|known| known.is_told()).and_then(|known| known.row.as_ref()) else {
            return;
        };
        let Some(row) = reading.beside.and_then(|limits| self.told(limits)) else { return };
        let is_same = row.listed.item == known.listed.item
            && (row.listed.digest, &row.listed.parts) == (known.listed.digest, &known.listed.parts);
        let listed = if is_same { known.listed.clone() } else { row.listed };
        self.row = Some(Row { listed, ..row });
    }

    /// This record once its content was read, or could not be.
    pub(crate) fn read_whole(&self, limits: &FsLimits) -> Record {
        let row = self.told(limits);
        Record {
            path: self.path.clone(),
            beside: self.beside.clone(),
            is_untold: row.is_none(),
            row: row.or_else(|| self.row.clone()),
            diagnostics: self.diagnostics.clone(),
            digests: self.digests.clone(),
            reach: self.reach.clone(),
            ..*self
        }
    }

    /// The row with what the content consists of, if that can be read and is still what was listed.
    fn told(&self, limits: &FsLimits) -> Option<Row> {
        let row = self.row.as_ref().filter(|row| Some(row.version) == self.stamp)?;
        let folder = SkillFolder::open(self, limits).ok()?;
        let body = folder.body().ok()?;
        let files = Manifest::new(manifest::of(&folder)).ok()?;
        let (file, beside) = (FileStamp::of(&self.path, &self.path.metadata().ok()?), self.beside.as_deref()?);
        let beside_now = Beside::of(&self.path, self.holds_others, limits, Some(beside));
        let is_current = body.stamp == row.version && self.file == Some(file) && beside_now.stamp == beside.stamp;
        let listed = || row.listed.clone().with_digest(body.digest).with_parts(Parts::new(&body.text, &files));
        is_current.then(|| Row { listed: listed(), version: row.version })
    }

    /// Whether it is known what the content consists of that is listed.
    pub(super) fn is_told(&self) -> bool {
        self.row.as_ref().is_some_and(|row| row.listed.parts.is_some())
    }

    /// Whether the content is to be read, so that it can be told from another: where the other files count too.
    pub(crate) fn is_unread(&self) -> bool {
        let is_own = self.row.as_ref().is_some_and(|row| Some(row.version) == self.stamp);
        self.beside.is_some() && is_own && !self.is_told() && !self.is_untold
    }

    /// `body` under the stamp that is listed, if it is of the version that is listed.
    pub(crate) fn as_listed(&self, body: Body) -> Body {
        let listed = self.row.as_ref().filter(|row| row.version == body.stamp);
        let mut body = body;
        body.stamp = listed.map_or(body.stamp, |row| row.listed.stamp);
        body
    }
}
