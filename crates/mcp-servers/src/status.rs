//! The status of supervised servers.

use std::sync::Arc;

use serde::Serialize;

use crate::ServerState;

/// The status of a supervised server at one time. No text contains a secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub struct ServerStatus {
    /// The id.
    pub id: Arc<str>,
    /// The state.
    pub state: ServerState,
    /// The time of the last change of the state, in seconds since 1970.
    pub since: u64,
    /// The number of tools. Absent until it has listed them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<usize>,
    /// The number of starts after the first one.
    pub restarts: u64,
    /// The last error, also of a server that runs again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_error: Option<Arc<str>>,
    /// Faults of its definition and its tools that do not stop it, for the operator.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Arc<str>>,
}

/// The number of servers that a new list of definitions changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct AppliedServers {
    /// New servers.
    pub added: usize,
    /// Servers with a different definition, which were ended.
    pub restarted: usize,
    /// Servers that are gone, which were ended.
    pub removed: usize,
    /// Servers that were left alone.
    pub kept: usize,
}
