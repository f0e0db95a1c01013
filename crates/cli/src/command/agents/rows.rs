//! The JSON of `repertoire agents`.

use repertoire_agents::{AgentRecord, AuditEntry, Checkpoint, ProfileRating};
use serde::{Deserialize, Serialize};

use crate::output::word;

/// The stored agents.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(in crate::command) struct AgentListOutput {
    pub(super) agents: Vec<AgentRow>,
}

/// One agent with its history.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(in crate::command) struct AgentShowOutput {
    pub(super) agent: AgentRow,
    pub(super) checkpoints: Vec<CheckpointRow>,
    pub(super) audit: Vec<AuditRow>,
}

/// Times are milliseconds since 1970.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct AgentRow {
    pub(super) id: String,
    pub(super) profile: String,
    pub(super) pool: String,
    pub(super) state: String,
    #[serde(alias = "task_id")]
    pub(super) task: String,
    pub(super) parent: Option<String>,
    pub(super) epoch: u64,
    pub(super) branch: String,
    pub(super) lease_expires_at: Option<u64>,
    pub(super) fail_reason: Option<String>,
    pub(super) retry_of: Option<String>,
    pub(super) orphaned: bool,
    pub(super) created_at: u64,
    pub(super) updated_at: u64,
}

/// The beginning of a phase of a task.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct CheckpointRow {
    pub(super) at: u64,
    pub(super) task: String,
    pub(super) phase: String,
    /// The note of the agent. That of `VERIFY` has a line for each check, also for those that were not run.
    pub(super) note: String,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct AuditRow {
    pub(super) seq: u64,
    pub(super) at: u64,
    pub(super) actor: String,
    pub(super) event: String,
    pub(super) from: Option<String>,
    pub(super) to: Option<String>,
    /// Further facts, as the JSON text that the hash covers.
    pub(super) detail: String,
}

/// An agent that a gateway started or ended.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(in crate::command) struct AgentSpawnOutput {
    /// Null if the request waits for a place in its pool.
    pub(super) agent: Option<AgentRow>,
    /// The key of a request that waits.
    pub(super) key: Option<String>,
}

/// The ratings of all profiles, best first.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(in crate::command) struct AgentExplainOutput {
    pub(super) chosen: Option<String>,
    pub(super) ratings: Vec<RatingRow>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct RatingRow {
    pub(super) profile: String,
    pub(super) score: f64,
    pub(super) reliability: f64,
    pub(super) capacity: f64,
    pub(super) speed: f64,
    pub(super) fit: f64,
    /// The reasons against the profile.
    pub(super) reasons: Vec<String>,
}

/// The ids of lost agents.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(in crate::command) struct AgentOrphansOutput {
    pub(super) orphans: Vec<String>,
    pub(super) alerts: Vec<String>,
    pub(super) lapsed: Vec<String>,
    pub(super) stale_reservations: Vec<String>,
    /// The folders of worktrees without a living agent.
    pub(super) worktrees: Vec<String>,
    /// `true` if the lost agents were ended and the orphans marked.
    pub(super) fixed: bool,
}

/// The result of a check of the audit log.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(in crate::command) struct AgentAuditOutput {
    /// The number of rows; null if a row is bad.
    pub(super) rows: Option<u64>,
    /// The first row that is missing or changed.
    pub(super) first_bad: Option<u64>,
    /// The hash of the last row, for `--expect` in a later check.
    pub(super) last_hash: Option<String>,
    /// `false` if no row has the hash of `--expect`; null without it.
    pub(super) expected_found: Option<bool>,
}

impl From<AgentRecord> for AgentRow {
    fn from(agent: AgentRecord) -> Self {
        Self {
            id: agent.id,
            profile: agent.profile,
            pool: agent.pool.to_string(),
            state: agent.state.to_string(),
            task: agent.task_id,
            parent: agent.parent,
            epoch: agent.epoch,
            branch: agent.branch,
            lease_expires_at: agent.lease_expires_at,
            fail_reason: agent.fail_reason.map(|reason| word(&reason)),
            retry_of: agent.retry_of,
            orphaned: agent.orphaned,
            created_at: agent.created_at,
            updated_at: agent.updated_at,
        }
    }
}

impl From<Checkpoint> for CheckpointRow {
    fn from(checkpoint: Checkpoint) -> Self {
        Self {
            at: checkpoint.at,
            task: checkpoint.task_id,
            phase: checkpoint.phase.to_string(),
            note: checkpoint.note,
        }
    }
}

impl From<AuditEntry> for AuditRow {
    fn from(entry: AuditEntry) -> Self {
        Self {
            seq: entry.seq,
            at: entry.at,
            actor: entry.actor,
            event: entry.event,
            from: entry.from,
            to: entry.to,
            detail: entry.detail,
        }
    }
}

impl From<ProfileRating> for RatingRow {
    fn from(rating: ProfileRating) -> Self {
        Self {
            profile: rating.profile,
            score: rating.score,
            reliability: rating.reliability,
            capacity: rating.capacity,
            speed: rating.speed,
            fit: rating.fit,
            reasons: rating.reasons.iter().map(ToString::to_string).collect(),
        }
    }
}
