//! The size of a catalog, and what is shortened when it is too large.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use repertoire_core::Id;
use serde::Serialize;

use crate::catalog::Tokenizer;
use crate::truncate::{truncate, truncate_at_clause};

/// The limit of a catalog's size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Budget {
    /// No limit.
    #[default]
    Unlimited,
    /// This many tokens, as the [`Tokenizer`] of the options estimates them.
    Tokens(usize),
    /// This many characters (Unicode scalar values).
    Characters(usize),
    /// A share of a model's context window, in tokens, and at least 128. Clients give their catalogs 10 to 20 ‰.
    Share {
        /// Tokens of the window.
        window: usize,
        /// Thousandths of it.
        per_mille: u16,
    },
}

/// The least that a share gives, in tokens: room for a few names.
const LEAST_SHARE: usize = 128;

impl Budget {
    /// Returns the budget that clients use for a model with this context window: 20 ‰ of it, or 8,000 characters if it is unknown.
    pub fn for_window(window: Option<usize>) -> Budget {
        match window {
            Some(window) => Budget::Share {
                window,
                per_mille: 20,
            },
            None => Budget::Characters(8_000),
        }
    }

    /// Returns the limit in the budget's unit; `None` without one.
    pub fn limit(self) -> Option<usize> {
        match self {
            Budget::Unlimited => None,
            Budget::Tokens(limit) | Budget::Characters(limit) => Some(limit),
            Budget::Share { window, per_mille } => {
                let share = window as u128 * u128::from(per_mille) / 1000;
                Some(
                    usize::try_from(share)
                        .unwrap_or(usize::MAX)
                        .max(LEAST_SHARE),
                )
            }
        }
    }

    pub(super) fn meter(self, tokenizer: &Tokenizer) -> Meter<'_> {
        match self {
            Budget::Unlimited | Budget::Characters(_) => Meter::Characters,
            Budget::Tokens(_) | Budget::Share { .. } => Meter::Tokens(tokenizer),
        }
    }
}

/// A measure in thousandths of a budget's unit, so that the parts of a text add up to the whole.
#[derive(Debug, Clone, Copy)]
pub(super) enum Meter<'t> {
    Characters,
    Tokens(&'t Tokenizer),
}

impl Meter<'_> {
    pub(super) fn base(self) -> u64 {
        match self {
            Meter::Characters => 0,
            Meter::Tokens(tokenizer) => tokenizer.base(),
        }
    }

    pub(super) fn part(self, text: &str) -> u64 {
        match self {
            Meter::Characters => text.chars().count() as u64 * 1000,
            Meter::Tokens(tokenizer) => tokenizer.thousandths(text),
        }
    }

    /// Returns whether a longer text never has a smaller measure.
    pub(super) fn is_rising(self) -> bool {
        match self {
            Meter::Characters => true,
            Meter::Tokens(tokenizer) => tokenizer.is_weighted(),
        }
    }

    pub(super) fn whole(self, text: &str) -> usize {
        match self {
            Meter::Characters => text.chars().count(),
            Meter::Tokens(tokenizer) => tokenizer.estimate(text),
        }
    }
}

/// The strategy for a catalog that exceeds its budget. Names are omitted last. All strategies but
/// [`LeastUsed`](Overflow::LeastUsed) depend only on the skills.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Overflow {
    /// The first of these that fits, each with as much as fits:
    /// 1. every description, the long ones cut to one length, at least 32 characters: at the end of a clause, the
    ///    sentence kept that says when to use the skill;
    /// 2. every name, descriptions of 32 characters for the first skills;
    /// 3. the names of the first skills.
    #[default]
    Shorten,
    /// The same, descriptions cut at the end of a word wherever that is: as if their characters were handed out
    /// one at a time to each in turn.
    RoundRobin,
    /// Descriptions are whole or absent: those of the first skills stay, then only the names of the first.
    NameOnly,
    /// Like [`NameOnly`](Overflow::NameOnly), the most often used skills first. The host counts uses: every output with a
    /// [`SkillRead`](crate::tools::SkillRead) is one. A catalog that changes with use does not stay in a prompt cache.
    LeastUsed(Arc<BTreeMap<Id, u64>>),
    /// Skills are whole or absent: the first ones stay.
    Omit,
    /// Lists these skills, each with at most so many characters of its description, and omits all others. If that exceeds the
    /// budget, the first ones stay. [`CatalogOptions::by_recall`](super::CatalogOptions::by_recall) chooses them.
    Chosen(Arc<BTreeMap<Id, usize>>),
}

/// The shortest length that a description is cut to, in characters.
const SHORTEST: usize = 32;

