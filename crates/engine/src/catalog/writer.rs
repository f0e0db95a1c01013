//! From the skills that an audience may see to the text of a catalog.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::cmp::Reverse;
use std::sync::Arc;

use repertoire_core::Id;
use repertoire_core::text::{clean_line, hidden_count};
use repertoire_registry::{Entry, Snapshot, Trust};

use super::budget::{CatalogPlan, Meter};
use super::format::Texts;
use super::options::Locations;
use super::{CatalogLine, CatalogOptions, LineOutcome, Overflow};
use crate::resolve::SkillOrder;
use repertoire_permission::{Exposure, VisibleItem};

/// The visible skills in the catalog's order.
pub(super) struct CatalogWriter<'a> {
    options: &'a CatalogOptions,
    kind: &'static str,
    items: Vec<SanitizedItem<'a>>,
}

/// A skill as it is listed, its texts clean.
struct SanitizedItem<'a> {
    id: &'a Id,
    texts: Texts<'a>,
    mode: Exposure,
    /// The order of giving way; 0 is the last.
    rank: usize,
    /// Characters of the description.
    length: usize,
    /// The most characters of it that the overflow strategy leaves.
    chosen: usize,
    /// Hidden characters that were removed from it.
    hidden: usize,
}

/// The cost of the line of a skill, in thousandths.
struct Cost {
    name_only: u64,
    /// Measured when a plan has the whole description.
    whole: OnceCell<u64>,
}

/// Bytes that are reserved for the markup and the name of each line.
const MARKUP: usize = 128;

impl<'a> CatalogWriter<'a> {
    pub(super) fn new<T: VisibleItem>(
        snapshot: &'a Snapshot<T>,
        options: &'a CatalogOptions,
    ) -> CatalogWriter<'a> {
        let is_seen = |entry: &&Arc<Entry<T>>| {
            !T::is_hidden(&entry.candidate, options.audience, &options.modes)
        };
        let seen = snapshot.entries().iter().filter(is_seen);
        let place =
            |entry: &'a Entry<T>| (options.ages.last_change(&entry.id), SkillOrder::of(entry));
        let mut seen: Vec<_> = seen.map(|entry| (place(entry), entry.as_ref())).collect();
        seen.sort_unstable_by_key(|(place, _)| *place);
        let mut items: Vec<_> = seen
            .into_iter()
            .map(|(_, entry)| SanitizedItem::new(entry, options))
            .collect();
        let mut ranked: Vec<usize> = (0..items.len()).collect();
        // Stable: equal skills stay in the catalog's order.
        ranked.sort_by_key(|number| {
            let item = &items[*number];
            (
                item.mode != Exposure::Pinned,
                !item.texts.is_suggested,
                Reverse(options.overflow.uses(item.id)),
            )
        });
        let is_listed = |number: &usize| options.overflow.chosen(items[*number].id).is_some();
        let (listed, omitted): (Vec<usize>, _) = ranked.into_iter().partition(is_listed);
        omitted
            .into_iter()
            .for_each(|number: usize| items[number].rank = usize::MAX);
        listed
            .into_iter()
            .enumerate()
            .for_each(|(rank, number)| items[number].rank = rank);
        CatalogWriter {
            options,
            kind: T::KIND,
            items,
        }
    }

    pub(super) fn whole(&self) -> CatalogPlan {
        CatalogPlan::whole(self.items.len())
    }

    /// Returns the plan that lists most within `limit`.
    ///
    /// Every part begins and ends with markup or a line's end, so that the costs of parts add up.
    pub(super) fn fit(&self, limit: usize) -> CatalogPlan {
        let limit = (limit as u64).saturating_mul(1000);
        let costs: Vec<Cost> = self
            .items
            .iter()
            .map(|item| Cost {
                name_only: self.line(item, 0),
                whole: OnceCell::new(),
            })
            .collect();
        let frame = self.frame();
        let total = |plan: CatalogPlan| {
            let lines = self
                .items
                .iter()
                .zip(&costs)
                .filter(|(item, _)| item.rank < plan.listed);
            let lines = lines.map(|(item, cost)| match item.most(plan) {
                0 => cost.name_only,
                most if most >= item.length => {
                    *cost.whole.get_or_init(|| self.line(item, usize::MAX))
                }
                most => self.line(item, most),
            });
            let listed = self.items.iter().filter(|item| item.rank < plan.listed);
            let omitted = self.items.len() - listed.count();
            frame + lines.sum::<u64>() + self.note(omitted)
        };
        let longest = self
            .items
            .iter()
            .map(|item| item.length)
            .max()
            .unwrap_or_default();
        let (overflow, count) = (&self.options.overflow, self.items.len());
        let fits = |plan| total(plan) <= limit;
        // Descriptions only add to a measure that rises, so none fits if the names do not fit.
        let by_name = self
            .meter()
            .is_rising()
            .then(|| overflow.plan_by_name(count, fits));
        by_name
            .flatten()
            .unwrap_or_else(|| overflow.plan(count, longest, fits))
    }

    /// Returns the cost of the line of an item with at most so many characters of its description, in thousandths.
    fn line(&self, item: &SanitizedItem<'_>, most: usize) -> u64 {
        let options = self.options;
        let mut line = String::from(options.format.between());
        let description = options.overflow.cut(&item.texts.description, most);
        options
            .format
            .item(self.kind, &item.texts, &description, &mut line);
        self.meter().part(&line)
    }

    fn meter(&self) -> Meter<'_> {
        self.options.budget.meter(&self.options.tokenizer)
    }

    /// Returns the cost of what surrounds the lines, in thousandths.
    pub(super) fn frame(&self) -> u64 {
        let (meter, format) = (self.meter(), self.options.format);
        let frame = meter.base()
            + meter.part(&self.options.opening(self.kind))
            + meter.part(&format.closing(self.kind));
        // The first line has no separator before it.
        frame.saturating_sub(meter.part(format.between()))
    }

    /// Returns the cost of the note about `omitted` items, in thousandths.
    pub(super) fn note(&self, omitted: usize) -> u64 {
        let mut note = String::new();
        self.options.note(self.kind, omitted, &mut note);
        self.meter().part(&note)
    }

    /// Returns each item as it is listed with at most so many characters of its description: its id, the text that is shown of
    /// the description, and the cost of the line in thousandths.
    pub(super) fn shown(&self, most: usize) -> impl Iterator<Item = (&Id, Cow<'_, str>, u64)> {
        self.items.iter().map(move |item| {
            let most = if item.mode == Exposure::NameOnly {
                0
            } else {
                most
            };
            let shown = self.options.overflow.cut(&item.texts.description, most);
            (item.id, shown, self.line(item, most))
        })
    }

    /// Returns whether `plan`, and every one with less room, lists names alone and not all of them.
    pub(super) fn is_by_name(&self, plan: CatalogPlan) -> bool {
        plan.described == 0
            && plan.listed < self.items.len()
            && !matches!(self.options.overflow, Overflow::Omit | Overflow::Chosen(_))
    }

    /// Writes what `plan` has room for. The text is empty if that is nothing.
    pub(super) fn write(&self, plan: CatalogPlan) -> (String, Vec<CatalogLine>) {
        let listed = self.items.iter().filter(|item| item.rank < plan.listed);
        let room: usize = listed
            .map(|item| item.texts.description.len().min(item.most(plan)))
            .sum();
        let mut text = String::new();
        if plan.listed > 0 {
            text = self.options.opening(self.kind);
            text.reserve(room + plan.listed * MARKUP);
        }
        let mut listed = 0;
        let mut list = |item: &SanitizedItem<'_>, description: &str| {
            text.push_str(if listed > 0 {
                self.options.format.between()
            } else {
                ""
            });
            listed += 1;
            self.options
                .format
                .item(self.kind, &item.texts, description, &mut text);
        };
        let lines: Vec<CatalogLine> = self
            .items
            .iter()
            .map(|item: &SanitizedItem<'_>| {
                let most = item.most(plan);
                let outcome = if item.rank >= plan.listed {
                    LineOutcome::Omitted
                } else if most >= item.length {
                    list(item, &item.texts.description);
                    LineOutcome::Full
                } else {
                    let shown = self.options.overflow.cut(&item.texts.description, most);
                    list(item, &shown);
                    match shown.chars().count() {
                        0 => LineOutcome::NameOnly,
                        to => LineOutcome::Truncated { to },
                    }
                };
                CatalogLine {
                    id: item.id.clone(),
                    length: item.length,
                    hidden: item.hidden,
                    outcome,
                }
            })
            .collect();
        if listed > 0 {
            self.options
                .note(self.kind, lines.len() - listed, &mut text);
            text.push_str(&self.options.format.closing(self.kind));
        }
        (text, lines)
    }
}

