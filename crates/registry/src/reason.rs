//! The reason why a candidate lost.

use std::fmt;
use std::sync::Arc;

use crate::{Status, Tier};

/// The reason why a candidate lost its id to another one. The variants come in the order in which they decide.
#[derive(Debug)]
pub(crate) enum Reason {
    /// The loser is pending or disabled, and the winner is not.
    Status { loser: Arc<str>, status: Status },
    /// The winner is preferred.
    Preference { winner: Arc<str> },
    /// The winner is of an earlier tier.
    Tier { won: Tier, lost: Tier },
    /// The id is in the namespace of the winner.
    Namespace { winner: Arc<str> },
    /// The winner was composed first.
    Position { winner: Arc<str>, loser: Arc<str> },
    /// One source has both, and the loser writes the prefix of its namespace itself.
    Prefix { source: Arc<str> },
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Status {
                loser,
                status: Status::Pending,
            } => write!(f, "`{loser}` waits for admission"),
            Reason::Status { loser, status } => write!(f, "the one from `{loser}` is {status}"),
            Reason::Preference { winner } => write!(f, "`{winner}` is preferred for this id"),
            Reason::Tier { won, lost } => write!(f, "the {lost} tier comes after the {won} tier"),
            Reason::Namespace { winner } => {
                write!(f, "ids that begin with `{winner}:` belong to `{winner}`")
            }
            Reason::Position { winner, loser } => {
                write!(f, "`{loser}` is composed after `{winner}`")
            }
            Reason::Prefix { source } => write!(f, "it writes the prefix `{source}:` itself"),
        }
    }
}
