//! A catalog before it is decided how much of it is written.

use std::cmp::Reverse;

use repertoire_core::Id;

use super::CatalogOptions;
use super::listable::Listable;
use super::overflow::Plan;
use super::page::Page;
use super::visible::{Told, Visible};
use crate::Mode;

/// The visible skills, before it is decided how much of each is written.
pub(super) struct Draft<'a> {
    options: &'a CatalogOptions,
    /// As the snapshot has them.
    skills: Vec<(Id, Listable<'a>)>,
    /// Their places in the catalog's order.
    order: Vec<usize>,
}

/// What the line of a skill costs, in thousandths.
struct Cost {
    name_only: u64,
    whole: u64,
}

impl<'a> Draft<'a> {
    pub(super) fn of(visible: Visible<'a>, options: &'a CatalogOptions) -> Draft<'a> {
        let listable = |told: Told<'a>| {
            let skill = Listable::of(&told);
            (told.id, skill)
        };
        let Visible { skills, order } = visible;
        let mut skills: Vec<_> = skills.into_iter().map(listable).collect();
        let mut ranked = order.clone();
        // Stable: what is alike stays in the catalog's order.
        ranked.sort_by_key(|number| {
            let (id, skill): &(Id, Listable<'_>) = &skills[*number];
            (skill.mode != Mode::Pinned, !skill.texts.is_suggested, Reverse(options.overflow.uses(id)))
        });
        ranked.into_iter().enumerate().for_each(|(rank, number)| skills[number].1.rank = rank);
        Draft { options, skills, order }
    }

    /// The plan that makes the most of `limit`.
    ///
    /// Every part begins and ends with markup or a line's end, so that costs of parts add up to that of the text.
    pub(super) fn fit(&self, limit: usize) -> Plan {
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
        let costs: Vec<Cost> = self.listables().map(cost).collect();
        // Nothing stands before the first.
        let frame = meter.base() + meter.part(&self.options.opening()) + meter.part(format.closing());
        let frame = frame.saturating_sub(meter.part(format.between()));
        let total = |plan: Plan| {
            let lines = self.listables().zip(&costs).filter(|(skill, _)| skill.rank < plan.listed);
            let lines = lines.map(|(skill, cost)| match skill.most(plan) {
                0 => cost.name_only,
                most if most >= skill.length => cost.whole,
                most => line(skill, most),
            });
            let left_out = self.skills.len() - plan.listed;
            frame + lines.sum::<u64>() + part(&|out| self.options.note(left_out, out))
        };
        let longest = self.listables().map(|skill| skill.length).max().unwrap_or_default();
        self.options.overflow.plan(self.skills.len(), longest, |plan| total(plan) <= limit)
    }

    pub(super) fn written(&self, plan: Plan) -> Page<'a> {
        let listed = self.listables().filter(|skill| skill.rank < plan.listed);
        let room = listed.map(|skill| skill.texts.description.len().min(skill.most(plan))).sum();
        let mut page = Page::begun(self.options, plan, self.skills.len(), room);
        for (id, skill) in self.order.iter().map(|number| &self.skills[*number]) {
            page.tell(id.clone(), skill);
        }
        page.ended()
    }

    fn listables(&self) -> impl Iterator<Item = &Listable<'a>> {
        self.skills.iter().map(|(_, skill)| skill)
    }
}
