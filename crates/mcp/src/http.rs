//! Streamable HTTP.

mod accept;
mod access_control;
mod connection_slots;
mod connections;
mod event_streams;
mod message;
mod metrics;
mod options;
pub(crate) mod request_parts;
mod session_calls;
mod session_limiter;
mod sessions;
mod wrong_tokens;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{any_service, get};
use rmcp::transport::streamable_http_server::session::SessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower_http::cors::{AllowOrigin, CorsLayer};

pub use self::options::{AccessToken, HttpLimits, HttpOptions};
pub(crate) use self::sessions::ResponseSlot;

use self::access_control::AccessControl;
use self::connections::ClientListener;
use self::metrics::Metrics;
use self::options::{HostMetrics, ReadinessCheck};
use self::sessions::Sessions;
use crate::client_session::ClientSession;
use crate::{ServeError, Server};

struct HttpState {
    server: Server,
    sessions: Arc<Sessions>,
    metrics: Metrics,
    is_draining: AtomicBool,
    readiness: Option<ReadinessCheck>,
    host_metrics: Option<HostMetrics>,
    answers: TaskTracker,
    end: CancellationToken,
}

impl Server {
    /// Returns the routes of this server: `/mcp`, and for operators `/healthz`, `/readyz` and `/metrics`.
    ///
    /// All routes but `/healthz` and `/readyz` are behind the checks of `options`. A host that serves the routes itself has to limit
    /// connections and their idle time, as [`serve_http`](Server::serve_http) does.
    #[cfg(feature = "axum")]
    pub fn router(&self, options: &HttpOptions) -> Router {
        self.routes(options, &CancellationToken::new()).0
    }

    /// Serves clients that connect to `listener`, until `end` completes. Then no new request is accepted, requests in progress are
    /// answered within [`HttpOptions::drain`], and every stream is closed.
    ///
    /// # Errors
    /// [`ServeError::NoToken`] when other machines could connect and `options` have no [`AccessToken`].
    pub async fn serve_http(
        &self,
        listener: TcpListener,
        options: &HttpOptions,
        end: impl Future<Output = ()>,
    ) -> Result<(), ServeError> {
        let address = listener.local_addr().map_err(ServeError::Listen)?;
        if !address.ip().is_loopback() && options.token.is_none() && options.authorization.is_none()
        {
            return Err(ServeError::NoToken(address));
        }
        self.serve_listener(listener, options, end).await;
        Ok(())
    }

    /// Serves clients that connect to a Unix socket, as [`serve_http`](Server::serve_http) does. The permissions of its file decide
    /// who may connect, so a token is not needed.
    #[cfg(unix)]
    pub async fn serve_unix(
        &self,
        listener: tokio::net::UnixListener,
        options: &HttpOptions,
        end: impl Future<Output = ()>,
    ) {
        self.serve_listener(listener, options, end).await;
    }

    async fn serve_listener(
        &self,
        listener: impl ClientListener,
        options: &HttpOptions,
        end: impl Future<Output = ()>,
    ) {
        let streams = CancellationToken::new();
        let (router, shared) = self.routes(options, &streams);
        let connections = connections::accept(listener, router, options.limits, end).await;
        shared.is_draining.store(true, Ordering::Release);
        shared.answers.close();
        // Requests that are still in progress after the time limit get no response.
        let _ = tokio::time::timeout(options.drain, shared.answers.wait()).await;
        streams.cancel();
        let _ = tokio::time::timeout(CLOSE_TIMEOUT, connections.shutdown()).await;
    }

