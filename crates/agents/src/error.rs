//! The errors of a store.

use thiserror::Error;

use crate::{AgentPool, AgentState, ProfileRating, WritebackFault};

/// The error returned when a store refuses a change or fails.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StoreError {
    /// No agent has this id.
    #[error("no agent `{0}`")]
    UnknownAgent(String),
    /// No profile can serve the request; each has its reasons.
    #[error("no profile is eligible: {}", describe(.0))]
    Ineligible(Vec<ProfileRating>),
    /// The pool and its queue are full.
    #[error("the pool `{0}` and its queue are full")]
    PoolFull(AgentPool),
    /// The agent is in a different state.
    #[error("expected the state `{expected}`, found `{found}`")]
    StateConflict {
        /// The state that the change starts from.
        expected: AgentState,
        /// The state of the agent.
        found: AgentState,
    },
    /// The agent ended.
    #[error("the agent ended in the state `{0}`")]
    AgentEnded(AgentState),
    /// The caller lost its lease to a newer epoch.
    #[error("expected epoch {current}, found {given}")]
    StaleEpoch {
        /// The epoch of the caller.
        given: u64,
        /// The epoch of the agent.
        current: u64,
    },
    /// The text names the rule that was broken.
    ///
    /// Rules are those of the lifecycle, of profiles, of names, and of databases, which must be ones of agents and of a known
    /// version.
    #[error("{0}")]
    Refused(String),
    /// A writeback is missing or wrong.
    #[error("the writeback is not complete: {}", join(.0))]
    Writeback(Vec<WritebackFault>),
    /// The audit log was changed.
    #[error("the audit log was changed at row {seq}")]
    Tampered {
        /// The number of the first bad row.
        seq: u64,
    },
    /// The database failed.
    #[error("the database failed")]
    Database(#[source] Box<dyn std::error::Error + Send + Sync>),
}

fn join(faults: &[WritebackFault]) -> String {
    let texts: Vec<_> = faults.iter().map(ToString::to_string).collect();
    texts.join(", ")
}

fn describe(ratings: &[ProfileRating]) -> String {
    if ratings.is_empty() {
        return "there are no profiles".to_owned();
    }
    let texts: Vec<_> = ratings.iter().map(describe_one).collect();
    texts.join(", ")
}

fn describe_one(rating: &ProfileRating) -> String {
    let reasons: Vec<_> = rating.reasons.iter().map(ToString::to_string).collect();
    format!("`{}` ({})", rating.profile, reasons.join("; "))
}
