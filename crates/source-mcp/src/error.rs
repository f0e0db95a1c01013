//! Errors of a server, and parts of their messages.

use std::time::Duration;

use repertoire_core::{SourceError, SourceErrorKind};

pub(crate) fn unavailable(message: String) -> SourceError {
    SourceError::new(SourceErrorKind::Unavailable, message)
}

pub(crate) fn too_large(message: impl Into<String>) -> SourceError {
    SourceError::new(SourceErrorKind::TooLarge, message)
}

/// Returns text of a server for a message: one line of at most 200 characters, with hidden characters as escapes.
pub(crate) fn excerpt(text: &str) -> String {
    repertoire_core::text::excerpt(text, 200)
}

pub(crate) fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f32())
}
