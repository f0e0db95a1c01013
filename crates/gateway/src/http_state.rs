//! The state of a gateway that its HTTP servers share.

use std::sync::OnceLock;

use repertoire_mcp::SessionLog;

use crate::TokenStore;
use crate::agents::GatewayAgents;

/// The state of a gateway that its HTTP servers share.
#[derive(Debug, Default)]
pub(crate) struct HttpState {
    /// The agents, if the host has a store.
    pub(crate) agents: OnceLock<GatewayAgents>,
    pub(crate) tokens: OnceLock<TokenStore>,
    /// The sessions of all servers.
    pub(crate) sessions: SessionLog,
}
