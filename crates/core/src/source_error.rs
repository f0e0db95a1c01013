//! Errors of sources.

use std::error::Error;

use crate::{Id, InvalidValue};

/// The kind of a [`SourceError`], for callers that branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SourceErrorKind {
    /// No such item or resource.
    NotFound,
    /// The source has nothing of the kind asked for.
    Unsupported,
    /// Not permitted by the operating system or by a boundary of the source.
    Denied,
    /// Cannot be reached now; may work later.
    Unavailable,
    /// Larger than a limit.
    TooLarge,
    /// The content cannot be understood.
    Invalid,
    /// Anything else.
    Other,
}

/// The error returned by a source: an opaque message, a kind and a cause.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct SourceError {
    kind: SourceErrorKind,
    message: String,
    #[source]
    cause: Option<Box<dyn Error + Send + Sync>>,
}

impl SourceError {
    /// Creates an error of `kind`. The message says what failed and what was expected; lower case, no final dot.
    pub fn new(kind: SourceErrorKind, message: impl Into<String>) -> SourceError {
        SourceError {
            kind,
            message: message.into(),
            cause: None,
        }
    }

    /// Creates the error of a source without an item of `kind` called `id`.
    pub fn not_found(kind: &str, id: &Id) -> SourceError {
        SourceError::new(SourceErrorKind::NotFound, format!("no {kind} `{id}`"))
    }

    /// Creates the error of content that cannot be read.
    pub fn invalid(message: impl Into<String>) -> SourceError {
        SourceError::new(SourceErrorKind::Invalid, message)
    }

    /// Creates the error of a source that has `id`, but no `what` of it, such as resources.
    pub fn unsupported(kind: &str, id: &Id, what: &str) -> SourceError {
        let message = format!("the source of {kind} `{id}` has no {what}");
        SourceError::new(SourceErrorKind::Unsupported, message)
    }

    /// Adds the cause, which [`Error::source`] returns.
    #[must_use]
    pub fn caused_by(mut self, cause: impl Into<Box<dyn Error + Send + Sync>>) -> SourceError {
        self.cause = Some(cause.into());
        self
    }

    /// Returns the kind.
    pub fn kind(&self) -> SourceErrorKind {
        self.kind
    }
}

impl From<InvalidValue> for SourceError {
    fn from(error: InvalidValue) -> SourceError {
        SourceError::invalid(error.to_string())
    }
}

/// Returns an error and its causes, from the outermost to the first, with colons between.
///
/// ```
/// use repertoire_core::{SourceError, error_chain};
///
/// let error = SourceError::invalid("the list cannot be read").caused_by("line 3 is no JSON");
/// assert_eq!(error_chain(&error), "the list cannot be read: line 3 is no JSON");
/// ```
pub fn error_chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(&format!(": {error}"));
        cause = error.source();
    }
    text
}
