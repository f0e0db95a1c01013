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

/// The skills that a catalog tells of: who may be seen, and in which order.
pub(super) struct Visible<'a> {
    /// As the snapshot has them: each is looked at where memory still knows it.
    pub(super) skills: Vec<Told<'a>>,
    /// Their places in the catalog's order.
    pub(super) order: Vec<usize>,
}

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
    /// Whether the turn suggests it.
    pub(super) is_suggested: bool,
}

impl<'a> Visible<'a> {
    pub(super) fn of(snapshot: &'a Snapshot<Skill>, options: &CatalogOptions) -> Visible<'a> {
        let (mut places, mut skills) = (Vec::with_capacity(snapshot.len()), Vec::with_capacity(snapshot.len()));
        for entry in snapshot.entries() {
            if options.modes.sees(options.audience, &entry.claim) {
                places.push((Place::of(entry), skills.len()));
                skills.push(Told::of(entry, options));
            }
        }
        // Ids are unique, so the order is total.
        places.sort_unstable();
        Visible { skills, order: places.into_iter().map(|(_, number)| number).collect() }
    }

    /// Everything, where nothing has to give way: each text is looked at once, and written.
    pub(super) fn whole(self, options: &CatalogOptions) -> Page<'_> {
        let count = self.skills.len();
        let room = self.skills.iter().map(|told| told.description.len()).sum();
        let mut page = Page::begun(options, Plan::whole(count), count, room);
        let mut skills: Vec<Option<Told<'_>>> = self.skills.into_iter().map(Some).collect();
        let ordered = self.order.into_iter().map(|number| skills[number].take().expect("each has one place"));
        // All at once, before their texts are looked at: memory is asked for many of them at the same time.
        let ordered: Vec<Told<'_>> = ordered.collect();
        for told in ordered {
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
            is_suggested: options.suggested.contains(&entry.id),
        }
    }
}