    fn routes(&self, options: &HttpOptions, end: &CancellationToken) -> (Router, Arc<HttpState>) {
        let sessions = Arc::new(Sessions::new(options.limits.idle));
        let shared = Arc::new(HttpState {
            server: self.clone(),
            sessions: Arc::clone(&sessions),
            metrics: Metrics::default(),
            is_draining: AtomicBool::new(false),
            readiness: options.readiness.clone(),
            host_metrics: options.metrics.clone(),
            answers: TaskTracker::new(),
            end: end.clone(),
        });
        // Access control checks hosts and origins for every route.
        let config = StreamableHttpServerConfig::default()
            .disable_allowed_hosts()
            .disable_allowed_origins()
            .with_max_request_body_bytes(options.limits.body)
            .with_cancellation_token(shared.end.clone());
        let server = self.clone();
        let request_limits = message::MessageHandler {
            limits: options.limits,
            sessions: Arc::clone(&sessions),
        };
        let request_limits = middleware::from_fn_with_state(request_limits, message::handle_post);
        let service = StreamableHttpService::new(
            move || Ok(ClientSession::new(server.clone())),
            sessions,
            config,
        );
        let gate = Arc::new(AccessControl::new(options, Arc::clone(&shared)));
        let public = Router::new()
            .route("/healthz", get(|| async { "ok\n" }))
            .route("/readyz", get(ready))
            .merge(
                options
                    .public_routes
                    .clone()
                    .with_state(())
                    .layer(cors(options)),
            );
        let router = Router::new()
            .route(
                "/mcp",
                any_service(service)
                    .layer(middleware::from_fn_with_state(Arc::clone(&shared), ended))
                    .layer(request_limits),
            )
            .route("/metrics", get(metrics))
            .merge(options.routes.clone().with_state(()))
            .layer(cors(options))
            .layer(middleware::from_fn_with_state(
                Arc::clone(&gate),
                access_control::control_access,
            ))
            .merge(public.layer(middleware::from_fn_with_state(
                gate,
                access_control::limit_public,
            )))
            .with_state(Arc::clone(&shared));
        (router, shared)
    }
}

const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

async fn ended(State(shared): State<Arc<HttpState>>, request: Request, next: Next) -> Response {
    if request.method() != Method::DELETE {
        return next.run(request).await;
    }
    if let Some(id) = access_control::session(request.headers())
        && !shared
            .sessions
            .has_session(&Arc::from(id))
            .await
            .unwrap_or(false)
    {
        return (StatusCode::NOT_FOUND, "no such session\n").into_response();
    }
    let mut response = next.run(request).await;
    if response.status() == StatusCode::ACCEPTED {
        *response.status_mut() = StatusCode::NO_CONTENT;
    }
    response
}

async fn ready(State(shared): State<Arc<HttpState>>) -> Response {
    if shared.is_draining.load(Ordering::Acquire) {
        return (StatusCode::SERVICE_UNAVAILABLE, "ending\n").into_response();
    }
    match shared.readiness.as_ref().map(ReadinessCheck::check) {
        Some(Err(reason)) => {
            (StatusCode::SERVICE_UNAVAILABLE, format!("{reason}\n")).into_response()
        }
        _ => "ready\n".into_response(),
    }
}

async fn metrics(State(shared): State<Arc<HttpState>>, headers: HeaderMap) -> Response {
    let accepted = headers
        .get(ACCEPT)
        .and_then(|accepted| accepted.to_str().ok());
    let (form, text) = shared.metrics.text(&shared, accepted);
    ([(CONTENT_TYPE, form)], text).into_response()
}

fn cors(options: &HttpOptions) -> CorsLayer {
    let origins = options.origins.clone();
    let is_ours = move |origin: &HeaderValue, _: &Parts| {
        origins
            .iter()
            .any(|ours| ours.as_bytes() == origin.as_bytes())
    };
    let header = HeaderName::from_static;
    let ours = [
        "mcp-session-id",
        "mcp-protocol-version",
        "mcp-method",
        "mcp-name",
        "last-event-id",
    ]
    .map(header);
    CorsLayer::new()
        .allow_origin(AllowOrigin::predicate(is_ours))
        .allow_methods([Method::GET, Method::POST, Method::DELETE])
        .allow_headers(
            ours.into_iter()
                .chain([CONTENT_TYPE, AUTHORIZATION])
                .collect::<Vec<_>>(),
        )
        .expose_headers([header("mcp-session-id")])
}
