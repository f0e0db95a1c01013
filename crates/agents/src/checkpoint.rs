//! The phases of a task, and the checkpoints between them.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A phase of the work on a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum AgentPhase {
    /// The agent collects what the task needs.
    Gather,
    /// The agent finds out what is to be done.
    Analyze,
    /// The agent decides on the steps.
    Plan,
    /// The agent changes what is to be changed.
    Apply,
    /// The agent runs the checks of its skills.
    Verify,
}

impl AgentPhase {
    /// All five phases, in their order.
    #[doc(hidden)]
    pub const ALL: [Self; 5] = [
        Self::Gather,
        Self::Analyze,
        Self::Plan,
        Self::Apply,
        Self::Verify,
    ];

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Gather => "GATHER",
            Self::Analyze => "ANALYZE",
            Self::Plan => "PLAN",
            Self::Apply => "APPLY",
            Self::Verify => "VERIFY",
        }
    }
}

impl fmt::Display for AgentPhase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A boundary between two phases, which the agent reported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Checkpoint {
    /// The task that the agent works on.
    #[doc(hidden)]
    pub task_id: String,
    /// The epoch of the agent.
    pub(crate) epoch: u64,
    /// The phase that begins.
    pub phase: AgentPhase,
    /// The note of the agent, such as a digest of its state.
    pub note: String,
    /// The time in milliseconds since 1970.
    pub at: u64,
}
