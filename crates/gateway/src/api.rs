//! The HTTP server: MCP for the skills, and an API for people and scripts.

mod access;
mod agent_routes;
mod bodies;
mod entity;
mod event_log;
mod events;
mod items;
#[cfg(not(feature = "oauth"))]
mod no_oauth;
#[cfg(feature = "oauth")]
mod oauth;
mod openapi;
mod operator_routes;
mod page;
mod problem;
mod registry_routes;
mod schemas;

use std::pin::pin;
use std::sync::{Arc, OnceLock};

use axum::Router;
use axum::routing::{any, get, post};
use parking_lot::Mutex;
use repertoire::registry::{Entry, Status};
use repertoire::search::LiveIndex;
use repertoire::{CatalogOptions, Skill};
use repertoire_mcp::{HttpOptions, ServeError, Server, ServerOptions};
use tokio::net::TcpListener;

use self::access::{AccessCheck, Anonymous};
use self::event_log::EventLog;
use self::events::EventSources;
#[cfg(not(feature = "oauth"))]
use self::no_oauth::ResourceServer;
#[cfg(feature = "oauth")]
use self::oauth::ResourceServer;
use crate::{
    Gateway, GatewayError, GatewayState, Registries, WorkflowFile, mcp_resources, metrics,
    starting_server,
};

/// The path below which the agents of the store are, each by its id.
const AGENT_RECORDS: &str = "/api/v1/agents/records";

impl Gateway {
    /// Serves clients that connect to `listener`, until `end` completes: `/mcp` with the skills, the tools that they bring and the other registries as
    /// resources, `/healthz`, `/readyz`, `/metrics`, and below `/api/v1` the [routes](Gateway::routes).
    ///
    /// Before the start of the gateway, every request but `/healthz` is answered with the status 503.
    ///
    /// The [tokens](Gateway::tokens), that of `options` and those of the issuer of the configuration are accepted. A request without
    /// one acts for the operator, unless other machines can connect, the store requires tokens, or the configuration has an issuer.
    ///
    /// # Errors
    /// [`GatewayError::State`] after a stop, [`GatewayError::OAuth`], and the errors of
    /// [`Server::serve_http`](repertoire_mcp::Server::serve_http).
    pub async fn serve_http(
        &self,
        listener: TcpListener,
        server: ServerOptions,
        options: HttpOptions,
        end: impl Future<Output = ()>,
    ) -> Result<Result<(), ServeError>, GatewayError> {
        let address = match listener.local_addr() {
            Ok(address) => address,
            Err(error) => return Ok(Err(ServeError::Listen(error))),
        };
        let is_token_known = options.has_token()
            || self.tokens().is_required()
            || self.configuration().gateway().oauth.is_some();
        let anonymous = match address.ip().is_loopback() {
            true => Anonymous::UntilTokensExist,
            false if is_token_known => Anonymous::Refused,
            false => return Ok(Err(ServeError::NoToken(address))),
        };
        if let Some(agents) = self.agents() {
            agents.set_address(format!("http://{address}/mcp"));
        }
        let mut end = pin!(end);
        let started = starting_server::answer_until_started(listener, self, end.as_mut()).await;
        let Some(listener) = started else {
            return Ok(Ok(()));
        };
        let (server, options, api) = self.server(server, options, anonymous)?;
        let end = api.close_after(end);
        Ok(server.serve_http(listener, &options, end).await)
    }

    /// Serves clients that connect to a Unix socket, as [`serve_http`](Gateway::serve_http) does. The permissions of its file decide
    /// who may connect. A request without a token acts for the operator.
    ///
    /// # Errors
    /// [`GatewayError::State`] unless it is running or paused.
    #[cfg(unix)]
    pub async fn serve_unix(
        &self,
        listener: tokio::net::UnixListener,
        server: ServerOptions,
        options: HttpOptions,
        end: impl Future<Output = ()>,
    ) -> Result<(), GatewayError> {
        let (server, options, api) = self.server(server, options, Anonymous::Allowed)?;
        let end = api.close_after(end);
        server.serve_unix(listener, &options, end).await;
        Ok(())
    }

    fn server(
        &self,
        server: ServerOptions,
        options: HttpOptions,
        anonymous: Anonymous,
    ) -> Result<(Server, HttpOptions, ApiState), GatewayError> {
        let skills = self.registries()?.skills;
        let server = mcp_resources::add(server, self)
            .server_tools(self.tool_access()?)
            .session_log(self.http().sessions.clone());
        let gateway = self.clone();
        let readiness = move || match gateway.state() {
            GatewayState::Running => Ok(()),
            GatewayState::Paused => Err("paused"),
            _ => Err("not running"),
        };
        let gateway = self.clone();
        let oauth = ResourceServer::of(&self.configuration())?;
        let options = match &oauth {
            Some(oauth) => oauth.protect(options, access::needed_scope),
            None => options,
        };
        let access = Arc::new(AccessCheck {
            tokens: self.tokens().clone(),
            agents: self.agents(),
            oauth,
            anonymous,
        });
        let api = ApiState {
            catalog: server.catalog_options(),
            ..ApiState::new(self)
        };
        let options = options
            .routes(api.routes())
            .readiness(readiness)
            .metrics(move || metrics::text(&gateway.status()))
            .authorize(move |request| {
                let access = Arc::clone(&access);
                Box::pin(async move { access.check(request).await })
            });
        Ok((Server::new(skills, server), options, api))
    }