impl<'a> SanitizedItem<'a> {
    fn new<T: VisibleItem>(entry: &'a Entry<T>, options: &CatalogOptions) -> SanitizedItem<'a> {
        let item = entry.item();
        let description = item.description().unwrap_or_default();
        let is_restricted = entry.candidate.trust != Trust::Trusted;
        let location = item
            .location()
            .filter(|_| options.paths == Locations::Listed);
        let texts = Texts {
            name: clean_line(entry.id.as_str()),
            description: clean_line(description),
            source: is_restricted.then(|| clean_line(&entry.origin().source)),
            location: location.map(clean_line),
            is_suggested: options.suggested.contains(&entry.id),
            is_not_ready: options.not_ready.contains(&entry.id),
        };
        let length = texts.description.chars().count();
        // Nothing was removed but blanks at the ends.
        let is_whole = texts.description.len() == description.trim().len();
        let hidden = if is_whole {
            0
        } else {
            hidden_count(description)
        };
        SanitizedItem {
            id: &entry.id,
            texts,
            mode: options.modes.exposure(&entry.candidate),
            rank: 0,
            length,
            chosen: options.overflow.chosen(&entry.id).unwrap_or_default(),
            hidden,
        }
    }

    /// Returns the most characters that the description may have.
    fn most(&self, plan: CatalogPlan) -> usize {
        match self.mode {
            Exposure::NameOnly => 0,
            Exposure::Pinned if plan.pins => usize::MAX,
            _ if self.rank < plan.described => plan.most.min(self.chosen),
            _ => 0,
        }
    }
}
