//! The skills that a catalog tells of.

use repertoire_core::{Id, Skill};
use repertoire_registry::{Entry, Snapshot, Trust};

use super::CatalogOptions;
use super::listable::Listable;
use super::options::Locations;
use super::overflow::Plan;
use super::page::Page;
use crate::Mode;
use crate::place::Place;

/// The skills that a catalog tells of: who may be seen, in the catalog's order.
pub(super) struct Visible<'a>(pub(super) Vec<Told<'a>>);

/// What is told of a skill, as it is written: where its texts are, none of which was looked at.
pub(super) struct Told<'a> {
    pub(super) id: Id,
    pub(super) name: &'a str,
    pub(super) description: &'a str,
    /// Only of a restricted skill.
    pub(super) source: Option<&'a str>,
    /// Only where it is wanted and known.
    pub(super) location: Option<&'a str>,
    pub(super) mode: Mode,
}

impl<'a> Visible<'a> {
    pub(super) fn of(snapshot: &'a Snapshot<Skill>, options: &CatalogOptions) -> Visible<'a> {
        let (mut places, mut skills) = (Vec::with_capacity(snapshot.len()), Vec::with_capacity(snapshot.len()));
        // As the snapshot has them: each is looked at once, where memory still knows it.
        for entry in snapshot.entries() {
            if options.modes.sees(options.audience, &entry.claim) {
                places.push((Place::of(entry), skills.len()));
                skills.push(Some(Told::of(entry, options)));
            }
        }
        // Ids are unique, so the order is total.
        places.sort_unstable();
        let taken = places.into_iter().map(|(_, number)| skills[number].take().expect("each has one place"));
        Visible(taken.collect())
    }

    /// Everything, where nothing has to give way: each text is looked at once, and written.
    pub(super) fn whole(self, options: &CatalogOptions) -> Page<'_> {
        let count = self.0.len();
        let room = self.0.iter().map(|told| told.description.len()).sum();
        let mut page = Page::begun(options, Plan::whole(count), count, room);
        for told in self.0 {
            let skill = Listable::of(&told);
            page.tell(told.id, &skill);
        }
        page.ended()
    }
}

impl<'a> Told<'a> {
    fn of(entry: &'a Entry<Skill>, options: &CatalogOptions) -> Told<'a> {
        let skill = entry.item();
        let restricted = entry.claim.trust != Trust::Trusted;
        Told {
            id: entry.id.clone(),
            name: entry.id.as_str(),
            description: &skill.description,
            source: restricted.then_some(&*entry.origin().source),
            location: skill.location.as_deref().filter(|_| options.locations == Locations::Told),
            mode: options.modes.of(&entry.claim),
        }
    }
}
