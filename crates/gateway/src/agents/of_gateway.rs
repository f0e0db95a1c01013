//! The agents that a host gives to its gateway.

use std::path::PathBuf;
use std::sync::Arc;

use repertoire_agents::AgentStore;

use super::GatewayAgents;
use crate::Gateway;

impl Gateway {
    /// Keeps agents in `store`: their profiles are the agents of the registry, and MCP clients get tools about them. A second store is
    /// ignored.
    #[must_use]
    pub fn with_agents(self, store: Arc<dyn AgentStore>) -> Gateway {
        let _ = self.http().agents.set(GatewayAgents::new(store));
        self
    }

    /// Starts the programs of the agents that [`with_agents`](Gateway::with_agents) keeps, on Unix. The runner has its state in `folder`,
    /// which no other gateway uses. Without a runner, agents are reserved for a host that starts them.
    #[must_use]
    pub fn running_agents(self, folder: impl Into<PathBuf>) -> Gateway {
        if let Some(agents) = self.agents() {
            agents.set_folder(folder.into());
        }
        self
    }

    /// Returns the agents, if the host has a store.
    pub(crate) fn agents(&self) -> Option<GatewayAgents> {
        self.http().agents.get().cloned()
    }
}
