//! Events of a runner.

use repertoire_agents::{AgentPhase, AgentState, FailReason, WritebackKind};
use serde::Serialize;

use crate::SkillCheck;

/// A thing that happened to an agent. It is sent after its row was committed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct RunnerEvent {
    /// The agent.
    pub agent_id: String,
    /// The agent that asked for it, which should be notified.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// The time in milliseconds since 1970.
    pub at: u64,
    /// The rest.
    #[serde(flatten)]
    pub kind: RunnerEventKind,
}

/// The kinds of events.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum RunnerEventKind {
    /// The state changed.
    State {
        /// The new state.
        state: AgentState,
        /// The cause of a failure.
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<FailReason>,
        /// The cause for people.
        #[serde(skip_serializing_if = "Option::is_none")]
        detail: Option<String>,
    },
    /// A checkpoint was stored.
    Checkpoint {
        /// The phase that began.
        phase: AgentPhase,
    },
    /// A record was stored.
    Recorded {
        /// The kind of record.
        kind: WritebackKind,
    },
    /// The checks of the skills ran.
    Verified {
        /// The checks.
        checks: Vec<SkillCheck>,
    },
    /// The agent wrote a line that is not a message.
    Output {
        /// The line, without the token of the agent.
        line: String,
    },
    /// A new agent will replace this one.
    Restart {
        /// The number of the restart, from 1.
        attempt: u32,
        /// The delay in milliseconds.
        delay_ms: u64,
    },
}
