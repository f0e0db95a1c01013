//! The refusal of a request about agents.

use repertoire::skill::error_chain;
use repertoire_agents::StoreError;
use serde::Serialize;
use serde_json::{Value, json};

use crate::GatewayError;

/// The refusal of a request about agents, for models and programs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct AgentRefusal {
    pub(crate) kind: RefusalKind,
    #[serde(rename = "error")]
    pub(crate) message: String,
    /// Every fault of the request, each with its `path` and its `problem`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) faults: Vec<Value>,
}

/// A kind of refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum RefusalKind {
    /// The request has faults.
    Invalid,
    /// The token of the caller does not name the agent.
    Forbidden,
    /// No agent has the id.
    Unknown,
    /// The request does not fit the state of the agent or of its pool.
    Conflict,
    /// The store or the gateway failed.
    Unavailable,
}

impl AgentRefusal {
    pub(crate) fn new(kind: RefusalKind, message: impl Into<String>) -> AgentRefusal {
        AgentRefusal {
            kind,
            message: message.into(),
            faults: Vec::new(),
        }
    }

    pub(crate) fn forbidden(message: impl Into<String>) -> AgentRefusal {
        AgentRefusal::new(RefusalKind::Forbidden, message)
    }

    /// Creates the refusal of a request with these faults: paths and problems.
    pub(crate) fn invalid(faults: Vec<(String, String)>) -> AgentRefusal {
        let texts = faults
            .iter()
            .map(|(path, problem)| format!("`{path}`: {problem}"));
        let message = texts.collect::<Vec<_>>().join(", ");
        let faults = faults.into_iter();
        AgentRefusal {
            kind: RefusalKind::Invalid,
            message,
            faults: faults
                .map(|(path, problem)| json!({ "path": path, "problem": problem }))
                .collect(),
        }
    }

    /// Returns the refusal as the JSON that a model reads.
    pub(crate) fn json(&self) -> Value {
        json!(self)
    }
}

impl From<StoreError> for AgentRefusal {
    fn from(error: StoreError) -> AgentRefusal {
        let kind = match &error {
            StoreError::UnknownAgent(_) => RefusalKind::Unknown,
            StoreError::Writeback(_) => RefusalKind::Invalid,
            StoreError::Ineligible(_)
            | StoreError::PoolFull(_)
            | StoreError::StateConflict { .. }
            | StoreError::AgentEnded(_)
            | StoreError::StaleEpoch { .. }
            | StoreError::Refused(_) => RefusalKind::Conflict,
            _ => RefusalKind::Unavailable,
        };
        if kind == RefusalKind::Unavailable {
            tracing::error!(error = %error_chain(&error), "the store of agents failed");
        }
        let faults = match &error {
            StoreError::Writeback(faults) => faults.iter().map(|fault| json!(fault)).collect(),
            _ => Vec::new(),
        };
        AgentRefusal {
            kind,
            message: error.to_string(),
            faults,
        }
    }
}

impl From<AgentRefusal> for GatewayError {
    fn from(refusal: AgentRefusal) -> GatewayError {
        GatewayError::Agents(refusal.message.into())
    }
}
