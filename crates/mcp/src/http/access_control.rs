//! Access control of HTTP requests, in this order:
//!
//! 1. The server is not ending, and the request names this server in `Host` and in its target.
//! 2. It has no `Origin`, or an allowed one.
//! 3. Its address is within the rate. Requests with a wrong token count, which slows down guessing.
//! 4. It has the token, or the host allows it. Browsers send a token as a password.
//! 5. The server is within its limits of requests and sessions.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{
    ACCEPT, AUTHORIZATION, CONNECTION, CONTENT_TYPE, HOST, ORIGIN, RETRY_AFTER, WWW_AUTHENTICATE,
};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use governor::clock::DefaultClock;
use governor::state::keyed::HashMapStateStore;
use governor::{Quota, RateLimiter};
use http_body_util::BodyExt;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tracing::Instrument;

use super::connection_slots::{BusyGuard, ConnectionSlot};
use super::metrics::Rejection;
use super::request_parts::RequestNumber;
use super::session_limiter::{SessionLimiter, SessionPermit};
use super::wrong_tokens::WrongTokens;
use super::{HttpOptions, HttpState};
use crate::Caller;

const ADDRESSES: usize = 10_000;

const WITHOUT_SESSIONS: &[u8] = b"2026-07-28";

const SESSION: &str = "mcp-session-id";

#[derive(Debug, Clone, Copy)]
pub(super) struct Peer(pub(super) SocketAddr);

pub(super) struct AccessControl {
    options: HttpOptions,
    shared: Arc<HttpState>,
    limiter: SessionLimiter,
    requests: Arc<Semaphore>,
    rates: Option<RateLimiter<IpAddr, HashMapStateStore<IpAddr>, DefaultClock>>,
    wrong_tokens: WrongTokens,
    count: AtomicU64,
}

impl AccessControl {
    pub(super) fn new(options: &HttpOptions, shared: Arc<HttpState>) -> AccessControl {
        AccessControl {
            limiter: SessionLimiter::new(options.limits.sessions, options.limits.idle),
            requests: Arc::new(Semaphore::new(
                options.limits.requests.min(Semaphore::MAX_PERMITS),
            )),
            rates: options.limits.rate.map(|rate| {
                RateLimiter::hashmap(
                    Quota::per_second(rate).allow_burst(rate.saturating_add(rate.get())),
                )
            }),
            wrong_tokens: WrongTokens::default(),
            count: AtomicU64::new(0),
            options: options.clone(),
            shared,
        }
    }

    async fn admit(&self, request: &mut Parts) -> Result<Permit, Rejection> {
        let (headers, peer) = (&request.headers, request.extensions.get::<Peer>());
        if self.shared.is_draining.load(Ordering::Acquire) {
            return Err(Rejection::Ending);
        }
        if !self.is_host_allowed(request) {
            return Err(Rejection::Host);
        }
        if !self.is_origin_allowed(headers) {
            return Err(Rejection::Origin);
        }
        self.count(peer)?;
        // A preflight request has no token.
        if request.method != Method::OPTIONS {
            self.authorize(request).await?;
        }
        let permit = Arc::clone(&self.requests)
            .try_acquire_owned()
            .map_err(|_| Rejection::Requests)?;
        let session_permit = match may_begin_session(request) {
            true => {
                let sessions = self.shared.sessions.as_ref();
                let session_permit = self.limiter.acquire(sessions, sessions.len()).await;
                Some(session_permit.ok_or(Rejection::Sessions)?)
            }
            false => None,
        };
        Ok(Permit {
            permit,
            session_permit,
        })
    }

    async fn authorize(&self, request: &mut Parts) -> Result<(), Rejection> {
        if let Some(token) = request.headers.get(AUTHORIZATION).and_then(password) {
            request.headers.insert(AUTHORIZATION, token);
        }
        let address = request.extensions.get().map(|Peer(peer)| sender(*peer));
        // The programs of this machine share an address, so that a wrong token of one does not lock out the others.
        let is_limited = address.is_some_and(|address| self.wrong_tokens.is_limited(address));
        if is_limited && address.is_some_and(|address| !address.is_loopback()) {
            return Err(Rejection::Rate);
        }
        let is_given = request.headers.contains_key(AUTHORIZATION);
        match (self.decide(request).await, address) {
            (Err(Rejection::Token), Some(_)) if is_limited && is_given => Err(Rejection::Rate),
            (Err(Rejection::Token), Some(address)) if is_given => {
                self.wrong_tokens.add(address);
                Err(Rejection::Token)
            }
            (decision, _) => decision,
        }
    }

