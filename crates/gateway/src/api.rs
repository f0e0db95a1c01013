//! The HTTP server: MCP for the skills, and the registries as JSON.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use repertoire::registry::{Entry, Registry};
use repertoire::skill::{Diagnostic, Item};
use repertoire_mcp::{HttpOptions, ServeError, Server, ServerOptions};
use serde::Serialize;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::{Gateway, GatewayError, GatewayState, Registries};

impl Gateway {
    /// Serves clients that connect to `listener`, until `end` completes: `/mcp` with the skills, `/healthz`, `/readyz`, `/metrics`,
    /// and below `/api/v1` the [routes](Gateway::routes).
    ///
    /// # Errors
    /// [`GatewayError::State`] unless it is running or paused, and the errors of
    /// [`Server::serve_http`](repertoire_mcp::Server::serve_http).
    pub async fn serve_http(
        &self,
        listener: TcpListener,
        server: ServerOptions,
        options: HttpOptions,
        end: impl Future<Output = ()>,
    ) -> Result<Result<(), ServeError>, GatewayError> {
        let server = Server::new(self.registries()?.skills, server);
        let gateway = self.clone();
        let readiness = move || match gateway.state() {
            GatewayState::Running => Ok(()),
            GatewayState::Paused => Err("paused"),
            _ => Err("not running"),
        };
        let options = options.routes(self.routes()).readiness(readiness);
        Ok(server.serve_http(listener, &options, end).await)
    }

    /// Returns the routes that show the registries, for reading only: `/api/v1/status`, and for each of `skills`, `workflows`,
    /// `agents` and `mcp-servers` the list and each entry by its id. The caller decides who may use them.
    pub fn routes(&self) -> Router {
        Router::new()
            .route("/api/v1/status", get(status))
            .route("/api/v1/{registry}", get(list))
            .route("/api/v1/{registry}/{*id}", get(show))
            .with_state(self.clone())
    }
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

async fn status(State(gateway): State<Gateway>) -> Response {
    Json(gateway.status()).into_response()
}

async fn list(State(gateway): State<Gateway>, Path(registry): Path<String>) -> Response {
    answer(&gateway, &registry, None)
}

async fn show(
    State(gateway): State<Gateway>,
    Path((registry, id)): Path<(String, String)>,
) -> Response {
    answer(&gateway, &registry, Some(&id))
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
        "skills" => shown(skills, id, || registries.unknown_workflows()),
        "workflows" => shown(workflows, id, Vec::new),
        "agents" => shown(agents, id, Vec::new),
        "mcp-servers" => shown(mcp_servers, id, Vec::new),
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

fn failure(status: StatusCode, message: &str) -> Response {
    (status, Json(json!({ "error": message }))).into_response()
}
