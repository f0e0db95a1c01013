//! The rows of MCP servers in the status of a gateway.

use repertoire_mcp_servers::ServerStatus;
use serde::{Deserialize, Serialize};

use crate::diagnostics::counted;

/// An MCP server of a gateway.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(in crate::command) struct GatewayServer {
    id: String,
    /// `stopped`, `starting`, `running`, `backing-off` or `failed`.
    state: String,
    /// The time of the last change of the state, in seconds since 1970.
    since: u64,
    /// The number of tools, once it has listed them.
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<usize>,
    /// The number of starts after the first one.
    restarts: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_error: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) warnings: Vec<String>,
}

impl GatewayServer {
    pub(super) fn of(status: &ServerStatus) -> GatewayServer {
        let state = serde_json::to_value(status.state).unwrap_or_default();
        GatewayServer {
            id: status.id.to_string(),
            state: state.as_str().unwrap_or_default().to_owned(),
            since: status.since,
            tools: status.tools,
            restarts: status.restarts,
            last_error: status.last_error.as_ref().map(ToString::to_string),
            warnings: status.warnings.iter().map(ToString::to_string).collect(),
        }
    }

    /// Returns the row as text: `  time: running, 2 tools`.
    pub(super) fn line(&self) -> String {
        let mut line = format!("  {}: {}", self.id, self.state);
        if let Some(tools) = self.tools {
            line.push_str(&format!(", {}", counted(tools, "tool")));
        }
        if self.restarts > 0 {
            let restarts = usize::try_from(self.restarts).unwrap_or(usize::MAX);
            line.push_str(&format!(", {}", counted(restarts, "restart")));
        }
        if let Some(error) = &self.last_error {
            line.push_str(&format!(", last error: {error}"));
        }
        line
    }
}
