//! From the definitions of a configuration to supervised servers.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use repertoire::config::{HostSettings, ServerDefinition, ServerStart, ServerTransport};
use repertoire_mcp_servers::{
    ServerValue, SupervisedServer, Supervisor, SupervisorOptions, ToolAccess,
};

use crate::Registries;

/// Returns the data of the host for the programs that a gateway starts: servers and agents.
pub(crate) fn options(settings: &HostSettings, project: &Path) -> SupervisorOptions {
    let mut options = SupervisorOptions::new(project);
    options.variables = Arc::clone(&settings.variables);
    options.supervisor = Arc::clone(&settings.supervisor);
    options
}

/// Supervises the servers of `registries`. Paths are relative to `project`.
pub(crate) async fn apply(supervisor: &Supervisor, registries: &Registries, project: &Path) {
    let servers = registries.mcp_servers.snapshot();
    let definitions = servers.entries().iter();
    let supervised = definitions.map(|entry| supervised(entry.item(), project));
    supervisor.apply(supervised.collect()).await;
}

/// Sets the rules about the tools of the servers of `registries`.
pub(crate) fn set_rules(tools: &ToolAccess, registries: &Registries) {
    let servers = registries.mcp_servers.snapshot();
    let definitions = servers.entries().iter().map(|entry| entry.item());
    tools.set_rules(definitions.map(|server| (server.id.as_str(), server.tools.clone())));
}

fn supervised(definition: &ServerDefinition, project: &Path) -> SupervisedServer {
    let id = definition.id.as_str();
    let mut server = match (&definition.command, &definition.url) {
        (Some(command), _) => {
            // A name without a folder is searched in PATH.
            let command = match Path::new(command).components().count() {
                1 => command.into(),
                _ => project.join(command),
            };
            SupervisedServer::program(id, command, &definition.args)
        }
        (None, url) => SupervisedServer::at_url(id, url.clone().unwrap_or_default()),
    };
    if definition.transport == ServerTransport::Sse {
        let refusal = "the transport `sse` is not supported; write `http` if the server has it";
        server.refusal = Some(refusal.into());
    }
    let directory = definition.directory.as_deref().map(Path::new);
    server.directory =
        Some(directory.map_or_else(|| project.to_owned(), |path| project.join(path)));
    let placed = |(name, value): (&String, &ServerValue)| {
        let value = match value {
            ServerValue::File(file) => ServerValue::File(project.join(file)),
            value => value.clone(),
        };
        (name.clone(), value)
    };
    server.env = definition.env.iter().map(placed).collect();
    server.headers = definition.headers.iter().map(placed).collect();
    server.memory_mib = definition.memory_mib;
    server.starts_at_once = definition.start == ServerStart::AtOnce;
    if let Some(start) = definition.start_ms {
        server.start = Duration::from_millis(start);
    }
    if let Some(call) = definition.call_ms {
        server.call = Duration::from_millis(call);
    }
    server
}
