//! Warnings about a body.

use std::fmt;

/// A warning for the author of a body. The body is still rendered.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Warning {
    /// The line of the body, from 1; `None` for the front matter.
    pub line: Option<usize>,
    /// The message, without the line.
    pub message: String,
}

impl Warning {
    pub(crate) fn new(line: usize, message: String) -> Warning {
        Warning {
            line: Some(line),
            message,
        }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}
