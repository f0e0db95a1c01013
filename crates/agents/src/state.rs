//! The states of an agent, and the one table of transitions between them.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::StoreError;

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
    pub(crate) fn is_final(self) -> bool {
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

/// One row of the table of transitions.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TransitionRow {
    pub(crate) from: AgentState,
    pub(crate) to: AgentState,
    actors: &'static [Actor],
    edge: Edge,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Edge {
    /// An edge of the smallest lifecycle.
    Base,
    /// An edge of the default lifecycle only.
    Extension,
}

const fn row(
    from: AgentState,
    to: AgentState,
    actors: &'static [Actor],
    edge: Edge,
) -> TransitionRow {
    TransitionRow {
        from,
        to,
        actors,
        edge,
    }
}

impl TransitionRow {
    fn refusal(&self, actor: Actor) -> String {
        let Self { from, to, .. } = self;
        let allowed: Vec<_> = self.actors.iter().map(|actor| actor.as_str()).collect();
        format!(
            "expected {} to move an agent from `{from}` to `{to}`, found {}",
            allowed.join(" or "),
            actor.as_str()
        )
    }
}

const ENDERS: &[Actor] = &[Actor::Agent, Actor::Parent, Actor::Reaper];

/// All legal transitions; the triggers of a database are made from this table.
pub(crate) const TRANSITIONS: [TransitionRow; 11] = {
    use Actor::{Agent, Parent, Reaper, Scheduler};
    use AgentState::{Busy, Failed, Initializing, Pending, Ready, Terminated};
    use Edge::{Base, Extension};
    [
        row(Pending, Initializing, &[Parent], Base),
        row(Pending, Terminated, &[Parent, Reaper], Extension),
        row(Initializing, Ready, &[Agent], Base),
        row(Ready, Busy, &[Scheduler], Base),
        row(Busy, Ready, &[Agent], Extension),
        row(Busy, Terminated, &[Agent], Base),
        row(Ready, Terminated, &[Parent, Scheduler], Extension),
        row(Pending, Failed, ENDERS, Base),
        row(Initializing, Failed, ENDERS, Base),
        row(Ready, Failed, ENDERS, Base),
        row(Busy, Failed, ENDERS, Base),
    ]
};

/// The set of transitions that are legal.
///
/// The default has three edges more than [the smallest](Lifecycle::without_extensions): `PENDING` to `TERMINATED`, `BUSY` to `READY`
/// and `READY` to `TERMINATED`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Lifecycle {
    base_only: bool,
}

impl Lifecycle {
    /// Returns the smallest lifecycle, without the extensions of the default.
    pub const fn without_extensions() -> Self {
        Self { base_only: true }
    }

    /// Returns the transition between two states.
    ///
    /// # Errors
    /// Fails if the pair is not legal, or if `actor` may not make it.
    pub fn transition(
        self,
        from: AgentState,
        to: AgentState,
        actor: Actor,
    ) -> Result<Transition, StoreError> {
        let row = TRANSITIONS
            .iter()
            .find(|row| row.from == from && row.to == to)
            .filter(|row| !self.base_only || row.edge == Edge::Base);
        match row {
            Some(row) if row.actors.contains(&actor) => Ok(Transition {
                row,
                actor,
                reason: None,
                task_id: None,
            }),
            Some(row) => Err(StoreError::Refused(row.refusal(actor))),
            None => Err(StoreError::Refused(format!(
                "`{from}` to `{to}` is not a legal transition"
            ))),
        }
    }
}

/// A legal change of state; only [`Lifecycle::transition`] makes one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transition {
    row: &'static TransitionRow,
    actor: Actor,
    reason: Option<FailReason>,
    task_id: Option<String>,
}

impl Transition {
    /// Adds the cause, which a change to `FAILED` must have.
    #[must_use]
    pub fn because(mut self, reason: FailReason) -> Self {
        self.reason = Some(reason);
        self
    }

    /// Adds the task that a change to `BUSY` assigns; without it the agent works on its present task.
    #[must_use]
    pub fn on_task(mut self, task_id: impl Into<String>) -> Self {
        self.task_id = Some(task_id.into());
        self
    }

    pub(crate) fn from(&self) -> AgentState {
        self.row.from
    }

    pub(crate) fn to(&self) -> AgentState {
        self.row.to
    }

    pub(crate) fn actor(&self) -> Actor {
        self.actor
    }

    pub(crate) fn reason(&self) -> Option<FailReason> {
        self.reason
    }

    pub(crate) fn task_id(&self) -> Option<&str> {
        self.task_id.as_deref()
    }
}
