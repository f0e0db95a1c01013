//! Who may ask, and how often.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, HOST, ORIGIN, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use governor::clock::DefaultClock;
use governor::state::keyed::HashMapStateStore;
use governor::{Quota, RateLimiter};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tracing::Instrument;

use super::metrics::Refused;
use super::pass::Counted;
use super::{HttpOptions, Shared};

/// Addresses whose rates are kept, before those that have rested are forgotten.
const ADDRESSES: usize = 10_000;

/// The protocol from which on there are no sessions.
const WITHOUT_SESSIONS: &[u8] = b"2026-07-28";

/// Where a request comes from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Peer(pub(super) SocketAddr);

/// Decides who may ask, and how often. The one place for every route.
pub(super) struct Gate {
    options: HttpOptions,
    shared: Arc<Shared>,
    requests: Arc<Semaphore>,
    rates: Option<RateLimiter<IpAddr, HashMapStateStore<IpAddr>, DefaultClock>>,
    count: AtomicU64,
}

impl Gate {
    pub(super) fn new(options: &HttpOptions, shared: Arc<Shared>) -> Gate {
        let quota = |rate| Quota::per_second(rate).allow_burst(rate.saturating_add(rate.get()));
        Gate {
            requests: Arc::new(Semaphore::new(options.limits.requests.min(Semaphore::MAX_PERMITS))),
            rates: options.limits.rate.map(|rate| RateLimiter::hashmap(quota(rate))),
            count: AtomicU64::new(0),
            options: options.clone(),
            shared,
        }
    }

    /// Lets a request in, with a permit to be kept until it is answered.
    ///
    /// 1. It is meant for us, by the name it was sent to.
    /// 2. No page asks that may not.
    /// 3. It proves itself.
    /// 4. It comes neither too often nor with too many others.
    fn admit(&self, request: &Parts) -> Result<OwnedSemaphorePermit, Refused> {
        let (headers, peer) = (&request.headers, request.extensions.get::<Peer>());
        if !self.is_ours(headers) {
            return Err(Refused::Host);
        }
        if !self.may_page_ask(headers) {
            return Err(Refused::Origin);
        }
        // A page asks first whether it may ask, and has no token to show for it.
        let asks_first = request.method == Method::OPTIONS;
        if let (Some(token), false) = (&self.options.token, asks_first)
            && !token.is_proven_by(headers.get(AUTHORIZATION).map(HeaderValue::as_bytes))
        {
            return Err(Refused::Token);
        }
        if let (Some(rates), Some(Peer(peer))) = (&self.rates, peer) {
            if rates.len() > ADDRESSES {
                rates.retain_recent();
            }
            if rates.check_key(&peer.ip()).is_err() {
                return Err(Refused::Rate);
            }
        }
        if begins_session(request) && self.shared.sessions.len() >= self.options.limits.sessions {
            return Err(Refused::Sessions);
        }
        Arc::clone(&self.requests).try_acquire_owned().map_err(|_| Refused::Requests)
    }

    fn is_ours(&self, headers: &HeaderMap) -> bool {
        let mut hosts = headers.get_all(HOST).iter();
        let (Some(host), None) = (hosts.next().and_then(|host| host.to_str().ok()), hosts.next()) else { return false };
        // A colon inside of brackets is part of an address.
        let name = match host.rsplit_once(':') {
            Some((name, port)) if !port.contains(']') && port.bytes().all(|digit| digit.is_ascii_digit()) => name,
            _ => host,
        };
        self.options.hosts.iter().any(|ours| ours.eq_ignore_ascii_case(host) || ours.eq_ignore_ascii_case(name))
    }

    fn may_page_ask(&self, headers: &HeaderMap) -> bool {
        let allowed =
            |origin: &HeaderValue| self.options.origins.iter().any(|ours| ours.as_bytes() == origin.as_bytes());
        headers.get_all(ORIGIN).iter().all(allowed)
    }
}

/// Whether a session may come of it.
fn begins_session(request: &Parts) -> bool {
    let version = request.headers.get("mcp-protocol-version");
    request.method == Method::POST
        && !request.headers.contains_key("mcp-session-id")
        && version.is_none_or(|version| version.as_bytes() < WITHOUT_SESSIONS)
}

/// The gate, as a layer around the routes.
pub(super) async fn pass(State(gate): State<Arc<Gate>>, request: Request, next: Next) -> Response {
    let id = gate.count.fetch_add(1, Ordering::Relaxed);
    let began = Instant::now();
    let span = tracing::info_span!("request", id, method = %request.method(), path = request.uri().path());
    async {
        let metrics = &gate.shared.metrics;
        let (request, body) = request.into_parts();
        let is_stream = request.method == Method::GET;
        let mut response = match gate.admit(&request) {
            Ok(permit) => {
                let response = next.run(Request::from_parts(request, body)).await;
                if is_stream {
                    // It stays open for as long as the client likes, and keeps nobody else out.
                    response
                } else {
                    let answer = (permit, gate.shared.answers.token());
                    response.map(|body| axum::body::Body::new(Counted::new(body, answer)))
                }
            }
            Err(refused) => {
                metrics.refused(refused);
                tracing::info!(reason = %refused, "refused");
                refused.into_response()
            }
        };
        metrics.answered(response.status(), began.elapsed());
        tracing::info!(status = response.status().as_u16(), micros = began.elapsed().as_micros() as u64, "answered");
        response.headers_mut().insert("x-request-id", HeaderValue::from(id));
        response
    }
    .instrument(span)
    .await
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let (status, says) = match self {
            Refused::Host => (StatusCode::FORBIDDEN, "this host is not served here"),
            Refused::Origin => (StatusCode::FORBIDDEN, "pages of this origin are not served"),
            Refused::Token => (StatusCode::UNAUTHORIZED, "a token is asked for"),
            Refused::Rate => (StatusCode::TOO_MANY_REQUESTS, "too many requests"),
            Refused::Sessions => (StatusCode::SERVICE_UNAVAILABLE, "too many sessions"),
            Refused::Requests => (StatusCode::SERVICE_UNAVAILABLE, "too many requests at once"),
        };
        let mut response = (status, format!("{says}\n")).into_response();
        let (name, value) = match status {
            StatusCode::UNAUTHORIZED => (WWW_AUTHENTICATE, "Bearer"),
            StatusCode::FORBIDDEN => return response,
            _ => (RETRY_AFTER, "1"),
        };
        response.headers_mut().insert(name, HeaderValue::from_static(value));
        response
    }
}
