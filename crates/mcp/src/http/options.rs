//! How a server serves over HTTP.

use std::fmt;
use std::net::Ipv6Addr;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use subtle::ConstantTimeEq;

/// How a server serves over HTTP: by default for programs of this machine alone, within limits that none of them meets.
#[derive(Debug, Clone)]
pub struct HttpOptions {
    pub(super) token: Option<Token>,
    pub(super) hosts: Vec<String>,
    pub(super) origins: Vec<String>,
    pub(super) limits: Limits,
    pub(super) drain: Duration,
}

/// Bounds on what clients may ask for. Every one of them is answered by a status that says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes of one request. Default 1 MiB: what clients send is short.
    pub body: usize,
    /// Connections at once, and never more than the process may have open with some files beside. Default 4096. Beyond that an idle
    /// connection makes place; where none is idle, who comes is turned away.
    pub connections: usize,
    /// Connections of one address, or of one network of IPv6. Default 3072, so that no address has all of them.
    pub connections_of_one: usize,
    /// Requests that are answered at once. Default 1024.
    pub requests: usize,
    /// Sessions at once. Default 2048. Beyond that the session whose client never asked for anything, or was silent for longest and for a
    /// minute at least, makes place.
    pub sessions: usize,
    /// How long a session may be silent before it is ended. Default an hour.
    pub idle: Duration,
    /// How long a client may take to send the head of a request, and then its body; so long a connection may be idle. Default ten seconds.
    pub head: Duration,
    /// Requests of one address, or of one network of IPv6, in a second, of which it may send twice as many at once; `None`, the default, for any number.
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
    /// Asks every client for this token.
    #[must_use]
    pub fn token(mut self, token: Token) -> HttpOptions {
        self.token = Some(token);
        self
    }

    /// Also answers requests to this host, as in `skills.example` or `skills.example:8080`; without a port, to any. Those to
    /// the names of this machine are always answered, all others never: a name that leads here need not be ours.
    #[must_use]
    pub fn host(mut self, host: impl Into<String>) -> HttpOptions {
        let host = host.into();
        // An address of IPv6 is between brackets there.
        self.hosts.push(if host.parse::<Ipv6Addr>().is_ok() { format!("[{host}]") } else { host });
        self
    }

    /// Also answers pages of this origin, as in `https://app.example`. Without any, no page in a browser is answered.
    #[must_use]
    pub fn origin(mut self, origin: impl Into<String>) -> HttpOptions {
        self.origins.push(origin.into());
        self
    }

    /// Other limits.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> HttpOptions {
        self.limits = limits;
        self
    }

    /// How long what was asked may take to be answered, once the server is to end. Five seconds by default.
    #[must_use]
    pub fn drain(mut self, time: Duration) -> HttpOptions {
        self.drain = time;
        self
    }
}

/// What clients prove themselves with: `Authorization: Bearer TOKEN`. Compared in constant time, and quoted to nobody.
#[derive(Clone)]
pub struct Token(Arc<str>);

/// A text that is no [`Token`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a token is at least 16 visible characters of ASCII")]
pub struct WeakToken;

impl Token {
    /// The token in `text`, blanks around it aside.
    ///
    /// # Errors
    /// [`WeakToken`] for one that is guessed too easily, or that no header can hold.
    pub fn new(text: &str) -> Result<Token, WeakToken> {
        let text = text.trim();
        let is_strong = text.len() >= 16 && text.bytes().all(|byte| byte.is_ascii_graphic());
        if is_strong { Ok(Token(text.into())) } else { Err(WeakToken) }
    }

    pub(super) fn is_proven_by(&self, header: Option<&[u8]>) -> bool {
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
