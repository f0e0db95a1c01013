//! A skill as a catalog may tell of it.

use repertoire_core::text::{clean_line, hidden_count};

use super::format::Texts;
use super::overflow::Plan;
use super::visible::Told;
use crate::Mode;

/// A skill as a catalog may tell of it, its texts clean.
pub(super) struct Listable<'a> {
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
    pub(super) fn of(told: &Told<'a>) -> Listable<'a> {
        let Told { name, description, source, location, mode, is_suggested, .. } = *told;
        let texts = Texts {
            name: clean_line(name),
            description: clean_line(description),
            source: source.map(clean_line),
            location: location.map(clean_line),
            is_suggested,
        };
        let length = texts.description.chars().count();
        // Nothing was taken out but blanks at the ends.
        let is_whole = texts.description.len() == description.trim().len();
        let hidden = if is_whole { 0 } else { hidden_count(description) };
        Listable { texts, mode, rank: 0, length, hidden }
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
