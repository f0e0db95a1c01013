//! The skills that a catalog tells of.

use repertoire_core::Skill;
use repertoire_registry::{Entry, Snapshot};

use super::CatalogOptions;
use super::listable::Listable;
use super::overflow::Plan;
use super::page::Page;
use crate::place::Place;

/// The skills that a catalog tells of: who may be seen, and in which order; none of their texts was looked at.
pub(super) struct Visible<'a> {
    /// As the snapshot has them: each is looked at where memory still knows it.
    pub(super) entries: Vec<&'a Entry<Skill>>,
    /// Their places in the catalog's order.
    pub(super) order: Vec<usize>,
}

impl<'a> Visible<'a> {
    pub(super) fn of(snapshot: &'a Snapshot<Skill>, options: &CatalogOptions) -> Visible<'a> {
        let (mut places, mut entries) = (Vec::with_capacity(snapshot.len()), Vec::with_capacity(snapshot.len()));
        for entry in snapshot.entries() {
            if options.modes.sees(options.audience, &entry.claim) {
                places.push((Place::of(entry), entries.len()));
                entries.push(entry.as_ref());
            }
        }
        // Ids are unique, so the order is total.
        places.sort_unstable();
        Visible { entries, order: places.into_iter().map(|(_, number)| number).collect() }
    }

    /// Everything, where nothing has to give way: each text is looked at once, and written.
    pub(super) fn whole<'o>(&self, options: &'o CatalogOptions) -> Page<'o> {
        let room = self.entries.iter().map(|entry| entry.item().description.len()).sum();
        let count = self.entries.len();
        let mut page = Page::begun(options, Plan::whole(count), count, room);
        for number in &self.order {
            page.tell(&Listable::of(self.entries[*number], options));
        }
        page.ended()
    }
}
