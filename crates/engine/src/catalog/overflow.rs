//! What gives way when not everything fits.

use std::ops::Range;

use serde::Serialize;

/// What gives way when not everything fits. Names come last, and what gives way depends on the skills alone,
/// never on how often they were used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Overflow {
    /// The first of these that fits, each with as much as fits:
    /// 1. every description, the long ones cut to one length, at least 32 characters;
    /// 2. every name, descriptions of 32 characters for the first skills;
    /// 3. the names of the first skills.
    #[default]
    Shorten,
    /// Descriptions are whole or absent: those of the first skills stay, then only the names of the first.
    NameOnly,
    /// Skills are whole or absent: the first ones stay.
    LeaveOut,
}

/// The shortest that a description is cut to, in characters: a few words still tell skills apart.
const SHORTEST: usize = 32;

/// What of a draft is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Plan {
    /// How many skills are listed, from the first.
    pub(super) listed: usize,
    /// How many of them have a description.
    pub(super) described: usize,
    /// The most characters of a description.
    pub(super) most: usize,
}

impl Plan {
    /// Everything.
    pub(super) fn whole(count: usize) -> Plan {
        Plan { listed: count, described: count, most: usize::MAX }
    }

    /// The most characters that the description of the skill at `index` may have.
    pub(super) fn most_at(self, index: usize) -> usize {
        if index < self.described { self.most } else { 0 }
    }
}

impl Overflow {
    /// The best plan for `count` skills that `fits`; `None` when not even one name does.
    pub(super) fn plan(self, count: usize, longest: usize, fits: impl Fn(Plan) -> bool) -> Option<Plan> {
        let whole = Plan::whole(count);
        if fits(whole) {
            return Some(whole);
        }
        let last = |range, rung: &dyn Fn(usize) -> Plan| last_that_fits(range, rung, &fits);
        let names = |listed| Plan { listed, described: 0, most: 0 };
        match self {
            Overflow::Shorten => last(SHORTEST..longest, &|most| Plan { most, ..whole })
                .or_else(|| last(0..count, &|described| Plan { described, most: SHORTEST, ..whole }))
                .or_else(|| last(1..count, &names)),
            Overflow::NameOnly => {
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
