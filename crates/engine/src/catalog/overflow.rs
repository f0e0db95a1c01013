//! What gives way when not everything fits.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use repertoire_core::Id;
use serde::Serialize;

use super::clause::shorten_clauses;
use crate::shorten::shorten;

/// What gives way when not everything fits. Names come last, and but for [`LeastUsed`](Overflow::LeastUsed) what gives
/// way depends on the skills alone.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Overflow {
    /// The first of these that fits, each with as much as fits:
    /// 1. every description, the long ones cut to one length, at least 32 characters: at the end of a clause, the
    ///    sentence kept that tells when to use the skill;
    /// 2. every name, descriptions of 32 characters for the first skills;
    /// 3. the names of the first skills.
    #[default]
    Shorten,
    /// The same, descriptions cut at the end of a word wherever that is: as if their characters were handed out
    /// one at a time to each in turn.
    RoundRobin,
    /// Descriptions are whole or absent: those of the first skills stay, then only the names of the first.
    NameOnly,
    /// As [`NameOnly`](Overflow::NameOnly), with those first that were used most often, as the host counted: every answer with a
    /// [`SkillRead`](crate::SkillRead) is a use. What changes with use is not the same from one turn to the next, and no
    /// prompt cache holds it.
    LeastUsed(Arc<BTreeMap<Id, u64>>),
    /// Skills are whole or absent: the first ones stay.
    LeaveOut,
}

/// The shortest that a description is cut to, in characters: a few words still tell skills apart.
const SHORTEST: usize = 32;

/// What of a draft is written. Ranks say who gives way last: 0 is the very last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Plan {
    /// How many skills are listed, by rank.
    pub(super) listed: usize,
    /// How many of them have a description.
    pub(super) described: usize,
    /// The most characters of a description.
    pub(super) most: usize,
    /// Whether pinned skills are whole, whatever holds for others.
    pub(super) pins: bool,
}

impl Plan {
    /// Nothing, not even a name.
    pub(super) const NOTHING: Plan = Plan { listed: 0, described: 0, most: 0, pins: false };

    /// Everything.
    pub(super) fn whole(count: usize) -> Plan {
        Plan { listed: count, described: count, most: usize::MAX, pins: true }
    }
}

impl Overflow {
    /// How often this skill was used, as far as that matters.
    pub(super) fn uses(&self, id: &Id) -> u64 {
        match self {
            Overflow::LeastUsed(uses) => uses.get(id).copied().unwrap_or_default(),
            _ => 0,
        }
    }

    /// `text` in at most `most` characters.
    pub(super) fn cut<'t>(&self, text: &'t str, most: usize) -> Cow<'t, str> {
        match self {
            Overflow::Shorten => shorten_clauses(text, most),
            _ => shorten(text, most),
        }
    }

    /// The best plan for `count` skills that `fits`.
    pub(super) fn plan(&self, count: usize, longest: usize, fits: impl Fn(Plan) -> bool) -> Plan {
        let whole = Plan::whole(count);
        if fits(whole) {
            return whole;
        }
        // Pins hold as long as anything fits beside them.
        let best = [true, false].into_iter().find_map(|pins| self.best(Plan { pins, ..whole }, longest, &fits));
        best.unwrap_or(Plan::NOTHING)
    }

    fn best(&self, whole: Plan, longest: usize, fits: &dyn Fn(Plan) -> bool) -> Option<Plan> {
        let count = whole.listed;
        let last = |range, rung: &dyn Fn(usize) -> Plan| last_that_fits(range, rung, fits);
        let names = |listed| Plan { listed, described: 0, most: 0, ..whole };
        match self {
            Overflow::Shorten | Overflow::RoundRobin => last(SHORTEST..longest, &|most| Plan { most, ..whole })
                .or_else(|| last(0..count, &|described| Plan { described, most: SHORTEST, ..whole }))
                .or_else(|| last(1..count, &names)),
            Overflow::NameOnly | Overflow::LeastUsed(_) => {
                last(0..count, &|described| Plan { described, ..whole }).or_else(|| last(1..count, &names))
            }
            Overflow::LeaveOut => last(1..count, &|listed| Plan { listed, described: listed, ..whole }),
        }
    }
}

/// The last plan of a rising series that fits. What it returns was asked about, so it fits even if costs dip.
fn last_that_fits(range: Range<usize>, rung: &dyn Fn(usize) -> Plan, fits: &dyn Fn(Plan) -> bool) -> Option<Plan> {
    let Range { mut start, mut end } = range;
    let mut best = None;
    while start < end {
        // The first question is the lowest rung: a tight budget is told at once.
        let middle = if best.is_none() { start } else { start + (end - start) / 2 };
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
