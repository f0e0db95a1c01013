//! An error in full.

use std::error::Error;

/// An error and its causes, from the outermost to the first, with colons between: what a person is told at the end.
///
/// ```
/// use repertoire_core::{SourceError, with_causes};
///
/// let error = SourceError::invalid("the list cannot be read").caused_by("line 3 is no JSON");
/// assert_eq!(with_causes(&error), "the list cannot be read: line 3 is no JSON");
/// ```
pub fn with_causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(&format!(": {error}"));
        cause = error.source();
    }
    text
}
