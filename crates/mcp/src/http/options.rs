//! Options of a server over HTTP.

use std::fmt;
use std::net::Ipv6Addr;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use subtle::ConstantTimeEq;

/// Options of a server over HTTP. By default it answers programs of this machine, within generous limits.
#[derive(Debug, Clone)]
pub struct HttpOptions {
    pub(super) token: Option<Token>,
    pub(super) hosts: Vec<String>,
    pub(super) origins: Vec<String>,
    pub(super) limits: Limits,
    pub(super) drain: Duration,
}

/// Limits of clients. A request that exceeds one is answered with a status that says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes of one request body. Default 1 MiB.
    pub body: usize,
    /// Connections at once. Default 4096, and less if the process may have fewer descriptors open. Beyond that an idle connection is
    /// closed. If none is idle, the new one is rejected.
    pub connections: usize,
    /// Connections of one address, or of one IPv6 network (/64). Default 3072, so that one address cannot take all.
    pub connections_of_one: usize,
    /// Requests in progress at once. Default 1024.
    pub requests: usize,
    /// Sessions at once. Default 2048. Beyond that a session ends: one that never sent a request, or the one that was idle for
    /// longest, and for a minute at least.
    pub sessions: usize,
    /// The time after which an idle session ends. Default one hour.
    pub idle: Duration,
    /// The time limit for the head of a request, for its body, and for an idle connection. Default ten seconds.
    pub head: Duration,
    /// Requests of one address, or of one IPv6 network, in a second, with bursts of twice as many. `None`, the default, is no limit.
    pub rate: Option<NonZeroU32>,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            body: 1 << 20,
            connections: 4096,
            connections_of_one: 3072,
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
            hosts: ["localhost", "127.0.0.1", "[::1]"].map(str::to_owned).to_vec(),
            origins: Vec::new(),
            limits: Limits::default(),
            drain: Duration::from_secs(5),
        }
    }
}

impl HttpOptions {
    /// Requires this token of every client.
    #[must_use]
    pub fn token(mut self, token: Token) -> HttpOptions {
        self.token = Some(token);
        self
    }

    /// Adds a host that requests may be for, e.g. `skills.example` or `skills.example:8080`. A host without a port matches any port.
    ///
    /// The names of this machine are always allowed. All other hosts are rejected, as a name of a different site can resolve to this
    /// machine (DNS rebinding).
    #[must_use]
    pub fn host(mut self, host: impl Into<String>) -> HttpOptions {
        let host = host.into();
        // A `Host` header has IPv6 addresses in brackets.
        self.hosts.push(if host.parse::<Ipv6Addr>().is_ok() { format!("[{host}]") } else { host });
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
    pub fn limits(mut self, limits: Limits) -> HttpOptions {
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
#[derive(Clone)]
pub struct Token(Arc<str>);

/// The error of a text that cannot be a [`Token`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a token is at least 16 visible characters of ASCII")]
pub struct WeakToken;

impl Token {
    /// Creates a token from the trimmed `text`.
    ///
    /// # Errors
    /// [`WeakToken`] for a text that is guessed too easily, or that no header can hold.
    pub fn new(text: &str) -> Result<Token, WeakToken> {
        let text = text.trim();
        let is_strong = text.len() >= 16 && text.bytes().all(|byte| byte.is_ascii_graphic());
        if is_strong { Ok(Token(text.into())) } else { Err(WeakToken) }
    }

    pub(super) fn matches_header(&self, header: Option<&[u8]>) -> bool {
        let given = header.and_then(|header| {
            let (scheme, token) = header.split_at_checked("Bearer ".len())?;
            scheme.eq_ignore_ascii_case(b"Bearer ").then_some(token)
        });
        given.is_some_and(|given| given.ct_eq(self.0.as_bytes()).into())
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(..)")
    }
}

#[cfg(test)]
mod tests;
