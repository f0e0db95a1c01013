//! What the helper that stays tells the runner, and is told.

use serde::{Deserialize, Serialize};

/// What a helper is told first that is to stay, and to end everything that a command started.
pub(crate) const KEEP: &str = "keep";

/// What a helper is told first that is to stay with a program which is spoken to, and to end everything that it started.
#[cfg(feature = "sandbox")]
pub const HOLD: &str = "hold";

/// What the helper tells: a line of JSON each.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Told {
    /// The command is about to run: whatever becomes of the helper, it may have begun.
    Begins,
    /// It runs, as this process, which leads a group.
    Begun(i32),
    /// It could not be started.
    NotBegun(String),
    /// It ended with this status of `wait`, and so did all that it started if nobody is `left`.
    Ended { status: i32, left: bool },
}

/// What the helper is told: to ask the command to end. Whatever else it is told, and nobody being there to tell it, means to
/// make everything end.
pub(crate) const ASK: u8 = b'?';

/// The same, to make everything end.
pub(crate) const FORCE: u8 = b'!';
