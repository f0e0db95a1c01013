//! The reason why a candidate lost.

use std::fmt;
use std::sync::Arc;

use serde::Serialize;

use crate::{Status, Tier};

/// The reason why a candidate lost its id to another one. The variants come in the order in which they decide.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Reason {
    /// The loser is pending or disabled, and the winner is not.
    Status {
        /// The source of the loser.
        source: Arc<str>,
        /// The status of the loser.
        status: Status,
    },
    /// The winner is preferred.
    Preference {
        /// The source of the winner.
        source: Arc<str>,
    },
    /// The winner is of an earlier tier.
    Tier {
        /// The tier of the winner.
        won: Tier,
        /// The tier of the loser.
        lost: Tier,
    },
    /// The id is in the namespace of the winner.
    Namespace {
        /// The source of the winner.
        source: Arc<str>,
    },
    /// The winner was composed first.
    Position {
        /// The source of the winner.
        won: Arc<str>,
        /// The source of the loser.
        lost: Arc<str>,
    },
    /// One source has both, and the loser writes the prefix of its namespace itself.
    Prefix {
        /// The source of both.
        source: Arc<str>,
    },
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Status { source, status: Status::Pending } => write!(f, "`{source}` waits for admission"),
            Reason::Status { source, status } => write!(f, "the one from `{source}` is {status}"),
            Reason::Preference { source } => write!(f, "`{source}` is preferred for this id"),
            Reason::Tier { won, lost } => write!(f, "the {lost} tier comes after the {won} tier"),
            Reason::Namespace { source } => write!(f, "ids that begin with `{source}:` belong to `{source}`"),
            Reason::Position { won, lost } => write!(f, "`{lost}` is composed after `{won}`"),
            Reason::Prefix { source } => write!(f, "it writes the prefix `{source}:` itself"),
        }
    }
}
