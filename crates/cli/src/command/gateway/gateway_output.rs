//! The state and the lists of a gateway, for people, for programs and for its state folder.

use std::net::SocketAddr;

use clap::ValueEnum;
use repertoire::registry::Registry;
use repertoire::skill::Item;
use repertoire::skill::text::terminal_line;
use repertoire_gateway::Registries;
use serde::{Deserialize, Serialize};

use super::server_row::GatewayServer;
use crate::output::Output;
use crate::table::TextTable;

/// A gateway that runs or not.
#[derive(Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(in crate::command) struct GatewayOutput {
    pub(super) running: bool,
    /// The process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) process: Option<u32>,
    /// The address of the HTTP server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) address: Option<SocketAddr>,
    /// `running`, `paused` or another state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) state: Option<String>,
    /// The number of items of each registry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) registries: Option<GatewayCounts>,
    /// The MCP servers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) mcp_servers: Vec<GatewayServer>,
    /// The skills whose tools are missing or denied.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) not_ready: Vec<GatewayNotReady>,
    /// The number of reloads that were applied.
    pub(super) reloads: u64,
    /// The error of the last reload, if it was not applied.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reload_error: Option<String>,
}

/// A skill whose tools are missing or denied.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(in crate::command) struct GatewayNotReady {
    pub(super) id: String,
    pub(super) reason: String,
}

/// The number of items of each registry.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(in crate::command) struct GatewayCounts {
    pub(super) skills: usize,
    pub(super) workflows: usize,
    pub(super) agents: usize,
    pub(super) mcp_servers: usize,
}

/// The state of a running gateway, as its state folder has it.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct SavedState {
    #[serde(flatten)]
    pub(super) output: GatewayOutput,
    /// The number of reloads that ended, applied or not.
    pub(super) finished: u64,
    pub(super) is_reloading: bool,
}

impl SavedState {
    pub(super) fn starting() -> SavedState {
        let output = GatewayOutput {
            running: true,
            process: Some(std::process::id()),
            state: Some("starting".to_owned()),
            ..GatewayOutput::default()
        };
        SavedState {
            output,
            ..SavedState::default()
        }
    }
}

/// The items of all four registries.
#[derive(Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(in crate::command) struct GatewayListOutput {
    #[serde(skip_serializing_if = "Option::is_none")]
    skills: Option<Vec<ListedItem>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    workflows: Option<Vec<ListedItem>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agents: Option<Vec<ListedItem>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mcp_servers: Option<Vec<ListedItem>>,
}

/// An item of a registry.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct ListedItem {
    id: String,
    /// The name of its source.
    source: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
}

/// A registry of a gateway.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum ListedRegistry {
    Skills,
    Workflows,
    Agents,
    McpServers,
}

impl GatewayListOutput {
    pub(super) fn of(registries: &Registries) -> GatewayListOutput {
        GatewayListOutput {
            skills: Some(listed(&registries.skills)),
            workflows: Some(listed(&registries.workflows)),
            agents: Some(listed(&registries.agents)),
            mcp_servers: Some(listed(&registries.mcp_servers)),
        }
    }

    /// Prints one registry, or all of them.
    pub(super) fn print(mut self, registry: Option<ListedRegistry>, out: &mut Output) {
        for (known, items) in [
            (ListedRegistry::Skills, &mut self.skills),
            (ListedRegistry::Workflows, &mut self.workflows),
            (ListedRegistry::Agents, &mut self.agents),
            (ListedRegistry::McpServers, &mut self.mcp_servers),
        ] {
            if registry.is_some_and(|registry| registry != known) {
                *items = None;
            }
        }
        if out.write_json(&self) {
            return;
        }
        let mut table = TextTable::new(&["registry", "id", "*description"]);
        for (name, items) in [
            ("skills", &self.skills),
            ("workflows", &self.workflows),
            ("agents", &self.agents),
            ("mcp-servers", &self.mcp_servers),
        ] {
            for item in items.iter().flatten() {
                let description = item.description.as_deref().unwrap_or_default();
                table.row([name.into(), (&item.id).into(), description.into()]);
            }
        }
        table.write(out);
    }
}

fn listed<T: Item>(registry: &Registry<T>) -> Vec<ListedItem> {
    let entries = registry.list();
    let items = entries.iter().map(|entry| ListedItem {
        id: entry.id.to_string(),
        source: entry.origin().source.to_string(),
        description: entry.item().description().map(str::to_owned),
    });
    items.collect()
}

impl GatewayOutput {
    pub(super) fn print(&self, out: &mut Output) {
        if out.write_json(self) {
            return;
        }
        if !self.running {
            out.line("no gateway runs");
            return;
        }
        let state = self.state.as_deref().unwrap_or_default();
        let process = self.process.map(|id| format!(" (process {id})"));
        out.line(format!(
            "the gateway is {state}{}",
            process.unwrap_or_default()
        ));
        if let Some(address) = self.address {
            out.line(format!("address: http://{address}"));
        }
        if let Some(counts) = &self.registries {
            out.line(format!(
                "skills: {}, workflows: {}, agents: {}, MCP servers: {}",
                counts.skills, counts.workflows, counts.agents, counts.mcp_servers
            ));
        }
        for server in &self.mcp_servers {
            out.line(server.line());
            for warning in &server.warnings {
                out.line(format!("    warning: {warning}"));
            }
        }
        for skill in &self.not_ready {
            let reason = terminal_line(&skill.reason);
            out.line(format!("not ready: {}: {reason}", terminal_line(&skill.id)));
        }
        if let Some(error) = &self.reload_error {
            out.line(format!("last reload failed: {error}"));
        }
    }
}
