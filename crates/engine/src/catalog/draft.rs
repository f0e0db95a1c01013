//! A catalog before it is decided how much of it is written.

use std::borrow::Cow;

use repertoire_core::{Id, Skill};
use repertoire_registry::{Entry, Snapshot, Trust};

use crate::one_line::{one_line, shorten};
use crate::{Audience, tokens};

use super::budget::Meter;
use super::format::Texts;
use super::options::Locations;
use super::overflow::Plan;
use super::{CatalogOptions, Fate, Line};

/// The visible skills in order, their texts cleaned.
pub(super) struct Draft<'a> {
    options: &'a CatalogOptions,
    hint: Cow<'a, str>,
    skills: Vec<Listable<'a>>,
}

struct Listable<'a> {
    id: &'a Id,
    /// Characters of the description.
    length: usize,
    texts: Texts<'a>,
}

impl<'a> Draft<'a> {
    pub(super) fn of(snapshot: &'a Snapshot<Skill>, options: &'a CatalogOptions) -> Draft<'a> {
        let entries = snapshot.entries().iter().map(AsRef::as_ref);
        let mut visible: Vec<&Entry<Skill>> = entries.filter(|entry| Audience::Model.sees(&entry.claim)).collect();
        visible.sort_by_key(|entry| (entry.origin().tier, entry.id.as_str()));
        let skills = visible.into_iter().map(|entry| Listable::of(entry, options)).collect();
        Draft { options, hint: one_line(&options.hint), skills }
    }

    pub(super) fn len(&self) -> usize {
        self.skills.len()
    }

    /// The plan that makes the most of `limit`; `None` when not even one name fits.
    pub(super) fn fit(&self, limit: usize) -> Option<Plan> {
        let meter = self.options.budget.meter(self.options.tokenizer);
        let format = self.options.format;
        let line = |skill: &Listable<'_>, description: &str, out: &mut String| {
            out.clear();
            format.skill(&skill.texts, description, out);
            meter.part(out)
        };
        let mut scratch = String::new();
        let costs: Vec<Cost> = self.skills.iter().map(|skill| Cost {
            name: line(skill, "", &mut scratch),
            whole: line(skill, &skill.texts.description, &mut scratch),
        }).collect();
        let frame = meter.base() + meter.part(format.opening()) + meter.part(format.closing());
        let cost = |plan: Plan| {
            let mut scratch = String::new();
            let lines = self.skills.iter().zip(&costs).take(plan.listed).enumerate();
            let lines: u64 = lines.map(|(index, (skill, cost))| match plan {
                _ if index >= plan.described => cost.name,
                _ if skill.length <= plan.most => cost.whole,
                _ => line(skill, &skill.shown(index, plan), &mut scratch),
            }).sum();
            scratch.clear();
            self.note(plan, &mut scratch);
            frame + lines + meter.part(&scratch)
        };
        let longest = self.skills.iter().map(|skill| skill.length).max()?;
        self.options.overflow.plan(self.len(), longest, |plan| tokens::whole(cost(plan)) <= limit)
    }
}