    async fn decide(&self, request: &mut Parts) -> Result<(), Rejection> {
        let header = request.headers.get(AUTHORIZATION);
        let has_header = header.is_some();
        match (&self.options.token, &self.options.authorization) {
            (None, None) => Ok(()),
            (Some(token), _) if token.matches_header(header.map(HeaderValue::as_bytes)) => {
                request.extensions.insert(Caller::Operator);
                Ok(())
            }
            (token, Some(host)) if has_header || token.is_none() => {
                host.check(request).await.map_err(|status| match status {
                    StatusCode::FORBIDDEN => Rejection::Scope,
                    _ => Rejection::Token,
                })
            }
            _ => Err(Rejection::Token),
        }
    }

    async fn answer(
        &self,
        request: Request,
        permit: Permit,
        busy: Option<BusyGuard>,
        next: Next,
    ) -> Response {
        let Permit {
            permit,
            session_permit,
        } = permit;
        let (is_stream, is_end) = (
            request.method() == Method::GET,
            request.method() == Method::DELETE,
        );
        let activity = session(request.headers()).and_then(|id| self.limiter.track(id));
        // A stream does not count as a request in progress, as it stays open.
        let answer = (!is_stream).then(|| (permit, self.shared.answers.token()));
        let response = next.run(request).await;
        if let (Some(activity), true) = (&activity, is_end && response.status().is_success()) {
            activity.forget();
        }
        if let (Some(session_permit), Some(id)) = (session_permit, session(response.headers())) {
            session_permit.assign(id);
        }
        let permits = (activity, answer, busy);
        response.map(|body| {
            Body::new(body.map_err(move |error| {
                // The body owns the permits until it is dropped.
                let _ = &permits;
                error
            }))
        })
    }

    fn count(&self, peer: Option<&Peer>) -> Result<(), Rejection> {
        let (Some(rates), Some(Peer(peer))) = (&self.rates, peer) else {
            return Ok(());
        };
        if rates.len() > ADDRESSES {
            rates.retain_recent();
        }
        rates.check_key(&sender(*peer)).map_err(|_| Rejection::Rate)
    }

    fn is_host_allowed(&self, request: &Parts) -> bool {
        let mut hosts = request.headers.get_all(HOST).iter();
        let (Some(host), None) = (
            hosts.next().and_then(|host| host.to_str().ok()),
            hosts.next(),
        ) else {
            return false;
        };
        self.is_allowed_name(host)
            && request
                .uri
                .authority()
                .is_none_or(|target| self.is_allowed_name(target.as_str()))
    }

    fn is_allowed_name(&self, host: &str) -> bool {
        // A colon in brackets is part of an IPv6 address.
        let name = match host.rsplit_once(':') {
            Some((name, port))
                if !port.contains(']') && port.bytes().all(|digit| digit.is_ascii_digit()) =>
            {
                name
            }
            _ => host,
        };
        self.options
            .hosts
            .iter()
            .any(|ours| ours.eq_ignore_ascii_case(host) || ours.eq_ignore_ascii_case(name))
    }

    fn is_origin_allowed(&self, headers: &HeaderMap) -> bool {
        let allowed = |origin: &HeaderValue| {
            self.options
                .origins
                .iter()
                .any(|ours| ours.as_bytes() == origin.as_bytes())
        };
        headers.get_all(ORIGIN).iter().all(allowed)
    }
}

struct Permit {
    permit: OwnedSemaphorePermit,
    session_permit: Option<SessionPermit>,
}

pub(super) fn sender(address: SocketAddr) -> IpAddr {
    match address.ip().to_canonical() {
        IpAddr::V6(ip) => Ipv6Addr::from_bits(ip.to_bits() & (u128::MAX << 64)).into(),
        ip => ip,
    }
}

pub(super) fn session(headers: &HeaderMap) -> Option<&str> {
    headers.get(SESSION)?.to_str().ok()
}

/// Returns the password of a browser as a bearer token.
fn password(header: &HeaderValue) -> Option<HeaderValue> {
    let (scheme, credentials) = header.to_str().ok()?.split_once(' ')?;
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    let credentials = String::from_utf8(STANDARD.decode(credentials.trim()).ok()?).ok()?;
    let (_, password) = credentials.split_once(':')?;
    HeaderValue::try_from(format!("Bearer {password}")).ok()
}

/// Returns whether a browser opens a page. It asks its user for a token.
fn is_page(request: &Parts) -> bool {
    let accepted = request.headers.get(ACCEPT);
    let accepted = accepted.and_then(|accepted| accepted.to_str().ok());
    request.method == Method::GET && accepted.is_some_and(|kinds| kinds.contains("text/html"))
}

