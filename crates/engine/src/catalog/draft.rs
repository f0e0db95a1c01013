//! A catalog before it is decided how much of it is written.

use std::borrow::Cow;

use repertoire_core::{Id, Skill};
use repertoire_registry::{Entry, Snapshot, Trust};

use crate::Audience;
use crate::one_line::{one_line, shorten};

use super::format::Texts;
use super::options::Locations;
use super::overflow::Plan;
use super::{CatalogOptions, Fate, Line};

/// The visible skills in order, their texts clean.
pub(super) struct Draft<'a> {
    options: &'a CatalogOptions,
    hint: Cow<'a, str>,
    skills: Vec<Listable<'a>>,
}

struct Listable<'a> {
    id: &'a Id,
    texts: Texts<'a>,
    /// Characters of the description.
    length: usize,
}

/// What the line of a skill costs, in thousandths.
struct Cost {
    name_only: u64,
    whole: u64,
}

impl<'a> Draft<'a> {
    pub(super) fn of(snapshot: &'a Snapshot<Skill>, options: &'a CatalogOptions) -> Draft<'a> {
        let entries = snapshot.entries().iter().map(AsRef::as_ref);
        let mut visible: Vec<&Entry<Skill>> =
            entries.filter(|entry| options.modes.hides(Audience::Model, &entry.claim).is_none()).collect();
        // Ids are unique, so the order is total.
        visible.sort_by_key(|entry| (entry.origin().tier, entry.id.as_str()));
        let skills = visible.into_iter().map(|entry| Listable::of(entry, options.locations)).collect();
        Draft { options, hint: one_line(&options.hint), skills }
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
            part(&|out| format.skill(&skill.texts, &shorten(&skill.texts.description, most), out))
        };
        let cost = |skill| Cost { name_only: line(skill, 0), whole: line(skill, usize::MAX) };
        let costs: Vec<Cost> = self.skills.iter().map(cost).collect();
        let frame = meter.base() + meter.part(format.opening()) + meter.part(format.closing());
        let total = |plan: Plan| {
            let lines = self.skills.iter().zip(&costs).take(plan.listed).enumerate();
            let lines = lines.map(|(index, (skill, cost))| match plan.most_at(index) {
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
        let room = |skill: &Listable<'_>| skill.texts.description.len().min(plan.most) + 128;
        let mut text = String::with_capacity(self.skills.iter().take(plan.listed).map(room).sum());
        text.push_str(format.opening());
        for (index, skill) in self.skills.iter().take(plan.listed).enumerate() {
            format.skill(&skill.texts, &shorten(&skill.texts.description, plan.most_at(index)), &mut text);
        }
        self.note(plan, &mut text);
        text.push_str(format.closing());
        text
    }

    fn note(&self, plan: Plan, out: &mut String) {
        let left_out = self.len() - plan.listed;
        if left_out > 0 {
            self.options.format.note(left_out, &self.hint, out);
        }
    }

    /// What becomes of each skill under `plan`.
    pub(super) fn lines(&self, plan: Option<Plan>) -> Vec<Line> {
        let skills = self.skills.iter().enumerate();
        skills
            .map(|(index, skill)| Line { id: skill.id.clone(), length: skill.length, fate: skill.fate(index, plan) })
            .collect()
    }
}

impl<'a> Listable<'a> {
    fn of(entry: &'a Entry<Skill>, locations: Locations) -> Listable<'a> {
        let skill = entry.item();
        let restricted = entry.claim.trust != Trust::Trusted;
        let location = skill.location.as_deref().filter(|_| locations == Locations::Told);
        let texts = Texts {
            name: one_line(entry.id.as_str()),
            description: one_line(&skill.description),
            source: restricted.then(|| one_line(&entry.origin().source)),
            location: location.map(one_line),
        };
        Listable { id: &entry.id, length: texts.description.chars().count(), texts }
    }

    fn fate(&self, index: usize, plan: Option<Plan>) -> Fate {
        let Some(plan) = plan.filter(|plan| index < plan.listed) else { return Fate::LeftOut };
        match shorten(&self.texts.description, plan.most_at(index)).chars().count() {
            to if to == self.length => Fate::Full,
            0 => Fate::NameOnly,
            to => Fate::Shortened { to },
        }
    }
}
