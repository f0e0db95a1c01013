//! The registries besides skills as MCP resources.

use repertoire::registry::Registry;
use repertoire::skill::Item;
use repertoire_mcp::ServerOptions;
use serde::Serialize;
use serde_json::json;
use std::sync::Arc;

use crate::agents::AgentTools;
use crate::{Gateway, Registries};

/// The facts about an item that a model needs. A command, an address or an argument is not among them.
#[derive(Serialize)]
struct ResourceRow {
    id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    /// The format of a workflow, the runtime of an agent, or the transport of a server.
    kind: serde_json::Value,
}

/// Adds a resource for each registry of `gateway` but the skills, which the server lists itself, and the tools about agents.
pub(crate) fn add(options: ServerOptions, gateway: &Gateway) -> ServerOptions {
    let workflows = "The workflows of this gateway, with the format of each.";
    let agents = "The agents of this gateway, with the runtime of each.";
    let servers = "The MCP servers of this gateway, with the transport of each.";
    let options = match (gateway.agents(), gateway.registries()) {
        (Some(agents), Ok(registries)) => {
            let visibility = options.visibility().clone();
            options.host_tools(Arc::new(AgentTools {
                agents,
                skills: registries.skills,
                visibility,
            }))
        }
        _ => options,
    };
    options
        .resource(
            "gateway://workflows",
            workflows,
            reader(gateway, |all| {
                list(&all.workflows, |workflow| json!(workflow.format))
            }),
        )
        .resource(
            "gateway://agents",
            agents,
            reader(gateway, |all| {
                list(&all.agents, |agent| json!(agent.runtime))
            }),
        )
        .resource(
            "gateway://mcp-servers",
            servers,
            reader(gateway, |all| {
                list(&all.mcp_servers, |server| json!(server.transport))
            }),
        )
}

/// Returns the reader of a resource. There is none outside of the life of `gateway`.
fn reader(
    gateway: &Gateway,
    list: fn(&Registries) -> String,
) -> impl Fn() -> Option<String> + Send + Sync + 'static {
    let gateway = gateway.clone();
    move || gateway.registries().ok().map(|all| list(&all))
}

fn list<T: Item>(registry: &Registry<T>, kind: fn(&T) -> serde_json::Value) -> String {
    let snapshot = registry.snapshot();
    let rows: Vec<_> = snapshot
        .entries()
        .iter()
        .map(|entry| ResourceRow {
            id: entry.id.to_string(),
            description: entry.item().description().map(str::to_owned),
            kind: kind(entry.item()),
        })
        .collect();
    json!({ "generation": snapshot.generation(), "entries": rows }).to_string()
}
