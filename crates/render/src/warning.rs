//! Warnings about a body.

use std::fmt;

use repertoire_core::ResourcePath;

/// A warning for the author of a body, which is rendered in spite of it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Warning {
    /// The line of the body, from 1; `None` for the front matter.
    pub line: Option<usize>,
    /// The kind of the warning, and its subject.
    pub kind: WarningKind,
}

/// The kind of a [`Warning`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WarningKind {
    /// The front matter names an unknown dialect.
    #[error("`argument-dialect`: {0}")]
    UnknownDialect(crate::RenderError),
    /// A text begins like a script directive and is malformed; it is unchanged.
    #[error("malformed script directive: {0}")]
    MalformedScript(&'static str),
    /// A text begins like a command and spans several lines; it is unchanged.
    #[error("a command in backticks spans several lines; use a fence with the info string `!`")]
    MultilineCommand,
    /// The variable is unknown, and was removed.
    #[error("unknown variable `{0}`")]
    UnknownVariable(String),
    /// The host has no value for a built-in variable; it is unchanged.
    #[error("there is no value for `{0}` here")]
    NoValue(String),
    /// There is no argument of this number; the placeholder is unchanged.
    #[error("there is no argument for `{0}`")]
    MissingArgument(String),
    /// A script ended with exit code 0 and printed nothing, so the text has nothing in its place.
    #[error("script `{0}` printed nothing to standard output")]
    NoOutput(ResourcePath),
}

impl Warning {
    pub(crate) fn new(line: usize, kind: WarningKind) -> Warning {
        Warning { line: Some(line), kind }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        self.kind.fmt(f)
    }
}
