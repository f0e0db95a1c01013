//! The filters that exclude a profile from a request, and the order of the others.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::fmt;

use serde::Serialize;

use crate::profile::{AgentLimits, RunHistory};
use crate::{AllocationRequest, AllocationStrategy, CapabilityProfile, Permissions};

/// A reason why a profile is not eligible for a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct IneligibleReason {
    /// The code: `other-type`, `missing-skills`, `denied-tools`, `no-write-access`, `no-admin-access`,
    /// `no-free-slot`, `over-budget`, `too-slow`, `beyond-parent` or `unreliable`.
    pub code: &'static str,
    /// The explanation, such as `runs at most 1000 ms`, which `Display` prints.
    pub(crate) detail: String,
    /// `true` if the reason may pass while other agents end.
    #[serde(skip)]
    pub(crate) is_temporary: bool,
}

impl IneligibleReason {
    fn new(code: &'static str, detail: impl Into<String>) -> Self {
        Self {
            code,
            detail: detail.into(),
            is_temporary: false,
        }
    }

    fn temporary_if(mut self, is_temporary: bool) -> Self {
        self.is_temporary = is_temporary;
        self
    }
}

impl fmt::Display for IneligibleReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.detail)
    }
}

/// The eligibility and the score of one profile for a request.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ProfileRating {
    /// The name of the profile.
    pub profile: String,
    /// The reasons against it; an eligible profile has none.
    pub reasons: Vec<IneligibleReason>,
    /// The lower bound of its rate of success.
    pub reliability: f64,
    /// The free share of its slots.
    pub capacity: f64,
    /// The share of its time limit that a run leaves.
    pub speed: f64,
    /// The share of its skills that the request needs.
    pub fit: f64,
    /// The sum of 0.40 reliability, 0.35 capacity, 0.15 speed and 0.10 fit.
    pub score: f64,
}

/// A profile with what is known about its living agents.
#[derive(Debug, Clone)]
pub(crate) struct RatedCandidate {
    pub(crate) name: String,
    pub(crate) profile: CapabilityProfile,
    /// The histories of all profiles of its type, added up.
    pub(crate) type_history: RunHistory,
    pub(crate) active: u32,
    pub(crate) reserved_tokens: u64,
    pub(crate) last_assigned: Option<u64>,
}

/// The quantile of the normal distribution for one-sided bounds of 95 %.
const Z: f64 = 1.645;

/// Rates all candidates, best first; those that are not eligible follow in order of their names.
pub(crate) fn rate(
    strategy: AllocationStrategy,
    request: &AllocationRequest,
    parent: Option<&Permissions>,
    candidates: &[RatedCandidate],
    cursor: Option<&str>,
) -> Vec<ProfileRating> {
    let mut rated: Vec<_> = candidates
        .iter()
        .map(|candidate| (candidate, candidate.rating(request, parent)))
        .collect();
    rated.sort_by(|(left, a), (right, b)| {
        let eligible = b.reasons.is_empty().cmp(&a.reasons.is_empty());
        eligible.then_with(|| match a.reasons.is_empty() {
            true => left.order(right, (a.score, b.score), strategy, cursor),
            false => left.name.cmp(&right.name),
        })
    });
    rated.into_iter().map(|(_, rating)| rating).collect()
}

impl RatedCandidate {
    fn order(
        &self,
        other: &Self,
        scores: (f64, f64),
        strategy: AllocationStrategy,
        cursor: Option<&str>,
    ) -> Ordering {
        let first = match strategy {
            AllocationStrategy::Fifo | AllocationStrategy::PriorityQueue => {
                self.last_assigned.cmp(&other.last_assigned)
            }
            AllocationStrategy::RoundRobin => {
                (self.is_passed(cursor), &self.name).cmp(&(other.is_passed(cursor), &other.name))
            }
            AllocationStrategy::LeastLoaded => other.free_share().total_cmp(&self.free_share()),
            AllocationStrategy::CapacityAware => scores.1.total_cmp(&scores.0),
        };
        first
            .then(self.active.cmp(&other.active))
            .then(self.last_assigned.cmp(&other.last_assigned))
            .then(self.name.cmp(&other.name))
    }

    fn is_passed(&self, cursor: Option<&str>) -> bool {
        cursor.is_some_and(|cursor| self.name.as_str() <= cursor)
    }

    fn rating(&self, request: &AllocationRequest, parent: Option<&Permissions>) -> ProfileRating {
        let reliability = self.reliability();
        let capacity = self.free_share();
        let speed = self.speed();
        let fit = self.fit(&request.required_skills);
        ProfileRating {
            profile: self.name.clone(),
            reasons: self.reasons(request, parent),
            reliability,
            capacity,
            speed,
            fit,
            score: 0.40 * reliability + 0.35 * capacity + 0.15 * speed + 0.10 * fit,
        }
    }