fn may_begin_session(request: &Parts) -> bool {
    let version = request.headers.get("mcp-protocol-version");
    request.method == Method::POST
        && !request.headers.contains_key(SESSION)
        && version.is_none_or(|version| version.as_bytes() < WITHOUT_SESSIONS)
}

pub(super) async fn control_access(
    State(control): State<Arc<AccessControl>>,
    request: Request,
    next: Next,
) -> Response {
    let id = control.count.fetch_add(1, Ordering::Relaxed);
    let began = Instant::now();
    let span =
        tracing::info_span!("request", id, method = %request.method(), path = request.uri().path());
    async {
        let metrics = &control.shared.metrics;
        let (mut request, body) = request.into_parts();
        let slot = request.extensions.remove::<ConnectionSlot>();
        let busy = slot.as_ref().map(ConnectionSlot::busy);
        let mut response = match control.admit(&mut request).await {
            Ok(permit) => {
                slot.iter().for_each(ConnectionSlot::set_authorized);
                // No handler can log the token.
                request.headers.remove(AUTHORIZATION);
                request.extensions.insert(RequestNumber(id));
                let request = Request::from_parts(request, body);
                control.answer(request, permit, busy, next).await
            }
            Err(refused) => {
                metrics.refused(refused);
                tracing::info!(reason = %refused, "refused");
                let mut response = refused.into_response();
                if let (Rejection::Token | Rejection::Scope, Some(challenge)) =
                    (refused, &control.options.challenge)
                {
                    let header = challenge.header(&request, response.status());
                    response.headers_mut().insert(WWW_AUTHENTICATE, header);
                }
                let has_pages = control.options.authorization.is_some();
                if refused == Rejection::Token && has_pages && is_page(&request) {
                    let headers = response.headers_mut();
                    headers.append(WWW_AUTHENTICATE, PASSWORD);
                }
                response
            }
        };
        metrics.answered(response.status(), began.elapsed());
        tracing::info!(
            status = response.status().as_u16(),
            micros = began.elapsed().as_micros() as u64,
            "answered"
        );
        response
            .headers_mut()
            .insert("x-request-id", HeaderValue::from(id));
        response
    }
    .instrument(span)
    .await
}

pub(super) async fn limit_public(
    State(control): State<Arc<AccessControl>>,
    request: Request,
    next: Next,
) -> Response {
    let mut response = match control.count(request.extensions().get()) {
        Ok(()) => next.run(request).await,
        Err(refused) => {
            control.shared.metrics.refused(refused);
            refused.into_response()
        }
    };
    response.headers_mut().insert(CONNECTION, CLOSE);
    response
}

const CLOSE: HeaderValue = HeaderValue::from_static("close");

/// The request for a user and a password, of which the password is a token.
const PASSWORD: HeaderValue =
    HeaderValue::from_static("Basic realm=\"repertoire\", charset=\"UTF-8\"");

/// The type of an error by RFC 9457.
const PROBLEM: HeaderValue = HeaderValue::from_static("application/problem+json");

impl IntoResponse for Rejection {
    fn into_response(self) -> Response {
        let (status, says) = match self {
            Rejection::Host => (StatusCode::FORBIDDEN, "this host is not allowed"),
            Rejection::Origin => (StatusCode::FORBIDDEN, "this origin is not allowed"),
            Rejection::Token => (StatusCode::UNAUTHORIZED, "a token is required"),
            Rejection::Scope => (StatusCode::FORBIDDEN, "the token does not allow this"),
            Rejection::Rate => (StatusCode::TOO_MANY_REQUESTS, "too many requests"),
            Rejection::Sessions => (StatusCode::SERVICE_UNAVAILABLE, "too many sessions"),
            Rejection::Requests => (StatusCode::SERVICE_UNAVAILABLE, "too many requests at once"),
            Rejection::Ending => (StatusCode::SERVICE_UNAVAILABLE, "the server is ending"),
        };
        let problem = serde_json::json!({
            "type": "about:blank",
            "title": status.canonical_reason(),
            "status": status.as_u16(),
            "detail": says,
        });
        let mut response = (status, problem.to_string()).into_response();
        response.headers_mut().insert(CONTENT_TYPE, PROBLEM);
        if matches!(
            self,
            Rejection::Host | Rejection::Origin | Rejection::Token | Rejection::Rate
        ) {
            // A rejected client keeps no connection.
            response.headers_mut().insert(CONNECTION, CLOSE);
        }
        let (name, value) = match status {
            StatusCode::UNAUTHORIZED => (WWW_AUTHENTICATE, "Bearer"),
            StatusCode::FORBIDDEN => return response,
            _ => (RETRY_AFTER, "1"),
        };
        response
            .headers_mut()
            .insert(name, HeaderValue::from_static(value));
        response
    }
}
