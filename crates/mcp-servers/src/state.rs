//! The state of a supervised server.

use std::fmt;

use serde::Serialize;

/// The state of a supervised server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ServerState {
    /// It does not run. The next call starts it, unless the supervisor has ended or is paused.
    Stopped,
    /// It was started, and has not listed its tools yet.
    Starting,
    /// It answers.
    Running,
    /// A start failed, or the server ended. It is started again after a pause.
    BackingOff,
    /// The supervisor gave up. A change of its definition or a request starts it again.
    Failed,
}

impl fmt::Display for ServerState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            ServerState::Stopped => "stopped",
            ServerState::Starting => "starting",
            ServerState::Running => "running",
            ServerState::BackingOff => "backing off",
            ServerState::Failed => "failed",
        })
    }
}
