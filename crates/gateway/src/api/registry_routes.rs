//! The routes of the registries.

use axum::extract::{Path, Query, State};
use axum::http::HeaderMap;
use axum::response::Response;
use repertoire::registry::{Entry, Registry, Snapshot};
use repertoire::search::{LiveIndex, SearchItem};
use repertoire::skill::{Item, ResourcePath};
use serde::Deserialize;
use utoipa::IntoParams;

use super::ApiState;
use super::bodies::{
    DiagnosticList, DiagnosticRow, EntryList, EntryRow, FileList, FileRow, Hit, SearchResults, Why,
};
use super::entity::Entity;
use super::items::{AgentItem, McpServerItem, ShownItem, SkillItem, WorkflowItem};
use super::problem::Problem;
use crate::{GatewayStatus, Registries};

/// The most results of a search, and those without `limit`.
const MOST_HITS: usize = 50;

type Answer = Result<Response, Problem>;

/// Lists the skills.
#[utoipa::path(get, path = "/api/v1/skills", tag = "skills",
    responses((status = 200, description = "The skills", body = EntryList<SkillItem>)))]
pub(super) async fn skills(State(api): State<ApiState>, headers: HeaderMap) -> Answer {
    let registries = api.gateway.registries()?;
    let mut list = list(&registries.skills);
    list.diagnostics.extend(of_skills(&api));
    let status = api.gateway.status();
    let reasons = status.reasons();
    for entry in &mut list.entries {
        entry.not_ready = reasons.get(&*entry.id).copied().cloned();
    }
    Ok(Entity::json(&list).respond(&headers))
}

/// Lists the workflows.
#[utoipa::path(get, path = "/api/v1/workflows", tag = "workflows",
    responses((status = 200, description = "The workflows", body = EntryList<WorkflowItem>)))]
pub(super) async fn workflows(State(api): State<ApiState>, headers: HeaderMap) -> Answer {
    let registries = api.gateway.registries()?;
    Ok(Entity::json(&list(&registries.workflows)).respond(&headers))
}

/// Lists the agents that are defined.
#[utoipa::path(get, path = "/api/v1/agents", tag = "agents",
    responses((status = 200, description = "The agents", body = EntryList<AgentItem>)))]
pub(super) async fn agents(State(api): State<ApiState>, headers: HeaderMap) -> Answer {
    let registries = api.gateway.registries()?;
    Ok(Entity::json(&list(&registries.agents)).respond(&headers))
}

/// Lists the MCP servers, each with the status of its process.
#[utoipa::path(get, path = "/api/v1/mcp-servers", tag = "mcp-servers",
    responses((status = 200, description = "The MCP servers", body = EntryList<McpServerItem>)))]
pub(super) async fn mcp_servers(State(api): State<ApiState>, headers: HeaderMap) -> Answer {
    let registries = api.gateway.registries()?;
    let mut list = list(&registries.mcp_servers);
    let status = api.gateway.status();
    list.entries
        .iter_mut()
        .for_each(|entry| add_server(entry, &status));
    Ok(Entity::json(&list).respond(&headers))
}

/// Returns a skill.
#[utoipa::path(get, path = "/api/v1/skills/{id}", tag = "skills",
    params(("id" = String, Path, description = "The id")),
    responses(
        (status = 200, description = "The skill", body = EntryRow<SkillItem>),
        (status = 404, description = "There is no such skill", body = Problem,
            content_type = "application/problem+json")))]
pub(super) async fn skill(
    State(api): State<ApiState>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Answer {
    let registries = api.gateway.registries()?;
    let snapshot = registries.skills.snapshot();
    let entry = find(&snapshot, &id)?;
    let mut row = EntryRow::of(entry);
    row.not_ready = api.gateway.not_ready(entry);
    Ok(Entity::json(&row).respond(&headers))
}

/// Returns a workflow.
///
/// Its id is a path: in the address, each `/` in it may be written as it is, or as `%2F`.
#[utoipa::path(get, path = "/api/v1/workflows/{id}", tag = "workflows",
    params(("id" = String, Path, description = "The id")),
    responses(
        (status = 200, description = "The workflow", body = EntryRow<WorkflowItem>),
        (status = 404, description = "There is no such workflow", body = Problem,
            content_type = "application/problem+json")))]