    fn reasons(
        &self,
        request: &AllocationRequest,
        parent: Option<&Permissions>,
    ) -> Vec<IneligibleReason> {
        let Self { profile, .. } = self;
        let other_type = request.agent_type.as_ref();
        let first = other_type.filter(|one| **one != profile.agent_type);
        let first = first.map(|_| IneligibleReason::new("other-type", "a different type"));
        let abilities = self.missing_abilities(request);
        let limits = self.exceeded_limits(request);
        let beyond = parent
            .is_some_and(|parent| !profile.permissions.is_within(parent))
            .then(|| IneligibleReason::new("beyond-parent", "has rights that the parent lacks"));
        let unreliable = is_unreliable(&profile.history)
            .then(|| IneligibleReason::new("unreliable", "fails too often"));
        first
            .into_iter()
            .chain(abilities)
            .chain(limits)
            .chain(beyond)
            .chain(unreliable)
            .collect()
    }

    fn missing_abilities(&self, request: &AllocationRequest) -> Vec<IneligibleReason> {
        let CapabilityProfile {
            skills,
            permissions,
            ..
        } = &self.profile;
        let mut reasons = Vec::new();
        let missing: Vec<_> = match skills.contains("*") {
            true => Vec::new(),
            false => request
                .required_skills
                .difference(skills)
                .cloned()
                .collect(),
        };
        if !missing.is_empty() {
            let detail = format!("lacks skills: {}", missing.join(", "));
            reasons.push(IneligibleReason::new("missing-skills", detail));
        }
        let tools = request.required_tools.iter();
        let denied: Vec<_> = tools
            .filter(|tool| !permissions.permits(tool))
            .cloned()
            .collect();
        if !denied.is_empty() {
            let detail = format!("may not use: {}", denied.join(", "));
            reasons.push(IneligibleReason::new("denied-tools", detail));
        }
        if request.needs_write && !permissions.write_access {
            reasons.push(IneligibleReason::new(
                "no-write-access",
                "may not change files",
            ));
        }
        if request.needs_admin && !permissions.admin_access {
            reasons.push(IneligibleReason::new(
                "no-admin-access",
                "is not an administrator",
            ));
        }
        reasons
    }

    fn exceeded_limits(&self, request: &AllocationRequest) -> Vec<IneligibleReason> {
        let AgentLimits {
            max_concurrent_tasks,
            token_budget: budget,
            timeout_ms,
        } = self.profile.limits;
        let mut reasons = Vec::new();
        let active = self.active;
        if active >= max_concurrent_tasks {
            let detail = format!("no free slot, {active} in use");
            reasons.push(
                IneligibleReason::new("no-free-slot", detail)
                    .temporary_if(max_concurrent_tasks > 0),
            );
        }
        let remaining = budget.saturating_sub(self.reserved_tokens);
        if request.est_tokens > remaining {
            let detail = format!("{remaining} of {budget} tokens left");
            let reason = IneligibleReason::new("over-budget", detail);
            reasons.push(reason.temporary_if(request.est_tokens <= budget));
        }
        if request.expected_ms > timeout_ms {
            let detail = format!("runs at most {timeout_ms} ms");
            reasons.push(IneligibleReason::new("too-slow", detail));
        }
        reasons
    }

    /// Returns a lower bound of the rate of success; below five runs the type decides.
    fn reliability(&self) -> f64 {
        const ENOUGH_RUNS: f64 = 5.0;
        let history = match self.profile.history.runs() < ENOUGH_RUNS {
            true => &self.type_history,
            false => &self.profile.history,
        };
        let weight = history.runs() + 2.0;
        let mean = (history.successes + 1.0) / weight;
        (mean - Z * (mean * (1.0 - mean) / weight).sqrt()).clamp(0.0, 1.0)
    }

    fn free_share(&self) -> f64 {
        let max = self.profile.limits.max_concurrent_tasks;
        match max {
            0 => 0.0,
            _ => f64::from(max.saturating_sub(self.active)) / f64::from(max),
        }
    }

    fn speed(&self) -> f64 {
        let history = &self.profile.history;
        let timeout = self.profile.limits.timeout_ms as f64;
        match history.runs() > 0.0 && timeout > 0.0 {
            true => 1.0 - (history.total_ms / history.runs() / timeout).min(1.0),
            false => 0.5,
        }
    }

    fn fit(&self, required: &BTreeSet<String>) -> f64 {
        let skills = &self.profile.skills;
        if required.is_empty() {
            return 1.0;
        }
        // A profile with all skills is the least special one.
        if skills.is_empty() || skills.contains("*") {
            return 0.0;
        }
        (required.len() as f64 / skills.len() as f64).min(1.0)
    }
}

/// Returns whether even the upper [Wilson bound](https://en.wikipedia.org/wiki/Binomial_proportion_confidence_interval)
/// of the rate of success is below one half.
fn is_unreliable(history: &RunHistory) -> bool {
    let runs = history.runs();
    if runs < 10.0 {
        return false;
    }
    let (rate, z2) = (history.successes / runs, Z * Z);
    let centre = rate + z2 / (2.0 * runs);
    let spread = Z * (rate * (1.0 - rate) / runs + z2 / (4.0 * runs * runs)).sqrt();
    (centre + spread) / (1.0 + z2 / runs) < 0.5
}