    /// Returns the routes below `/api/v1`: the registries, the status, and requests to the gateway.
    /// `/api/v1/openapi.json` describes them. The caller decides who may use them.
    pub fn routes(&self) -> Router {
        ApiState::new(self).routes()
    }

    /// Returns the reason why an active skill is not ready.
    fn not_ready(&self, skill: &Entry<Skill>) -> Option<Arc<str>> {
        let is_active = skill.candidate.status == Status::Active;
        let tools = self.tool_access().ok().filter(|_| is_active)?;
        tools.known_table().not_ready(&skill.candidate)
    }
}

/// The state of the routes. Clones share it.
#[derive(Clone)]
struct ApiState {
    gateway: Gateway,
    indexes: Arc<SearchIndexes>,
    log: Arc<EventLog>,
    /// The form of the catalog that sessions get.
    catalog: CatalogOptions,
    /// `true` once a task writes the log.
    is_followed: Arc<Mutex<bool>>,
}

/// The indexes of the registries that were searched. A gateway starts once, so they are of its only registries.
#[derive(Default)]
struct SearchIndexes {
    skills: OnceLock<LiveIndex>,
    workflows: OnceLock<LiveIndex<WorkflowFile>>,
}

impl SearchIndexes {
    fn skills(&self, registries: &Registries) -> &LiveIndex {
        let new = || LiveIndex::new(registries.skills.clone());
        self.skills.get_or_init(new)
    }

    fn workflows(&self, registries: &Registries) -> &LiveIndex<WorkflowFile> {
        let new = || LiveIndex::new(registries.workflows.clone());
        self.workflows.get_or_init(new)
    }
}

impl ApiState {
    fn new(gateway: &Gateway) -> ApiState {
        ApiState {
            gateway: gateway.clone(),
            indexes: Arc::default(),
            log: Arc::default(),
            catalog: CatalogOptions::default(),
            is_followed: Arc::default(),
        }
    }

    fn routes(&self) -> Router {
        use registry_routes as registries;
        Router::new()
            .route("/api/v1/skills", get(registries::skills))
            .route("/api/v1/skills/{id}", get(registries::skill))
            .route("/api/v1/skills/{id}/body", get(registries::body))
            .route("/api/v1/skills/{id}/files", get(registries::files))
            .route("/api/v1/skills/{id}/files/{*path}", get(registries::file))
            .route("/api/v1/workflows", get(registries::workflows))
            .route("/api/v1/workflows/{*id}", get(registries::workflow))
            .route("/api/v1/agents", get(registries::agents))
            .route("/api/v1/agents/{id}", get(registries::agent))
            .route(
                AGENT_RECORDS,
                get(agent_routes::records).post(agent_routes::spawn),
            )
            .route(
                "/api/v1/agents/records/{id}",
                get(agent_routes::record).delete(agent_routes::cancel),
            )
            .route("/api/v1/agents/explain", post(agent_routes::explain))
            .route("/api/v1/agents/orphans", get(agent_routes::orphans))
            .route("/api/v1/mcp-servers", get(registries::mcp_servers))
            .route("/api/v1/mcp-servers/{id}", get(registries::mcp_server))
            .route("/api/v1/search", get(registries::search))
            .route("/api/v1/why/{id}", get(registries::why))
            .route("/api/v1/diagnostics", get(registries::diagnostics))
            .route("/api/v1/status", get(operator_routes::status))
            .route("/api/v1/reload", post(operator_routes::reload))
            .route("/api/v1/openapi.json", get(openapi::openapi))
            .route("/api/v1/events", get(events::events))
            .route("/api/v1/{*other}", any(operator_routes::unknown_route))
            .method_not_allowed_fallback(operator_routes::wrong_method)
            .merge(page::routes())
            .with_state(self.clone())
    }

    /// Returns the log of events, which is written from the first call on.
    fn events(&self) -> Result<Arc<EventLog>, GatewayError> {
        let mut is_followed = self.is_followed.lock();
        if !*is_followed {
            let sources = EventSources::subscribe(&self.gateway)?;
            tokio::spawn(sources.follow(Arc::downgrade(&self.log)));
            *is_followed = true;
        }
        Ok(Arc::clone(&self.log))
    }

    /// Completes as `end` does, and ends all event streams then.
    async fn close_after(self, end: impl Future<Output = ()>) {
        end.await;
        self.log.close();
    }
}
