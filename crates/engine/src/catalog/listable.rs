//! A skill as a catalog may tell of it.

use repertoire_core::{Id, Skill};
use repertoire_registry::{Entry, Trust};

use super::CatalogOptions;
use super::format::Texts;
use super::options::Locations;
use super::overflow::Plan;
use crate::Mode;
use crate::one_line::{hidden_in, one_line};

/// A skill as a catalog may tell of it, its texts clean.
pub(super) struct Listable<'a> {
    pub(super) id: &'a Id,
    pub(super) texts: Texts<'a>,
    pub(super) mode: Mode,
    /// Who gives way last: 0 is the very last.
    pub(super) rank: usize,
    /// Characters of the description.
    pub(super) length: usize,
    /// Characters that were taken out of it.
    pub(super) hidden: usize,
}

impl<'a> Listable<'a> {
    pub(super) fn of(entry: &'a Entry<Skill>, options: &CatalogOptions) -> Listable<'a> {
        let skill = entry.item();
        let restricted = entry.claim.trust != Trust::Trusted;
        let location = skill.location.as_deref().filter(|_| options.locations == Locations::Told);
        let texts = Texts {
            name: one_line(entry.id.as_str()),
            description: one_line(&skill.description),
            source: restricted.then(|| one_line(&entry.origin().source)),
            location: location.map(one_line),
        };
        Listable {
            id: &entry.id,
            mode: options.modes.of(&entry.claim),
            rank: 0,
            length: texts.description.chars().count(),
            hidden: hidden_in(&skill.description, &texts.description),
            texts,
        }
    }

    /// The most characters that the description may have.
    pub(super) fn most(&self, plan: Plan) -> usize {
        match self.mode {
            Mode::NameOnly => 0,
            Mode::Pinned if plan.pins => usize::MAX,
            _ if self.rank < plan.described => plan.most,
            _ => 0,
        }
    }
}
