//! Warnings about a body.

use std::fmt;

use repertoire_core::ResourcePath;

use crate::UnknownDialect;

/// A warning for the author of a body, which is rendered in spite of it. Lines count from 1, in the body.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Warning {
    /// The front matter names an unknown dialect.
    UnknownDialect(UnknownDialect),
    /// A text begins like a script directive and is malformed; it is unchanged.
    NoScript {
        /// The line.
        line: usize,
        /// The error in it.
        reason: &'static str,
    },
    /// A text begins like a command and spans several lines; it is unchanged.
    ManyLines {
        /// The line.
        line: usize,
    },
    /// The variable is unknown, and was removed.
    UnknownVariable {
        /// The line.
        line: usize,
        /// The name of the variable.
        name: String,
    },
    /// The host has no value for a built-in variable; it is unchanged.
    NoValue {
        /// The line.
        line: usize,
        /// The name of the variable.
        name: String,
    },
    /// There is no argument of this number; the placeholder is unchanged.
    MissingArgument {
        /// The line.
        line: usize,
        /// The placeholder.
        placeholder: String,
    },
    /// A script ended with exit code 0 and printed nothing, so the text has nothing in its place.
    NoOutput {
        /// The line of the directive.
        line: usize,
        /// The script.
        path: ResourcePath,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Warning::UnknownDialect(error) => write!(f, "`argument-dialect`: {error}"),
            Warning::NoScript { line, reason } => write!(f, "line {line}: malformed script directive: {reason}"),
            Warning::ManyLines { line } => {
                write!(
                    f,
                    "line {line}: a command in backticks spans several lines; use a fence with the info string `!`"
                )
            }
            Warning::UnknownVariable { line, name } => write!(f, "line {line}: unknown variable `{name}`"),
            Warning::NoValue { line, name } => write!(f, "line {line}: there is no value for `{name}` here"),
            Warning::MissingArgument { line, placeholder } => {
                write!(f, "line {line}: there is no argument for `{placeholder}`")
            }
            Warning::NoOutput { line, path } => {
                write!(f, "line {line}: script `{path}` printed nothing to standard output")
            }
        }
    }
}