/// The part of a catalog that is written. Rank 0 is the last to give way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CatalogPlan {
    pub(super) listed: usize,
    pub(super) described: usize,
    pub(super) most: usize,
    pub(super) pins: bool,
}

impl CatalogPlan {
    pub(super) const NOTHING: CatalogPlan = CatalogPlan {
        listed: 0,
        described: 0,
        most: 0,
        pins: false,
    };

    pub(super) fn whole(count: usize) -> CatalogPlan {
        CatalogPlan {
            listed: count,
            described: count,
            most: usize::MAX,
            pins: true,
        }
    }
}

impl Overflow {
    pub(super) fn uses(&self, id: &Id) -> u64 {
        match self {
            Overflow::LeastUsed(uses) => uses.get(id).copied().unwrap_or_default(),
            _ => 0,
        }
    }

    /// Returns the most characters of the description of a skill; `None` if it is omitted.
    pub(super) fn chosen(&self, id: &Id) -> Option<usize> {
        match self {
            Overflow::Chosen(lengths) => lengths.get(id).copied(),
            _ => Some(usize::MAX),
        }
    }

    pub(super) fn cut<'t>(&self, text: &'t str, most: usize) -> Cow<'t, str> {
        match self {
            _ if most == 0 => Cow::Borrowed(""),
            Overflow::Shorten | Overflow::Chosen(_) => truncate_at_clause(text, most),
            _ => truncate(text, most),
        }
    }

    /// Returns the plan with names alone that lists most of `count` items. `None` if all names fit, or if the strategy has no such
    /// plan.
    pub(super) fn plan_by_name(
        &self,
        count: usize,
        fits: impl Fn(CatalogPlan) -> bool,
    ) -> Option<CatalogPlan> {
        let names = CatalogPlan {
            described: 0,
            most: 0,
            pins: false,
            ..CatalogPlan::whole(count)
        };
        if matches!(self, Overflow::Omit | Overflow::Chosen(_)) || fits(names) {
            return None;
        }
        let best = [true, false].into_iter().find_map(|pins| {
            let first = CatalogPlan { pins, ..names };
            last_that_fits(1..count, &|listed| CatalogPlan { listed, ..first }, &fits)
        });
        Some(best.unwrap_or(CatalogPlan::NOTHING))
    }

    pub(super) fn plan(
        &self,
        count: usize,
        longest: usize,
        fits: impl Fn(CatalogPlan) -> bool,
    ) -> CatalogPlan {
        let whole = CatalogPlan::whole(count);
        if fits(whole) {
            return whole;
        }
        // Pins hold as long as anything fits beside them.
        let best = [true, false]
            .into_iter()
            .find_map(|pins| self.best(CatalogPlan { pins, ..whole }, longest, &fits));
        best.unwrap_or(CatalogPlan::NOTHING)
    }

    fn best(
        &self,
        whole: CatalogPlan,
        longest: usize,
        fits: &dyn Fn(CatalogPlan) -> bool,
    ) -> Option<CatalogPlan> {
        let count = whole.listed;
        let last = |range, rung: &dyn Fn(usize) -> CatalogPlan| last_that_fits(range, rung, fits);
        let names = |listed| CatalogPlan {
            listed,
            described: 0,
            most: 0,
            ..whole
        };
        match self {
            Overflow::Shorten | Overflow::RoundRobin => {
                last(SHORTEST..longest, &|most| CatalogPlan { most, ..whole })
                    .or_else(|| {
                        last(0..count, &|described| CatalogPlan {
                            described,
                            most: SHORTEST,
                            ..whole
                        })
                    })
                    .or_else(|| last(1..count, &names))
            }
            Overflow::NameOnly | Overflow::LeastUsed(_) => {
                last(0..count, &|described| CatalogPlan { described, ..whole })
                    .or_else(|| last(1..count, &names))
            }
            Overflow::Omit | Overflow::Chosen(_) => last(1..count, &|listed| CatalogPlan {
                listed,
                described: listed,
                ..whole
            }),
        }
    }
}

/// Returns the last plan of a rising series that fits.
fn last_that_fits(
    range: Range<usize>,
    rung: &dyn Fn(usize) -> CatalogPlan,
    fits: &dyn Fn(CatalogPlan) -> bool,
) -> Option<CatalogPlan> {
    let Range { mut start, mut end } = range;
    let mut best = None;
    while start < end {
        // The lowest rung comes first, so that a tight budget is found at once.
        let middle = if best.is_none() {
            start
        } else {
            start + (end - start) / 2
        };
        let plan = rung(middle);
        if fits(plan) {
            best = Some(plan);
            start = middle + 1;
        } else {
            end = middle;
        }
    }
    best
}
