//! The one table of transitions between the states of an agent.

use crate::{Actor, AgentState, FailReason, StoreError};

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
