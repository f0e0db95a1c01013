//! The states of an agent, and the parties and causes that change them.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A state of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum AgentState {
    /// The agent is reserved, and no process runs.
    Pending,
    /// The process loads its skills and checks its tools.
    Initializing,
    /// The agent waits for a task.
    Ready,
    /// The agent works on a task.
    Busy,
    /// The agent ended in order; final.
    Terminated,
    /// The agent ended with a [`FailReason`]; final.
    Failed,
}

impl AgentState {
    /// All six states, in the order of a life.
    #[doc(hidden)]
    pub const ALL: [Self; 6] = [
        Self::Pending,
        Self::Initializing,
        Self::Ready,
        Self::Busy,
        Self::Terminated,
        Self::Failed,
    ];

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "PENDING",
            Self::Initializing => "INITIALIZING",
            Self::Ready => "READY",
            Self::Busy => "BUSY",
            Self::Terminated => "TERMINATED",
            Self::Failed => "FAILED",
        }
    }

    /// Returns `true` if no transition leaves this state.
    #[doc(hidden)]
    pub fn is_final(self) -> bool {
        matches!(self, Self::Terminated | Self::Failed)
    }
}

impl fmt::Display for AgentState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A party that changes the state of agents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Actor {
    /// The party that asked for the agent.
    Parent,
    /// The agent itself.
    Agent,
    /// The party that assigns tasks and shrinks pools.
    Scheduler,
    /// The periodic scan for lost agents.
    Reaper,
}

impl Actor {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Parent => "parent",
            Self::Agent => "agent",
            Self::Scheduler => "scheduler",
            Self::Reaper => "reaper",
        }
    }
}

/// A cause of the state `FAILED`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum FailReason {
    /// No process started.
    SpawnError,
    /// A skill did not load, or a tool is missing.
    InitError,
    /// The agent asked for a tool that its permissions refuse.
    ToolDenied,
    /// The agent sent no heartbeat in time.
    LeaseExpired,
    /// The task took longer than its limit.
    Timeout,
    /// The task used more tokens than its limit.
    Budget,
    /// The process ended by itself.
    Crash,
    /// The parent cancelled the task.
    Cancelled,
}

impl FailReason {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::SpawnError => "spawn-error",
            Self::InitError => "init-error",
            Self::ToolDenied => "tool-denied",
            Self::LeaseExpired => "lease-expired",
            Self::Timeout => "timeout",
            Self::Budget => "budget",
            Self::Crash => "crash",
            Self::Cancelled => "cancelled",
        }
    }
}
