//! Options of a server over HTTP.

use std::fmt;
use std::net::Ipv6Addr;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode};
use futures_util::future::BoxFuture;
use subtle::ConstantTimeEq;

use crate::error::ServeError;

/// Options of a server over HTTP. By default it answers programs of this machine, within generous limits.
#[derive(Debug, Clone)]
pub struct HttpOptions {
    pub(super) token: Option<AccessToken>,
    pub(super) authorization: Option<AuthorizationCheck>,
    pub(super) hosts: Vec<String>,
    pub(super) origins: Vec<String>,
    pub(super) limits: HttpLimits,
    pub(super) drain: Duration,
    pub(super) routes: axum::Router,
    pub(super) public_routes: axum::Router,
    pub(super) challenge: Option<HostChallenge>,
    pub(super) readiness: Option<ReadinessCheck>,
    pub(super) metrics: Option<HostMetrics>,
}

/// A check of the host that decides about requests without the token.
#[derive(Clone)]
pub(super) struct AuthorizationCheck(Arc<AuthorizationFn>);

type AuthorizationFn =
    dyn for<'p> Fn(&'p mut Parts) -> BoxFuture<'p, Result<(), StatusCode>> + Send + Sync;

impl AuthorizationCheck {
    pub(super) async fn check(&self, request: &mut Parts) -> Result<(), StatusCode> {
        (self.0)(request).await
    }
}

impl fmt::Debug for AuthorizationCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AuthorizationCheck")
    }
}

/// The function of the host that returns the header `WWW-Authenticate`.
#[derive(Clone)]
pub(super) struct HostChallenge(Arc<ChallengeFn>);

type ChallengeFn = dyn Fn(&Parts, StatusCode) -> HeaderValue + Send + Sync;

impl HostChallenge {
    pub(super) fn header(&self, request: &Parts, status: StatusCode) -> HeaderValue {
        (self.0)(request, status)
    }
}

impl fmt::Debug for HostChallenge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HostChallenge")
    }
}

/// A check of the host that decides whether `/readyz` says that the server is ready.
#[derive(Clone)]
pub(super) struct ReadinessCheck(Arc<dyn Fn() -> Result<(), &'static str> + Send + Sync>);

impl ReadinessCheck {
    /// Returns an error with the reason if the host is not ready.
    pub(super) fn check(&self) -> Result<(), &'static str> {
        (self.0)()
    }
}

impl fmt::Debug for ReadinessCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ReadinessCheck")
    }
}

/// The metrics of the host, which `/metrics` shows after those of the server.
#[derive(Clone)]
pub(super) struct HostMetrics(Arc<dyn Fn() -> String + Send + Sync>);

impl HostMetrics {
    pub(super) fn text(&self) -> String {
        (self.0)()
    }
}

impl fmt::Debug for HostMetrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HostMetrics")
    }
}

/// The limits of clients. A request that exceeds one is answered with a status that says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct HttpLimits {
    /// The maximum size of a request body in bytes. Default 1 MiB.
    pub body: usize,
    /// Connections at once. Default 4096, and less if the process may have fewer descriptors open. Beyond that an idle connection is
    /// closed. If none is idle, the new one is rejected. One address, or one IPv6 network (/64), may have three quarters of them.
    pub connections: usize,
    /// Requests in progress at once. Default 1024.
    pub requests: usize,
    /// The maximum number of concurrent sessions. Default 2048. Beyond that a session ends: one that never sent a request, or the one that was idle for
    /// longest, and for a minute at least.
    pub sessions: usize,
    /// The time after which an idle session ends. Default one hour.
    pub idle: Duration,
    /// The time limit for the head of a request, for its body, and for an idle connection. Default ten seconds.
    pub head: Duration,
    /// Requests of one address, or of one IPv6 network, in a second, with bursts of twice as many. `None`, the default, is no limit.
    pub rate: Option<NonZeroU32>,
}

impl Default for HttpLimits {
    fn default() -> HttpLimits {
        HttpLimits {
            body: 1 << 20,
            connections: 4096,
            requests: 1024,
            sessions: 2048,
            idle: Duration::from_secs(3600),
            head: Duration::from_secs(10),
            rate: None,
        }
    }
}

impl Default for HttpOptions {
    fn default() -> HttpOptions {
        HttpOptions {
            token: None,
            authorization: None,
            hosts: ["localhost", "127.0.0.1", "[::1]"]
                .map(str::to_owned)
                .to_vec(),
            origins: Vec::new(),
            limits: HttpLimits::default(),
            drain: Duration::from_secs(5),
            routes: axum::Router::new(),
            public_routes: axum::Router::new(),
            challenge: None,
            readiness: None,
            metrics: None,
        }
    }
}

impl HttpOptions {
    /// Serves these routes too, behind the same checks. Their paths must differ from those of the server.
    #[cfg(feature = "axum")]
    #[must_use]
    pub fn routes(mut self, routes: axum::Router) -> HttpOptions {
        self.routes = routes;
        self
    }

