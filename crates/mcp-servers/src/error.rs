//! Errors of connections, and parts of their messages.

use std::error::Error;
use std::time::Duration;

use repertoire_core::{SourceError, SourceErrorKind};
use rmcp::service::ClientInitializeError;
use rmcp::transport::streamable_http_client::StreamableHttpError;

use crate::message_limit::ConnectionFault;
use crate::program::ServerProcess;
use crate::redaction::Redaction;

pub(crate) fn unavailable(message: impl Into<String>) -> SourceError {
    SourceError::new(SourceErrorKind::Unavailable, message)
}

pub(crate) fn too_large(message: impl Into<String>) -> SourceError {
    SourceError::new(SourceErrorKind::TooLarge, message)
}

fn timeout_error(time: Duration) -> SourceError {
    let message = format!("the server has not answered within {}", seconds(time));
    unavailable(message)
}

pub(crate) fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f32())
}

/// Returns the error of a transport, with its causes in the message.
pub(crate) fn transport_error(
    error: &(dyn Error + Send + Sync + 'static),
    redaction: &Redaction,
) -> SourceError {
    match error.downcast_ref::<StreamableHttpError<reqwest::Error>>() {
        Some(StreamableHttpError::ResponseBodyTooLarge { max_size }) => too_large(format!(
            "an answer has more than {max_size} bytes; the limit is `limits.message-bytes`"
        )),
        Some(StreamableHttpError::AuthRequired(_) | StreamableHttpError::InsufficientScope(_)) => {
            SourceError::new(SourceErrorKind::Denied, "the server rejects the token")
        }
        // Only the causes say what went wrong.
        Some(StreamableHttpError::Client(error)) => {
            unavailable(redaction.excerpt(&error_chain(error)))
        }
        _ => unavailable(redaction.excerpt(&error_chain(error))),
    }
}

/// Returns whether the error means that the connection has to be made again.
pub(crate) fn is_lost(error: &(dyn Error + Send + Sync + 'static)) -> bool {
    match error.downcast_ref::<StreamableHttpError<reqwest::Error>>() {
        Some(StreamableHttpError::Client(error)) => error.is_connect(),
        Some(StreamableHttpError::SessionExpired) | None => true,
        Some(_) => false,
    }
}

fn error_chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        let below = cause.to_string();
        if !text.contains(&below) {
            text = format!("{text}: {below}");
        }
        next = cause.source();
    }
    text
}

/// The reason for which a request has no result.
pub(crate) enum AskError {
    Timeout(Duration),
    /// The connection has ended.
    Closed(SourceError),
    /// An error of the server, or an answer that cannot be used.
    Answer(SourceError),
}

impl From<AskError> for SourceError {
    fn from(error: AskError) -> SourceError {
        match error {
            AskError::Timeout(limit) => timeout_error(limit),
            AskError::Closed(error) | AskError::Answer(error) => error,
        }
    }
}

pub(crate) enum ConnectError {
    Handshake(SourceError),
    Other(SourceError),
}

pub(crate) async fn handshake_error(
    error: ClientInitializeError,
    program: Option<&ServerProcess>,
    fault: &ConnectionFault,
    redaction: &Redaction,
) -> ConnectError {
    match error {
        ClientInitializeError::JsonRpcError(error) => {
            let message = redaction.excerpt(&error.message);
            let message = format!("the server refuses the connection: {message}");
            ConnectError::Handshake(unavailable(message))
        }
        ClientInitializeError::ConnectionClosed(_) => {
            ConnectError::Other(closed_error(program, fault).await)
        }
        _ if fault.message().is_some() => ConnectError::Other(closed_error(program, fault).await),
        ClientInitializeError::TransportError { error, .. } => {
            ConnectError::Other(transport_error(error.error.as_ref(), redaction))
        }
        other => {
            let message = redaction.excerpt(&other.to_string());
            ConnectError::Other(unavailable(format!("no connection: {message}")))
        }
    }
}

pub(crate) async fn closed_error(
    program: Option<&ServerProcess>,
    fault: &ConnectionFault,
) -> SourceError {
    if let Some(fault) = fault.message() {
        return too_large(fault);
    }
    let words = match program {
        Some(program) => program.stderr_tail().await,
        None => None,
    };
    let tail = words
        .map(|words| format!("; the last line of its standard error: {words}"))
        .unwrap_or_default();
    unavailable(format!("the server closed the connection{tail}"))
}
