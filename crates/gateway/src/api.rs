//! The HTTP server: MCP for the skills, and the registries as JSON.

use std::pin::pin;
use std::sync::{Arc, OnceLock};

use axum::extract::{Path, State};
use axum::http::{StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use percent_encoding::percent_decode_str;
use repertoire::registry::{Entry, Registry};
use repertoire::search::{LiveIndex, Query, SearchItem};
use repertoire::skill::{Diagnostic, Item};
use repertoire_mcp::{HttpOptions, ServeError, Server, ServerOptions};
use serde::Serialize;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::{
    Gateway, GatewayError, GatewayState, Registries, WorkflowFile, mcp_resources, metrics,
    starting_server,
};

/// The most results of a search.
const MOST_HITS: usize = 50;

impl Gateway {
    /// Serves clients that connect to `listener`, until `end` completes: `/mcp` with the skills, the tools that they bring and the other registries as
    /// resources, `/healthz`, `/readyz`, `/metrics`, and below `/api/v1` the [routes](Gateway::routes).
    ///
    /// Before the start of the gateway, every request but `/healthz` is answered with the status 503.
    ///
    /// # Errors
    /// [`GatewayError::State`] after a stop, and the errors of
    /// [`Server::serve_http`](repertoire_mcp::Server::serve_http).
    pub async fn serve_http(
        &self,
        listener: TcpListener,
        server: ServerOptions,
        options: HttpOptions,
        end: impl Future<Output = ()>,
    ) -> Result<Result<(), ServeError>, GatewayError> {
        let mut end = pin!(end);
        let started = starting_server::answer_until_started(listener, self, end.as_mut()).await;
        let Some(listener) = started else {
            return Ok(Ok(()));
        };
        let skills = self.registries()?.skills;
        let server = mcp_resources::add(server, self).server_tools(self.tool_access()?);
        let server = Server::new(skills, server);
        let gateway = self.clone();
        let readiness = move || match gateway.state() {
            GatewayState::Running => Ok(()),
            GatewayState::Paused => Err("paused"),
            _ => Err("not running"),
        };
        let gateway = self.clone();
        let options = options
            .routes(self.routes())
            .readiness(readiness)
            .metrics(move || metrics::text(&gateway.status()));
        Ok(server.serve_http(listener, &options, end).await)
    }

    /// Returns the routes that show the registries, for reading only: `/api/v1/status`, and for each of `skills`, `workflows`,
    /// `agents` and `mcp-servers` the list and each entry by its id. An MCP server has its status too, and a skill the
    /// reason why it is not ready. `?search=WORDS` finds skills and workflows. The caller decides who may use them.
    pub fn routes(&self) -> Router {
        Router::new()
            .route("/api/v1/status", get(status))
            .route("/api/v1/{registry}", get(list))
            .route("/api/v1/{registry}/{*id}", get(show))
            .with_state(ApiState {
                gateway: self.clone(),
                indexes: Arc::default(),
            })
    }
}

/// The state of the routes: the gateway, and the indexes of the registries that were searched.
#[derive(Clone)]
struct ApiState {
    gateway: Gateway,
    indexes: Arc<SearchIndexes>,
}

/// The indexes of the registries that were searched. A gateway starts once, so they are of its only registries.
#[derive(Default)]
struct SearchIndexes {
    skills: OnceLock<LiveIndex>,
    workflows: OnceLock<LiveIndex<WorkflowFile>>,
}

/// An entry of a registry, without its shadows.
#[derive(Serialize)]
struct EntryRow<'a, T> {
    id: &'a str,
    kind: &'static str,
    source: &'a str,
    tier: repertoire::registry::Tier,
    trust: repertoire::Trust,
    status: repertoire::registry::Status,
    item: &'a T,
}