pub(super) async fn workflow(
    State(api): State<ApiState>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Answer {
    let registries = api.gateway.registries()?;
    Ok(Entity::json(&row(&registries.workflows, &id)?).respond(&headers))
}

/// Returns an agent that is defined.
#[utoipa::path(get, path = "/api/v1/agents/{id}", tag = "agents",
    params(("id" = String, Path, description = "The id")),
    responses(
        (status = 200, description = "The agent", body = EntryRow<AgentItem>),
        (status = 404, description = "There is no such agent", body = Problem,
            content_type = "application/problem+json")))]
pub(super) async fn agent(
    State(api): State<ApiState>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Answer {
    let registries = api.gateway.registries()?;
    Ok(Entity::json(&row(&registries.agents, &id)?).respond(&headers))
}

/// Returns an MCP server with the status of its process.
#[utoipa::path(get, path = "/api/v1/mcp-servers/{id}", tag = "mcp-servers",
    params(("id" = String, Path, description = "The id")),
    responses(
        (status = 200, description = "The MCP server", body = EntryRow<McpServerItem>),
        (status = 404, description = "There is no such MCP server", body = Problem,
            content_type = "application/problem+json")))]
pub(super) async fn mcp_server(
    State(api): State<ApiState>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Answer {
    let registries = api.gateway.registries()?;
    let mut entry = row(&registries.mcp_servers, &id)?;
    add_server(&mut entry, &api.gateway.status());
    Ok(Entity::json(&entry).respond(&headers))
}

/// Returns the instructions of a skill.
#[utoipa::path(get, path = "/api/v1/skills/{id}/body", tag = "skills",
    params(("id" = String, Path, description = "The id")),
    responses(
        (status = 200, description = "The instructions", body = String, content_type = "text/markdown"),
        (status = 404, description = "There is no such skill", body = Problem,
            content_type = "application/problem+json")))]
pub(super) async fn body(
    State(api): State<ApiState>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Answer {
    let skills = api.gateway.registries()?.skills;
    let snapshot = skills.snapshot();
    let entry = find(&snapshot, &id)?;
    let body = skills.body(&entry.candidate).await?;
    Ok(Entity::markdown(&body.text).respond(&headers))
}

/// Lists the files beside the instructions of a skill.
#[utoipa::path(get, path = "/api/v1/skills/{id}/files", tag = "skills",
    params(("id" = String, Path, description = "The id")),
    responses(
        (status = 200, description = "The files", body = FileList),
        (status = 404, description = "There is no such skill", body = Problem,
            content_type = "application/problem+json")))]
pub(super) async fn files(
    State(api): State<ApiState>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Answer {
    let skills = api.gateway.registries()?.skills;
    let snapshot = skills.snapshot();
    let entry = find(&snapshot, &id)?;
    let files = skills.resources(&entry.candidate).await?.into_iter();
    let files = files.map(|file| FileRow::of(&file));
    let list = FileList {
        files: files.collect(),
    };
    Ok(Entity::json(&list).respond(&headers))
}

/// Returns a file of a skill.
///
/// The path may have several parts: in the address, each `/` in it may be written as it is, or as `%2F`.
#[utoipa::path(get, path = "/api/v1/skills/{id}/files/{path}", tag = "skills",
    params(
        ("id" = String, Path, description = "The id"),
        ("path" = String, Path, description = "The path of the file")),
    responses(
        (status = 200, description = "The bytes of the file", body = Vec<u8>,
            content_type = "application/octet-stream"),
        (status = 404, description = "There is no such skill or file", body = Problem,
            content_type = "application/problem+json")))]
pub(super) async fn file(
    State(api): State<ApiState>,
    Path((id, path)): Path<(String, String)>,
    headers: HeaderMap,
) -> Answer {
    let skills = api.gateway.registries()?.skills;
    let snapshot = skills.snapshot();
    let entry = find(&snapshot, &id)?;
    let path = ResourcePath::new(&path).map_err(|error| Problem::not_found(error.to_string()))?;
    let bytes = skills.resource(&entry.candidate, &path).await?;
    Ok(Entity::file(bytes).respond(&headers))
}

/// Explains which candidate the id of a skill resolves to, and why the others lose.
#[utoipa::path(get, path = "/api/v1/why/{id}", tag = "skills",
    params(("id" = String, Path, description = "The id, or `source:id`")),
    responses(
        (status = 200, description = "The candidates", body = Why),
        (status = 404, description = "There is no such skill", body = Problem,
            content_type = "application/problem+json")))]
