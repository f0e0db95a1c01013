//! Every `SKILL.md` of one source.

use std::path::{MAIN_SEPARATOR_STR, Path};
use std::sync::Arc;

use repertoire_core::{ChunkedMap, ChunkedVec, Id, Keyed};

use crate::file_change::SkillFileChange;
use crate::root::bytes;
use crate::skill_file::SkillFile;

/// The files in the order of the listing. A change shares with the previous version what stays.
#[derive(Debug, Clone, Default)]
pub(crate) struct SkillFileTable {
    by_path: ChunkedVec<Arc<SkillFile>>,
    /// The files without a listed row, in order: they have no row, or an earlier file has their id.
    unlisted: Arc<Vec<Arc<SkillFile>>>,
    /// The files with a listed row.
    by_id: ChunkedMap<Arc<SkillFile>>,
    /// The number of files whose content is not hashed yet.
    unhashed: usize,
}

impl Keyed for SkillFile {
    fn key(&self) -> &str {
        self.id().map_or("", Id::as_str)
    }
}

impl SkillFileTable {
    /// Creates it from files in order.
    pub(crate) fn new(files: impl IntoIterator<Item = Arc<SkillFile>>) -> SkillFileTable {
        let by_path: ChunkedVec<Arc<SkillFile>> = files.into_iter().collect();
        let mut by_id = ChunkedMap::with_capacity(by_path.len());
        let mut unlisted = Vec::new();
        for file in by_path.iter() {
            if file.id().is_none() {
                unlisted.push(file.clone());
            } else if let Some(first) = by_id.insert(file.clone()) {
                by_id.insert(first);
                unlisted.push(file.clone());
            }
        }
        let unhashed = by_path.iter().filter(|file| file.is_unread()).count();
        SkillFileTable {
            by_path,
            unlisted: Arc::new(unlisted),
            by_id,
            unhashed,
        }
    }

    /// Returns the files after `changes`, and whether rows of other files stay as they are.
    ///
    /// They do not if an id is claimed twice, before or after.
    pub(crate) fn after(&self, changes: &[SkillFileChange]) -> (SkillFileTable, bool) {
        let mut next = self.clone();
        for change in changes {
            next.apply(change);
        }
        let (moved, kept): (Vec<_>, Vec<_>) =
            changes.iter().partition(|change| change.moves_an_id());
        let mut is_contested = false;
        for id in moved.iter().filter_map(|change| change.old.as_ref()?.id()) {
            is_contested |= self.unlisted.iter().any(|file| file.id() == Some(id));
            next.by_id.remove(id.as_str());
        }
        for new in moved
            .iter()
            .filter_map(|change| change.new.as_ref())
            .filter(|file| file.id().is_some())
        {
            is_contested |= next.by_id.insert(new.clone()).is_some();
        }
        if is_contested {
            return (SkillFileTable::new(next.by_path.iter().cloned()), false);
        }
        for new in kept.iter().filter_map(|change| change.new.as_ref()) {
            if new.id().is_some() && !next.is_unlisted(new) {
                next.by_id.insert(new.clone());
            }
        }
        (next, true)
    }

    fn apply(&mut self, change: &SkillFileChange) {
        let order = change.skill_file().order();
        let at = self.position(order);
        self.by_path.splice(
            at..at + usize::from(change.old.is_some()),
            change.new.clone(),
        );
        self.unhashed += change.new.iter().filter(|file| file.is_unread()).count();
        self.unhashed -= change.old.iter().filter(|file| file.is_unread()).count();
        let place = self
            .unlisted
            .binary_search_by(|file| file.order().cmp(&order));
        // A file whose id an earlier one has stays without a row as long as it claims the same id.
        let stays = place.is_ok() && !change.moves_an_id();
        let unlisted = change.new.as_ref().filter(|new| new.row.is_none() || stays);
        if place.is_ok() || unlisted.is_some() {
            let (Ok(at) | Err(at)) = place;
            Arc::make_mut(&mut self.unlisted)
                .splice(at..at + usize::from(place.is_ok()), unlisted.cloned());
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Arc<SkillFile>> {
        self.by_path.iter()
    }

    pub(crate) fn len(&self) -> usize {
        self.by_path.len()
    }

    /// Returns at most `count` files whose content is not hashed yet, searching from position `start` on and then from the
    /// first one. The second value is the position behind the last of them.
    pub(crate) fn unhashed(&self, start: usize, count: usize) -> (Vec<Arc<SkillFile>>, usize) {
        if self.unhashed == 0 {
            return (Vec::new(), 0);
        }
        let start = start.min(self.len());
        let numbered = self
            .by_path
            .iter_from(start)
            .zip(start..)
            .chain(self.by_path.iter().zip(0..start));
        let found: Vec<_> = numbered
            .filter(|(file, _)| file.is_unread())
            .take(count)
            .collect();
        let next = found.last().map_or(0, |(_, at)| at + 1);
        (
            found.into_iter().map(|(file, _)| file.clone()).collect(),
            next,
        )
    }

    pub(crate) fn is_hashed(&self) -> bool {
        self.unhashed == 0
    }

    /// Returns the file of the listed row `id`.
    pub(crate) fn of(&self, id: &Id) -> Option<&Arc<SkillFile>> {
        self.by_id.get(id.as_str())
    }

    pub(crate) fn at(&self, order: (usize, &[u8])) -> Option<&Arc<SkillFile>> {
        self.by_path
            .first_not(|file| file.order() < order)
            .filter(|file| file.order() == order)
    }

    /// Returns the files below `folder` of the root numbered `root`.
    pub(crate) fn below(
        &self,
        root: usize,
        folder: &Path,
    ) -> impl Iterator<Item = &Arc<SkillFile>> {
        let first = [bytes(folder), MAIN_SEPARATOR_STR.as_bytes()].concat();
        let found = self.by_path.iter_from(self.position((root, &first)));
        found.take_while(move |file| file.root == root && bytes(&file.path).starts_with(&first))
    }

    /// Returns the number of listed rows before the file of this [order](SkillFile::order).
    pub(crate) fn rows_before(&self, order: (usize, &[u8])) -> usize {
        self.position(order) - self.unlisted.partition_point(|file| file.order() < order)
    }

    /// Returns whether `file` has no listed row.
    pub(crate) fn is_unlisted(&self, file: &SkillFile) -> bool {
        self.unlisted
            .binary_search_by(|other| other.order().cmp(&file.order()))
            .is_ok()
    }

    /// Returns the number of files whose id an earlier file has.
    pub(crate) fn hidden(&self) -> usize {
        self.unlisted
            .iter()
            .filter(|file| file.row.is_some())
            .count()
    }

    /// Returns whether these are the very same files.
    pub(crate) fn are(&self, others: &[Arc<SkillFile>]) -> bool {
        self.len() == others.len() && self.iter().zip(others).all(|(a, b)| Arc::ptr_eq(a, b))
    }

    /// Returns whether a listing of `other` is the same.
    pub(crate) fn list_like(&self, other: &SkillFileTable) -> bool {
        self.len() == other.len()
            && self
                .iter()
                .zip(other.iter())
                .all(|(a, b)| Arc::ptr_eq(a, b) || a.lists_like(b))
    }

    fn position(&self, order: (usize, &[u8])) -> usize {
        self.by_path.partition_point(|file| file.order() < order)
    }
}