    /// Serves these routes to clients without a token too, within the rate of their address. Their paths must differ from all others.
    #[cfg(feature = "axum")]
    #[doc(hidden)]
    #[must_use]
    pub fn public_routes(mut self, routes: axum::Router) -> HttpOptions {
        self.public_routes = routes;
        self
    }

    /// Sets the header `WWW-Authenticate` of answers with the status 401 or 403 to requests that a check refused. Default: `Bearer`
    /// for 401.
    #[doc(hidden)]
    #[must_use]
    pub fn challenge(
        mut self,
        header: impl Fn(&Parts, StatusCode) -> HeaderValue + Send + Sync + 'static,
    ) -> HttpOptions {
        self.challenge = Some(HostChallenge(Arc::new(header)));
        self
    }

    /// Sets a check that decides whether `/readyz` says that the server is ready. An error has the reason in a word.
    #[must_use]
    pub fn readiness(
        mut self,
        check: impl Fn() -> Result<(), &'static str> + Send + Sync + 'static,
    ) -> HttpOptions {
        self.readiness = Some(ReadinessCheck(Arc::new(check)));
        self
    }

    /// Sets metrics of the host, which `/metrics` shows after those of the server: families in the OpenMetrics text format, without
    /// the last line `# EOF`.
    #[must_use]
    pub fn metrics(mut self, text: impl Fn() -> String + Send + Sync + 'static) -> HttpOptions {
        self.metrics = Some(HostMetrics(Arc::new(text)));
        self
    }

    /// Requires this token of every client.
    #[must_use]
    pub fn token(mut self, token: AccessToken) -> HttpOptions {
        self.token = Some(token);
        self
    }

    /// Decides with `check` about each request that does not have the [token](HttpOptions::token): one with a different token, and
    /// one without any if no token is set. An error is the status of the answer, 401 or 403.
    ///
    /// The check may add extensions for routes and tools. An address that sent 60 wrong tokens within a minute gets 429.
    #[must_use]
    pub fn authorize(
        mut self,
        check: impl for<'p> Fn(&'p mut Parts) -> BoxFuture<'p, Result<(), StatusCode>>
        + Send
        + Sync
        + 'static,
    ) -> HttpOptions {
        self.authorization = Some(AuthorizationCheck(Arc::new(check)));
        self
    }

    /// Returns whether a [token](HttpOptions::token) is set.
    #[doc(hidden)]
    pub fn has_token(&self) -> bool {
        self.token.is_some()
    }

    /// Adds a host that requests may be for, e.g. `skills.example` or `skills.example:8080`. A host without a port matches any port.
    ///
    /// The names of this machine are always allowed. All other hosts are rejected, as a name of a different site can resolve to this
    /// machine (DNS rebinding).
    #[must_use]
    pub fn host(mut self, host: impl Into<String>) -> HttpOptions {
        let host = host.into();
        // A `Host` header has IPv6 addresses in brackets.
        self.hosts.push(if host.parse::<Ipv6Addr>().is_ok() {
            format!("[{host}]")
        } else {
            host
        });
        self
    }

    /// Adds an origin whose pages are answered, e.g. `https://app.example`. By default no page is.
    #[must_use]
    pub fn origin(mut self, origin: impl Into<String>) -> HttpOptions {
        self.origins.push(origin.into());
        self
    }

    /// Sets the limits.
    #[must_use]
    pub fn limits(mut self, limits: HttpLimits) -> HttpOptions {
        self.limits = limits;
        self
    }

    /// Sets the time in which requests in progress are answered after the end. Default five seconds.
    #[must_use]
    pub fn drain(mut self, time: Duration) -> HttpOptions {
        self.drain = time;
        self
    }
}

/// A token that clients send as `Authorization: Bearer TOKEN`. It is compared in constant time and never printed.
///
/// ```
/// use repertoire_mcp::AccessToken;
///
/// assert!(AccessToken::new("correct-horse-battery").is_ok());
/// assert!(AccessToken::new("short").is_err());
/// ```
#[derive(Clone)]
pub struct AccessToken(Arc<str>);

impl AccessToken {
    /// Creates a token from the trimmed `text`.
    ///
    /// # Errors
    /// [`ServeError::InvalidOption`] for a text that is too short, or that a header cannot contain.
    pub fn new(text: &str) -> Result<AccessToken, ServeError> {
        let text = text.trim();
        let is_strong = text.len() >= 16 && text.bytes().all(|byte| byte.is_ascii_graphic());
        match is_strong {
            true => Ok(AccessToken(text.into())),
            false => Err(ServeError::InvalidOption(
                "the token must be at least 16 printable ASCII characters".to_owned(),
            )),
        }
    }

    pub(super) fn matches_header(&self, header: Option<&[u8]>) -> bool {
        let given = header.and_then(|header| {
            let (scheme, token) = header.split_at_checked("Bearer ".len())?;
            scheme.eq_ignore_ascii_case(b"Bearer ").then_some(token)
        });
        given.is_some_and(|given| given.ct_eq(self.0.as_bytes()).into())
    }
}

impl fmt::Debug for AccessToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AccessToken(..)")
    }
}

#[cfg(test)]
mod tests;