pub(super) async fn why(
    State(api): State<ApiState>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Answer {
    let registries = api.gateway.registries()?;
    let snapshot = registries.skills.snapshot();
    let found = snapshot.resolve(&id);
    let found = found.map_err(|error| Problem::not_found(error.to_string()))?;
    let mut why = Why::of(&snapshot, found.entry);
    why.not_ready = api.gateway.not_ready(found.entry);
    Ok(Entity::json(&why).respond(&headers))
}

/// Lists the diagnostics of all registries.
#[utoipa::path(get, path = "/api/v1/diagnostics", tag = "gateway",
    responses((status = 200, description = "The diagnostics", body = DiagnosticList)))]
pub(super) async fn diagnostics(State(api): State<ApiState>, headers: HeaderMap) -> Answer {
    let Registries {
        skills,
        workflows,
        agents,
        mcp_servers,
    } = &api.gateway.registries()?;
    let mut diagnostics = rows(&skills.snapshot());
    diagnostics.extend(rows(&workflows.snapshot()));
    diagnostics.extend(rows(&agents.snapshot()));
    diagnostics.extend(rows(&mcp_servers.snapshot()));
    diagnostics.extend(of_skills(&api));
    Ok(Entity::json(&DiagnosticList { diagnostics }).respond(&headers))
}

/// The query of a search.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(super) struct SearchQuery {
    /// The words, in any language.
    q: String,
    /// The most results of each registry: at most 50, which is the default.
    limit: Option<usize>,
}

/// Searches skills and workflows.
#[utoipa::path(get, path = "/api/v1/search", tag = "gateway", params(SearchQuery),
    responses(
        (status = 200, description = "The results", body = SearchResults),
        (status = 400, description = "The query is not valid", body = Problem,
            content_type = "application/problem+json")))]
pub(super) async fn search(
    State(api): State<ApiState>,
    query: Result<Query<SearchQuery>, axum::extract::rejection::QueryRejection>,
    headers: HeaderMap,
) -> Answer {
    let Query(SearchQuery { q, limit }) =
        query.map_err(|error| Problem::bad_request(error.body_text()))?;
    let registries = api.gateway.registries()?;
    let limit = limit.unwrap_or(MOST_HITS).min(MOST_HITS);
    let query = repertoire::search::Query::new(q)
        .for_operator()
        .limit(limit);
    let results = SearchResults {
        skills: hits(api.indexes.skills(&registries), &query),
        workflows: hits(api.indexes.workflows(&registries), &query),
    };
    Ok(Entity::json(&results).respond(&headers))
}

fn hits<I: SearchItem + ShownItem>(
    index: &LiveIndex<I>,
    query: &repertoire::search::Query,
) -> Vec<Hit<I::Json>> {
    let hits = index.search(query).into_iter();
    let hits = hits.map(|hit| Hit {
        entry: EntryRow::of(&hit.entry),
        why: hit.why.to_string(),
        confidence: hit.why.confidence,
    });
    hits.collect()
}

fn list<I: ShownItem>(registry: &Registry<I>) -> EntryList<I::Json> {
    let snapshot = registry.snapshot();
    let entries = snapshot.entries().iter();
    EntryList {
        generation: snapshot.generation(),
        entries: entries.map(|entry| EntryRow::of(entry)).collect(),
        diagnostics: rows(&snapshot),
    }
}

fn rows<I: Item>(snapshot: &Snapshot<I>) -> Vec<DiagnosticRow> {
    let found = snapshot.diagnostics().iter();
    found
        .map(|found| DiagnosticRow::of(I::KIND, found))
        .collect()
}

/// Returns the diagnostics of skills with their tools and workflows.
fn of_skills(api: &ApiState) -> Vec<DiagnosticRow> {
    let found = api.gateway.diagnostics();
    let rows = found
        .iter()
        .map(|found| DiagnosticRow::between_sources("skill", found));
    rows.collect()
}

fn row<I: ShownItem>(registry: &Registry<I>, id: &str) -> Result<EntryRow<I::Json>, Problem> {
    find(&registry.snapshot(), id).map(|entry| EntryRow::of(entry))
}

fn find<'a, I: Item>(snapshot: &'a Snapshot<I>, id: &str) -> Result<&'a Entry<I>, Problem> {
    let entry = snapshot.get(id);
    let entry = entry.ok_or_else(|| Problem::not_found(format!("there is no {} `{id}`", I::KIND)));
    entry.map(|entry| &**entry)
}

/// Adds the status of its process to an MCP server.
fn add_server(entry: &mut EntryRow<McpServerItem>, status: &GatewayStatus) {
    let mut servers = status.mcp_servers.iter();
    entry.server = servers.find(|server| *server.id == *entry.id).cloned();
}
