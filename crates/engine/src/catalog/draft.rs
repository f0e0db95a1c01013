//! A catalog before it is decided how much of it is written.

use std::borrow::Cow;
use std::cmp::Reverse;

use repertoire_core::{Id, Skill};
use repertoire_registry::{Entry, Snapshot, Trust};

use super::format::Texts;
use super::options::Locations;
use super::overflow::Plan;
use super::{Activation, CatalogOptions, Fate, Line};
use crate::one_line::{hidden_in, one_line};
use crate::place::Place;
use crate::{Audience, Mode};

/// The visible skills, their texts clean.
pub(super) struct Draft<'a> {
    options: &'a CatalogOptions,
    opening: String,
    hint: String,
    /// As the snapshot has them: each is looked at where memory still knows it.
    skills: Vec<Listable<'a>>,
    /// Their places in the catalog's order.
    order: Vec<usize>,
}

struct Listable<'a> {
    id: &'a Id,
    texts: Texts<'a>,
    mode: Mode,
    /// Who gives way last: 0 is the very last.
    rank: usize,
    /// Characters of the description.
    length: usize,
    /// Characters that were taken out of it.
    hidden: usize,
}

/// What the line of a skill costs, in thousandths.
struct Cost {
    name_only: u64,
    whole: u64,
}

impl<'a> Draft<'a> {
    pub(super) fn of(snapshot: &'a Snapshot<Skill>, options: &'a CatalogOptions) -> Draft<'a> {
        let entries = snapshot.entries().iter().map(AsRef::as_ref);
        let visible = entries.filter(|entry| options.modes.hides(Audience::Model, &entry.claim).is_none());
        let (mut places, mut skills) = (Vec::with_capacity(snapshot.len()), Vec::with_capacity(snapshot.len()));
        for entry in visible {
            places.push((Place::of(entry), skills.len()));
            skills.push(Listable::of(entry, options));
        }
        // Ids are unique, so the order is total.
        places.sort_unstable();
        let order: Vec<usize> = places.into_iter().map(|(_, number)| number).collect();
        let mut ranked = order.clone();
        // Stable: what is alike stays in the catalog's order.
        ranked.sort_by_key(|number| {
            let skill: &Listable<'_> = &skills[*number];
            (skill.mode != Mode::Pinned, Reverse(options.overflow.uses(skill.id)))
        });
        ranked.into_iter().enumerate().for_each(|(rank, number)| skills[number].rank = rank);
        let how_to = options.activation.as_ref().map(Activation::how_to);
        let opening = options.format.opening(how_to.as_deref());
        Draft { options, opening, hint: one_line(&options.how_to_find()).into_owned(), skills, order }
    }

    pub(super) fn len(&self) -> usize {
        self.skills.len()
    }

    /// The plan that makes the most of `limit`; `None` when not even one name fits.
    ///
    /// Every part begins and ends with markup or a line's end, so that costs of parts add up to that of the text.
    pub(super) fn fit(&self, limit: usize) -> Option<Plan> {
        let limit = (limit as u64).saturating_mul(1000);
        let meter = self.options.budget.meter(self.options.tokenizer);
        let format = self.options.format;
        let part = |write: &dyn Fn(&mut String)| {
            let mut text = String::new();
            write(&mut text);
            meter.part(&text)
        };
        let line = |skill: &Listable<'_>, most| {
            part(&|out| {
                out.push_str(format.between());
                format.skill(&skill.texts, &self.options.overflow.cut(&skill.texts.description, most), out);
            })
        };
        let cost = |skill: &Listable<'_>| {
            let name_only = line(skill, 0);
            let whole = if skill.mode == Mode::NameOnly { name_only } else { line(skill, usize::MAX) };
            Cost { name_only, whole }
        };
        let costs: Vec<Cost> = self.skills.iter().map(cost).collect();
        // Nothing stands before the first.
        let frame = meter.base() + meter.part(&self.opening) + meter.part(format.closing());
        let frame = frame.saturating_sub(meter.part(format.between()));
        let total = |plan: Plan| {
            let lines = self.skills.iter().zip(&costs).filter(|(skill, _)| skill.rank < plan.listed);
            let lines = lines.map(|(skill, cost)| match skill.most(plan) {
                0 => cost.name_only,
                most if most >= skill.length => cost.whole,
                most => line(skill, most),
            });
            frame + lines.sum::<u64>() + part(&|out| self.note(plan, out))
        };
        let longest = self.skills.iter().map(|skill| skill.length).max()?;
        self.options.overflow.plan(self.len(), longest, |plan| total(plan) <= limit)
    }

    /// The text; none for no skills.
    pub(super) fn write(&self, plan: Plan) -> String {
        if self.skills.is_empty() {
            return String::new();
        }
        let format = self.options.format;
        let listed = || self.ordered().filter(|skill| skill.rank < plan.listed);
        let room = |skill: &Listable<'_>| skill.texts.description.len().min(skill.most(plan)) + 128;
        let mut text = String::with_capacity(self.opening.len() + listed().map(room).sum::<usize>());
        text.push_str(&self.opening);
        for (place, skill) in listed().enumerate() {
            if place > 0 {
                text.push_str(format.between());
            }
            format.skill(&skill.texts, &self.shown(skill, plan), &mut text);
        }
        self.note(plan, &mut text);
        text.push_str(format.closing());
        text
    }

    fn note(&self, plan: Plan, out: &mut String) {
        self.options.format.note(self.len() - plan.listed, &self.hint, out);
    }

    /// What becomes of each skill under `plan`.
    pub(super) fn lines(&self, plan: Option<Plan>) -> Vec<Line> {
        let line = |skill: &Listable<'_>| {
            let Listable { id, length, hidden, .. } = *skill;
            Line { id: id.clone(), length, hidden, fate: self.fate(skill, plan) }
        };
        self.ordered().map(line).collect()
    }

    /// The skills in the catalog's order.
    fn ordered(&self) -> impl Iterator<Item = &Listable<'a>> {
        self.order.iter().map(|number| &self.skills[*number])
    }

    fn fate(&self, skill: &Listable<'_>, plan: Option<Plan>) -> Fate {
        let Some(plan) = plan.filter(|plan| skill.rank < plan.listed) else { return Fate::LeftOut };
        if skill.most(plan) >= skill.length {
            return Fate::Full;
        }
        match self.shown(skill, plan).chars().count() {
            0 => Fate::NameOnly,
            to => Fate::Shortened { to },
        }
    }

    /// What is written of the description of a listed skill.
    fn shown<'t>(&self, skill: &'t Listable<'_>, plan: Plan) -> Cow<'t, str> {
        match skill.most(plan) {
            most if most >= skill.length => Cow::Borrowed(skill.texts.description.as_ref()),
            most => self.options.overflow.cut(&skill.texts.description, most),
        }
    }
}

impl<'a> Listable<'a> {
    fn of(entry: &'a Entry<Skill>, options: &CatalogOptions) -> Listable<'a> {
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
    fn most(&self, plan: Plan) -> usize {
        match self.mode {
            Mode::NameOnly => 0,
            Mode::Pinned if plan.pins => usize::MAX,
            _ if self.rank < plan.described => plan.most,
            _ => 0,
        }
    }
}
