//! The requests for agents, and the answers.

use std::time::Duration;

use repertoire_agents::{AgentRecord, AllocationRequest};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{SkillRef, Ticket};

/// A request to run an agent.
///
/// ```
/// use repertoire_agent_runtime::{SkillRef, SpawnRequest};
/// use repertoire_agents::{AgentPool, AllocationRequest};
///
/// let allocation = AllocationRequest::new("T-1", AgentPool::Implementation, "T-1/first");
/// let mut request = SpawnRequest::new(allocation);
/// request.skills.push(SkillRef::new("review"));
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct SpawnRequest {
    /// The agent to reserve.
    pub allocation: AllocationRequest,
    /// The skills for the agent, besides those that the reservation requires.
    #[serde(default)]
    pub skills: Vec<SkillRef>,
    /// The facts to pass on.
    #[serde(default)]
    pub context: Value,
}

impl SpawnRequest {
    /// Creates a request without further skills and facts.
    pub fn new(allocation: AllocationRequest) -> Self {
        Self {
            allocation,
            skills: Vec::new(),
            context: Value::Null,
        }
    }
}

/// The answer to a request that was not refused.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Spawned {
    /// The agent runs. The ticket lacks the token.
    Started(Box<Ticket>),
    /// The request waits in the queue of its pool. A later request with the same key returns the agent.
    Queued,
    /// The key was used before, and this runner does not run the agent any more or not yet.
    Known(Box<AgentRecord>),
}

/// A request with the history of its restarts.
#[derive(Debug, Clone)]
pub(crate) struct Order {
    pub(crate) request: SpawnRequest,
    pub(crate) attempt: u32,
    pub(crate) pause: Duration,
}

impl Order {
    pub(crate) fn new(request: SpawnRequest) -> Self {
        Self {
            request,
            attempt: 0,
            pause: Duration::ZERO,
        }
    }
}
