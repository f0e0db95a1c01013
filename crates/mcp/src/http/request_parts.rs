//! The parts of the HTTP request that brought a message.

use axum::http::request::Parts;
use rmcp::model::Extensions;
use tracing::Span;

#[derive(Debug, Clone, Copy)]
pub(super) struct RequestNumber(pub(super) u64);

pub(crate) fn span_of(message: &Extensions) -> Span {
    extension(message).map_or_else(Span::none, |RequestNumber(id)| {
        tracing::info_span!("request", id)
    })
}

/// Returns `true` for a message that came over HTTP.
pub(crate) fn is_http(message: &Extensions) -> bool {
    message.get::<Parts>().is_some()
}

pub(crate) fn extension<T: Send + Sync + 'static>(message: &Extensions) -> Option<&T> {
    message.get::<Parts>()?.extensions.get()
}
