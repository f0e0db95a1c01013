//! Events in the life of agents.

use std::sync::Arc;

use repertoire_agents::AgentRecord;
use serde::Serialize;

/// An event in the life of an agent, after its transaction was committed.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct AgentEvent {
    pub(crate) event: AgentEventKind,
    /// The agent after the event.
    pub(crate) agent: Arc<AgentRecord>,
}

/// A kind of event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum AgentEventKind {
    /// The agent was reserved.
    Allocated,
    /// The agent changed its state.
    Changed,
    /// The agent entered a phase of its task.
    Checkpoint,
    /// The checks of the agent's skills ran.
    Verified,
    /// A new agent will replace the one that failed.
    Restarting,
    /// The agent recorded a part of its writeback.
    Recorded,
    /// A scan found that the agent ended without writeback.
    Orphaned,
}

impl AgentEvent {
    /// Returns `true` if the agent ended with this event.
    pub(crate) fn is_end(&self) -> bool {
        self.agent.state.is_final() && self.event == AgentEventKind::Changed
    }
}