impl<'a, T: Item> EntryRow<'a, T> {
    fn of(entry: &'a Entry<T>) -> EntryRow<'a, T> {
        EntryRow {
            id: entry.id.as_str(),
            kind: T::KIND,
            source: &entry.origin().source,
            tier: entry.origin().tier,
            trust: entry.candidate.trust,
            status: entry.candidate.status,
            item: entry.item(),
        }
    }
}

async fn status(State(api): State<ApiState>) -> Response {
    Json(api.gateway.status()).into_response()
}

async fn list(State(api): State<ApiState>, Path(registry): Path<String>, uri: Uri) -> Response {
    match searched_text(uri.query().unwrap_or_default()) {
        Some(text) => find(&api, &registry, text),
        None => answer(&api.gateway, &registry, None),
    }
}

async fn show(
    State(api): State<ApiState>,
    Path((registry, id)): Path<(String, String)>,
) -> Response {
    answer(&api.gateway, &registry, Some(&id))
}

fn answer(gateway: &Gateway, registry: &str, id: Option<&str>) -> Response {
    let registries = match gateway.registries() {
        Ok(registries) => registries,
        Err(error) => return failure(StatusCode::SERVICE_UNAVAILABLE, &error.to_string()),
    };
    let Registries {
        skills,
        workflows,
        agents,
        mcp_servers,
    } = &registries;
    let found = match registry {
        "skills" => {
            shown(skills, id, || gateway.diagnostics()).map(|found| with_readiness(found, gateway))
        }
        "workflows" => shown(workflows, id, Vec::new),
        "agents" => shown(agents, id, Vec::new),
        "mcp-servers" => shown(mcp_servers, id, Vec::new).map(|found| supervised(found, gateway)),
        _ => None,
    };
    match found {
        Some(value) => Json(value).into_response(),
        None => failure(StatusCode::NOT_FOUND, "no such registry or entry"),
    }
}

/// Returns the list of a registry with its diagnostics and `more` of them, or one entry, if there is one.
fn shown<T: Item + Serialize>(
    registry: &Registry<T>,
    id: Option<&str>,
    more: impl FnOnce() -> Vec<Diagnostic>,
) -> Option<Value> {
    let snapshot = registry.snapshot();
    if let Some(id) = id {
        let entry = snapshot.get(id)?;
        return Some(json!(EntryRow::of(entry)));
    }
    let entries: Vec<_> = snapshot
        .entries()
        .iter()
        .map(|entry| EntryRow::of(entry))
        .collect();
    let diagnostics = snapshot.diagnostics().iter().map(|found| json!(found));
    let diagnostics: Vec<Value> = diagnostics
        .chain(more().iter().map(|found| json!(found)))
        .collect();
    Some(json!({
        "generation": snapshot.generation(),
        "entries": entries,
        "diagnostics": diagnostics,
    }))
}

/// Adds the reason to each skill whose tools are missing or denied, as `not_ready`.
fn with_readiness(mut found: Value, gateway: &Gateway) -> Value {
    let not_ready = gateway.status().not_ready;
    let add = |entry: &mut Value| {
        let skill = not_ready
            .iter()
            .find(|skill| entry["id"] == *skill.id.as_str());
        if let Some(skill) = skill {
            entry["not_ready"] = json!(skill.reason);
        }
    };
    match found.get_mut("entries").and_then(Value::as_array_mut) {
        Some(entries) => entries.iter_mut().for_each(add),
        None => add(&mut found),
    }
    found
}

/// Adds the status of its server to each entry, as `server`.
fn supervised(mut found: Value, gateway: &Gateway) -> Value {
    let servers = gateway.status().mcp_servers;
    let add = |entry: &mut Value| {
        let server = servers.iter().find(|server| entry["id"] == *server.id);
        if let Some(server) = server {
            entry["server"] = json!(server);
        }
    };
    match found.get_mut("entries").and_then(Value::as_array_mut) {
        Some(entries) => entries.iter_mut().for_each(add),
        None => add(&mut found),
    }
    found
}

/// Returns the value of `search` in the query of a URL.
fn searched_text(query: &str) -> Option<String> {
    let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    let (_, text) = pairs.find(|(key, _)| *key == "search")?;
    let text = text.replace('+', " ");
    Some(percent_decode_str(&text).decode_utf8_lossy().into_owned())
}

fn find(api: &ApiState, registry: &str, text: String) -> Response {
    let registries = match api.gateway.registries() {
        Ok(registries) => registries,
        Err(error) => return failure(StatusCode::SERVICE_UNAVAILABLE, &error.to_string()),
    };
    let query = Query::new(text).for_operator().limit(MOST_HITS);
    let SearchIndexes { skills, workflows } = &*api.indexes;
    let found = match registry {
        "skills" => hits(
            skills.get_or_init(|| LiveIndex::new(registries.skills)),
            &query,
        ),
        "workflows" => hits(
            workflows.get_or_init(|| LiveIndex::new(registries.workflows)),
            &query,
        ),
        _ => {
            let message = "only skills and workflows are searched";
            return failure(StatusCode::NOT_FOUND, message);
        }
    };
    Json(found).into_response()
}

/// Returns the entries that fit `query`, the best first, each with the explanation.
fn hits<T: SearchItem + Serialize>(index: &LiveIndex<T>, query: &Query) -> Value {
    let index = index.current();
    let hits = index.search(query);
    let hits: Vec<_> = hits
        .iter()
        .map(|hit| json!({ "entry": EntryRow::of(&hit.entry), "why": hit.why }))
        .collect();
    json!({ "generation": index.snapshot().generation(), "hits": hits })
}

fn failure(status: StatusCode, message: &str) -> Response {
    (status, Json(json!({ "error": message }))).into_response()
}
