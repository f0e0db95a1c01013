//! A catalog as it is written.

use repertoire_core::Id;

use super::listable::Listable;
use super::overflow::Plan;
use super::{CatalogOptions, Fate, Line};

/// A catalog as it is written: a skill at a time, in the catalog's order.
pub(super) struct Page<'o> {
    options: &'o CatalogOptions,
    plan: Plan,
    /// How many skills were written.
    listed: usize,
    /// Empty where none is.
    pub(super) text: String,
    pub(super) lines: Vec<Line>,
}

/// What markup and name take of a line, in bytes: room is made for so much.
const MARKUP: usize = 128;

impl<'o> Page<'o> {
    /// What stands before the skills, of which there are `count`; `room` is for their descriptions.
    pub(super) fn begun(options: &'o CatalogOptions, plan: Plan, count: usize, room: usize) -> Page<'o> {
        let mut text = String::new();
        if plan.listed > 0 {
            let opening = options.opening();
            text.reserve(opening.len() + room + plan.listed * MARKUP);
            text.push_str(&opening);
        }
        Page { options, plan, listed: 0, text, lines: Vec::with_capacity(count) }
    }

    /// The next skill, as far as the plan has room for it.
    pub(super) fn tell(&mut self, id: Id, skill: &Listable<'_>) {
        let Listable { ref texts, length, hidden, .. } = *skill;
        let most = skill.most(self.plan);
        let fate = if skill.rank >= self.plan.listed {
            Fate::LeftOut
        } else if most >= length {
            self.list(skill, &texts.description);
            Fate::Full
        } else {
            let shown = self.options.overflow.cut(&texts.description, most);
            self.list(skill, &shown);
            match shown.chars().count() {
                0 => Fate::NameOnly,
                to => Fate::Shortened { to },
            }
        };
        self.lines.push(Line { id, length, hidden, fate });
    }

    fn list(&mut self, skill: &Listable<'_>, description: &str) {
        if self.listed > 0 {
            self.text.push_str(self.options.format.between());
        }
        self.listed += 1;
        self.options.format.skill(&skill.texts, description, &mut self.text);
    }

    /// What stands behind the skills.
    pub(super) fn ended(mut self) -> Page<'o> {
        if self.listed > 0 {
            self.options.note(self.lines.len() - self.listed, &mut self.text);
            self.text.push_str(self.options.format.closing());
        }
        self
    }
}
