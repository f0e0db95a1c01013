//! The views of MCP servers.

use askama::Template;
use axum::extract::{Path, State};
use repertoire::Skill;
use repertoire::registry::Entry;
use repertoire_mcp_servers::{ServerState, ServerStatus, ToolProvider};

use super::age::age;
use super::frame::{Answer, Frame, encoded, show};
use super::rows::{skill_link, word};
use crate::api::ApiState;
use crate::api::problem::Problem;
use crate::clock::now;

#[derive(Template)]
#[template(path = "servers.html")]
struct ServersPage {
    frame: Frame,
    rows: Vec<ServerRow>,
}

#[derive(Template)]
#[template(path = "server.html")]
struct ServerPage {
    frame: Frame,
    row: ServerRow,
    description: String,
    /// The command line or the address.
    reached: String,
    start: String,
    tools: Vec<ToolRow>,
    /// The skills that name its tools: ids and links.
    skills: Vec<(String, String)>,
}

struct ServerRow {
    id: String,
    link: String,
    state: String,
    class: &'static str,
    since: String,
    tools: String,
    restarts: u64,
    error: String,
    warnings: Vec<String>,
}

struct ToolRow {
    name: String,
    description: String,
}

pub(super) async fn servers(State(api): State<ApiState>) -> Answer {
    api.gateway.registries()?;
    let (servers, now) = (api.gateway.status().mcp_servers, now());
    show(&ServersPage {
        frame: Frame::of("/mcp-servers"),
        rows: servers
            .iter()
            .map(|server| ServerRow::of(server, now))
            .collect(),
    })
}

pub(super) async fn server(State(api): State<ApiState>, Path(id): Path<String>) -> Answer {
    let (registries, supervisor) = (api.gateway.registries()?, api.gateway.supervisor()?);
    let unknown = || Problem::not_found(format!("there is no MCP server `{id}`"));
    let servers = registries.mcp_servers.snapshot();
    let definition = servers.get(&id).ok_or_else(unknown)?.item();
    let status = supervisor.status();
    let status = status.iter().find(|server| *server.id == *id);
    let row = ServerRow::of(status.ok_or_else(unknown)?, now());
    let reached = match (&definition.command, json_text(definition, "url")) {
        (Some(command), _) => {
            let words = std::iter::once(command).chain(&definition.args);
            words.map(String::as_str).collect::<Vec<_>>().join(" ")
        }
        (None, url) => url.unwrap_or_default(),
    };
    let tools = supervisor.known_tools();
    let tools = tools.iter().filter(|tool| *tool.server == *id);
    let skills = registries.skills.snapshot();
    let skills = skills.entries().iter().filter(|entry| names(entry, &id));
    show(&ServerPage {
        frame: Frame::at("/mcp-servers", row.link.clone()),
        description: definition.description.clone().unwrap_or_default(),
        reached,
        start: word(&definition.start),
        tools: tools
            .map(|tool| ToolRow {
                name: tool.name.to_string(),
                description: tool.description.to_string(),
            })
            .collect(),
        skills: skills
            .map(|entry| (entry.id.to_string(), skill_link(entry.id.as_str())))
            .collect(),
        row,
    })
}

/// Returns a field as it is serialized: an address without user and query.
fn json_text(definition: &repertoire::config::ServerDefinition, field: &str) -> Option<String> {
    let value = serde_json::to_value(definition).ok()?;
    value.get(field)?.as_str().map(str::to_owned)
}

/// Returns whether a skill declares a tool of the server.
fn names(entry: &Entry<Skill>, server: &str) -> bool {
    let skill = entry.item();
    let prefix = format!("mcp__{server}__");
    let allowed = skill.allowed_tools.iter().flatten().map(|tool| &**tool);
    let mut declared = skill.required_tools().into_iter().chain(allowed);
    declared.any(|tool| tool.starts_with(&prefix))
}

impl ServerRow {
    fn of(server: &ServerStatus, now: u64) -> ServerRow {
        let warnings = server.warnings.iter();
        ServerRow {
            id: server.id.to_string(),
            link: format!("/mcp-servers/{}", encoded(&server.id)),
            state: server.state.to_string(),
            class: match server.state {
                ServerState::Running => "good",
                ServerState::Failed => "error",
                ServerState::BackingOff => "warning",
                _ => "",
            },
            since: age(server.since * 1000, now),
            tools: server
                .tools
                .map_or("not listed yet".to_owned(), |tools| tools.to_string()),
            restarts: server.restarts,
            error: server.last_error.as_deref().unwrap_or_default().to_owned(),
            warnings: warnings.map(ToString::to_string).collect(),
        }
    }
}
