//! Requests for agents.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::AgentPool;

/// A request for one agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct AllocationRequest {
    /// The task that the agent works on.
    #[doc(hidden)]
    pub task_id: String,
    /// The pool that the agent enters.
    #[doc(hidden)]
    pub pool: AgentPool,
    /// The key of this request; a second request with it gets the same agent.
    #[doc(hidden)]
    pub idempotency_key: String,
    /// The type that the agent must have.
    #[serde(default)]
    pub agent_type: Option<String>,
    /// The agent that asks; the new agent gets no right that it lacks.
    #[serde(default)]
    pub parent: Option<String>,
    /// The skills that the agent must have.
    #[serde(default)]
    pub required_skills: BTreeSet<String>,
    /// The tools that the agent must be permitted to use.
    #[serde(default)]
    pub required_tools: BTreeSet<String>,
    /// `true` if the task changes files.
    #[serde(default)]
    pub needs_write: bool,
    /// `true` if the task needs the rights of an administrator.
    #[serde(default)]
    pub needs_admin: bool,
    /// The tokens to reserve.
    #[serde(default)]
    pub est_tokens: u64,
    /// The expected duration in milliseconds.
    #[serde(default)]
    pub expected_ms: u64,
    /// The priority in a queue; a higher number goes first.
    #[serde(default)]
    pub priority: i32,
    /// The failed agent whose task is tried again.
    #[serde(default)]
    pub retry_of: Option<String>,
    /// The name of the host that starts the agent.
    #[doc(hidden)]
    #[serde(default)]
    pub host: Option<String>,
}

impl AllocationRequest {
    /// Creates a request without requirements.
    pub fn new(
        task_id: impl Into<String>,
        pool: AgentPool,
        idempotency_key: impl Into<String>,
    ) -> Self {
        Self {
            task_id: task_id.into(),
            pool,
            idempotency_key: idempotency_key.into(),
            agent_type: None,
            parent: None,
            required_skills: BTreeSet::new(),
            required_tools: BTreeSet::new(),
            needs_write: false,
            needs_admin: false,
            est_tokens: 0,
            expected_ms: 0,
            priority: 0,
            retry_of: None,
            host: None,
        }
    }

    /// Returns the same request with a key of its own, which tries the task of a failed agent again.
    #[doc(hidden)]
    #[must_use]
    pub fn retry(&self, key: impl Into<String>, failed: &str) -> Self {
        Self {
            idempotency_key: key.into(),
            retry_of: Some(failed.to_owned()),
            ..self.clone()
        }
    }
}

/// A request in the queue of its pool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitingRequest {
    pub(crate) seq: u64,
    pub(crate) since: u64,
    pub(crate) request: AllocationRequest,
}

impl WaitingRequest {
    /// The time after which a waiting request counts as one priority higher.
    const AGING_MS: u64 = 60_000;

    pub(crate) fn aged_priority(&self, now: u64) -> i64 {
        let levels = now.saturating_sub(self.since) / Self::AGING_MS;
        i64::from(self.request.priority).saturating_add(i64::try_from(levels).unwrap_or(i64::MAX))
    }
}
