//! What the author of a body should know.

use std::fmt;

use repertoire_core::ResourcePath;

use crate::UnknownDialect;

/// What the author of a body should know; it was rendered nevertheless. Lines count from 1, in the body.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Warning {
    /// The front matter names no dialect that there is.
    UnknownDialect(UnknownDialect),
    /// What begins as a script directive is none; it stays as it is.
    NoScript {
        /// Where.
        line: usize,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// What begins as a command goes over several lines; it stays as it is.
    ManyLines {
        /// Where.
        line: usize,
    },
    /// Nobody knows the variable; nothing is in its place.
    UnknownVariable {
        /// Where.
        line: usize,
        /// Its name.
        name: String,
    },
    /// The host has no value for a built-in variable; it stays as it is.
    NoValue {
        /// Where.
        line: usize,
        /// Its name.
        name: String,
    },
    /// There is no argument of this number; the placeholder stays as it is.
    MissingArgument {
        /// Where.
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
            Warning::NoScript { line, reason } => write!(f, "line {line}: no script directive: {reason}"),
            Warning::ManyLines { line } => {
                write!(f, "line {line}: no command: it goes over several lines; a fence with the info string `!` may")
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
