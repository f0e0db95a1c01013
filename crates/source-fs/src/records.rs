//! Every `SKILL.md` of one source.

use std::path::{MAIN_SEPARATOR_STR, Path};
use std::sync::{Arc, OnceLock};

use repertoire_core::Id;

use crate::blocks::{Blocks, Place, Tally};
use crate::edit::Edit;
use crate::record::Record;
use crate::root::bytes;

/// Records in the order of the listing, and the ways to find one.
#[derive(Debug, Default)]
pub(crate) struct Records {
    by_path: Blocks,
    /// Those with a row, by its id and then in order. Made when it is first needed, and kept up from then on.
    by_id: OnceLock<Blocks>,
}

impl Records {
    /// Of `records` in order.
    pub(crate) fn new(records: &[Arc<Record>]) -> Records {
        Records { by_path: Blocks::new(records), by_id: OnceLock::new() }
    }

    /// These records after `edits`, which share all blocks that no edit touches.
    pub(crate) fn after(&self, edits: &[Edit]) -> Records {
        let mut by_path = self.by_path.clone();
        for edit in edits {
            by_path.edit(by_path.place(|record| record.order() < edit.record().order()), edit);
        }
        let by_id = if edits.iter().any(Edit::moves_an_id) { Some(self.by_id()) } else { self.by_id.get() };
        let by_id = by_id.map(|by_id| {
            let mut by_id = by_id.clone();
            for edit in edits.iter().flat_map(Edit::by_id) {
                let sought = (edit.record().id(), edit.record().order());
                by_id.edit(by_id.place(|record| (record.id(), record.order()) < sought), &edit);
            }
            by_id
        });
        Records { by_path, by_id: by_id.map(OnceLock::from).unwrap_or_default() }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Arc<Record>> {
        self.by_path.iter()
    }

    pub(crate) fn tally(&self) -> Tally {
        self.by_path.tally()
    }

    /// Those with diagnostics.
    pub(crate) fn noisy(&self) -> impl Iterator<Item = &Arc<Record>> {
        self.by_path.iter_some(|tally| tally.noisy)
    }

    /// Those whose content is to be read some day.
    pub(crate) fn unread(&self) -> impl Iterator<Item = &Arc<Record>> {
        self.by_path.iter_some(|tally| tally.unread).filter(|record| record.is_unread())
    }

    /// The records of the files that claim `id`; that of its row comes first.
    pub(crate) fn of(&self, id: &Id) -> impl Iterator<Item = &Arc<Record>> {
        let by_id = self.by_id();
        by_id.from(by_id.place(|record| record.id() < Some(id))).take_while(move |record| record.id() == Some(id))
    }

    /// The record of a file, by its [order](Record::order).
    pub(crate) fn at(&self, order: (usize, &[u8])) -> Option<&Arc<Record>> {
        self.by_path.from(self.place(order)).next().filter(|record| record.order() == order)
    }

    /// The records of the files below `folder` of the root numbered `root`.
    pub(crate) fn below(&self, root: usize, folder: &Path) -> impl Iterator<Item = &Arc<Record>> {
        let first = [bytes(folder), MAIN_SEPARATOR_STR.as_bytes()].concat();
        let found = self.by_path.from(self.place((root, &first)));
        found.take_while(move |record| record.root == root && bytes(&record.path).starts_with(&first))
    }

    /// How many records before the file of this [order](Record::order) have a row.
    pub(crate) fn rows_before(&self, order: (usize, &[u8])) -> usize {
        self.by_path.rows_before(self.place(order))
    }

    /// Whether these are the very same records.
    pub(crate) fn are(&self, others: &[Arc<Record>]) -> bool {
        self.tally().all == others.len() && self.iter().zip(others).all(|(a, b)| Arc::ptr_eq(a, b))
    }

    /// Whether a listing of `other` would say the same.
    pub(crate) fn list_like(&self, other: &Records) -> bool {
        let same = |(a, b): (&Arc<Record>, &Arc<Record>)| Arc::ptr_eq(a, b) || a.lists_like(b);
        self.tally().all == other.tally().all && self.iter().zip(other.iter()).all(same)
    }

    fn place(&self, order: (usize, &[u8])) -> Place {
        self.by_path.place(|record| record.order() < order)
    }

    fn by_id(&self) -> &Blocks {
        self.by_id.get_or_init(|| {
            let mut found: Vec<(&Id, &Arc<Record>)> =
                self.iter().filter_map(|record| record.id().map(|id| (id, record))).collect();
            // Stable: those with one id stay in order.
            found.sort_by_key(|(id, _)| *id);
            Blocks::new(&found.into_iter().map(|(_, record)| record.clone()).collect::<Vec<_>>())
        })
    }
}
