//! The error of this crate.

/// The error of a server that cannot serve, of a connection that failed, or of an option that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The client did not complete `initialize`.
    #[error("no MCP client connected")]
    Initialize(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// A task of the connection panicked or was cancelled.
    #[error("the connection failed")]
    Ended(#[source] tokio::task::JoinError),
    /// Other machines could connect, and no token is required.
    #[error("`{0}` can be reached from other machines, and no token is required")]
    NoToken(std::net::SocketAddr),
    /// The listener cannot be used.
    #[error("cannot listen")]
    Listen(#[source] std::io::Error),
    /// A text that is not a set of features or not a token.
    #[error("{0}")]
    InvalidOption(String),
}
