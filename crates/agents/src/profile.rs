//! Capability profiles: what an agent may do, its limits and its history.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::pattern;

/// The capabilities of one agent that a host can start, read from JSON.
///
/// Only the type is required. `*` among the skills stands for all of them. A reusable agent may take a further task
/// after a valid writeback. A limit of 0 agents retires the profile: no request waits for it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CapabilityProfile {
    /// The type, which several profiles may share.
    pub(crate) agent_type: String,
    /// The skills that the agent has; `*` stands for all.
    #[serde(default)]
    pub(crate) skills: BTreeSet<String>,
    /// The rights of the agent; none by default.
    #[serde(default)]
    pub(crate) permissions: Permissions,
    /// The limits of the agent.
    #[serde(default)]
    pub(crate) limits: AgentLimits,
    /// The counters of past runs.
    #[serde(default)]
    pub(crate) history: RunHistory,
    /// `true` if an agent may take a further task after a valid writeback.
    #[serde(default)]
    pub(crate) reusable: bool,
}

impl CapabilityProfile {
    /// Returns the longest run in milliseconds.
    #[doc(hidden)]
    pub fn timeout_ms(&self) -> u64 {
        self.limits.timeout_ms
    }

    /// Returns the most tokens that living agents of the profile may reserve together.
    #[doc(hidden)]
    pub fn token_budget(&self) -> u64 {
        self.limits.token_budget
    }

    /// Returns the most agents of the profile that live at a time.
    #[doc(hidden)]
    pub fn max_concurrent_tasks(&self) -> u32 {
        self.limits.max_concurrent_tasks
    }
}

/// The rights of an agent, read from JSON: patterns `tools` and `deny`, `write_access` and `admin_access`.
///
/// In a pattern, `*` stands for any text. Patterns under `deny` win.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Permissions {
    /// Patterns of tools that the agent may use.
    #[doc(hidden)]
    pub tools: Vec<String>,
    /// Patterns of tools that it may not use; these win.
    #[doc(hidden)]
    pub deny: Vec<String>,
    /// `true` if the agent may change files.
    #[doc(hidden)]
    pub write_access: bool,
    /// `true` if the agent may do what administrators do.
    #[doc(hidden)]
    pub admin_access: bool,
}

impl Permissions {
    /// Returns whether these rights include the tool.
    pub fn permits(&self, tool: &str) -> bool {
        matches_any(&self.tools, tool) && !matches_any(&self.deny, tool)
    }

    /// Returns whether the agent may change files.
    #[doc(hidden)]
    pub fn may_write(&self) -> bool {
        self.write_access
    }

    /// Returns whether these rights are a subset of those of `parent`.
    ///
    /// A `true` is certain. Rights that only the union of several patterns of the parent covers give `false`.
    #[doc(hidden)]
    pub fn is_within(&self, parent: &Self) -> bool {
        (parent.write_access || !self.write_access)
            && (parent.admin_access || !self.admin_access)
            && self
                .tools
                .iter()
                .all(|own| contained_in_any(own, &parent.tools))
            && parent.deny.iter().all(|denied| self.excludes(denied))
    }

    fn excludes(&self, denied: &str) -> bool {
        contained_in_any(denied, &self.deny)
            || !self.tools.iter().any(|own| pattern::overlap(own, denied))
    }
}

fn matches_any(patterns: &[String], tool: &str) -> bool {
    patterns.iter().any(|one| pattern::matches(one, tool))
}

fn contained_in_any(inner: &str, patterns: &[String]) -> bool {
    patterns.iter().any(|outer| pattern::contains(outer, inner))
}

/// The limits of an agent; by default one run of 5 minutes at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct AgentLimits {
    /// The most agents of the profile that live at a time.
    pub(crate) max_concurrent_tasks: u32,
    /// The most tokens that its living agents may reserve together.
    pub(crate) token_budget: u64,
    /// The longest run in milliseconds.
    pub(crate) timeout_ms: u64,
}

impl Default for AgentLimits {
    fn default() -> Self {
        Self {
            max_concurrent_tasks: 1,
            token_budget: 100_000,
            timeout_ms: 300_000,
        }
    }
}

/// The counters of the runs of a profile, in which older runs weigh less.
///
/// A run weighs half after 50 further runs. It is read from counters, or from a profile's `success_rate`,
/// `avg_duration_ms` and `total_runs`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "HistoryFields")]
pub(crate) struct RunHistory {
    /// The weight of successful runs.
    pub(crate) successes: f64,
    /// The weight of failed runs.
    pub(crate) failures: f64,
    /// The number of cancelled runs, which have no influence.
    pub(crate) cancelled: u64,
    /// The weighted duration of all runs that count, in milliseconds.
    pub(crate) total_ms: f64,
}

#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
#[derive(Default)]
struct HistoryFields {
    successes: f64,
    failures: f64,
    cancelled: u64,
    total_ms: f64,
    success_rate: f64,
    avg_duration_ms: f64,
    total_runs: f64,
}

impl From<HistoryFields> for RunHistory {
    fn from(fields: HistoryFields) -> Self {
        let rate = fields.success_rate.clamp(0.0, 1.0);
        Self {
            successes: (fields.successes + rate * fields.total_runs).max(0.0),
            failures: (fields.failures + (1.0 - rate) * fields.total_runs).max(0.0),
            cancelled: fields.cancelled,
            total_ms: (fields.total_ms + fields.avg_duration_ms * fields.total_runs).max(0.0),
        }
    }
}

/// The end of a run, as the history counts it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RunOutcome {
    Success,
    Failure,
    Cancelled,
}

impl RunHistory {
    /// The number of runs after which a run weighs half.
    const HALF_LIFE: f64 = 50.0;

    pub(crate) fn add(&mut self, outcome: RunOutcome, duration_ms: u64) {
        if outcome == RunOutcome::Cancelled {
            self.cancelled += 1;
            return;
        }
        let decay = 0.5_f64.powf(1.0 / Self::HALF_LIFE);
        self.successes *= decay;
        self.failures *= decay;
        self.total_ms = self.total_ms * decay + duration_ms as f64;
        match outcome {
            RunOutcome::Success => self.successes += 1.0,
            _ => self.failures += 1.0,
        }
    }

    pub(crate) fn runs(&self) -> f64 {
        self.successes + self.failures
    }
}
