//! The options of a runner.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use crate::Worktrees;

/// A function that returns the time in milliseconds since 1970.
#[doc(hidden)]
pub type TimeFn = Arc<dyn Fn() -> u64 + Send + Sync>;

/// The options of a runner.
#[derive(Clone)]
#[non_exhaustive]
pub struct RunnerOptions {
    /// The private folder of the runner, for its lock and for tickets. Two runners never share one.
    pub state_folder: PathBuf,
    /// The working folder of agents if there are no worktrees.
    pub folder: PathBuf,
    /// The repository that agents get worktrees of.
    pub worktrees: Option<Worktrees>,
    /// The command line of a program that ends everything an agent started, such as `repertoire-helper supervise`. Linux only.
    ///
    /// Without it, a killed host leaves its agents alive until the next start.
    pub supervisor: Vec<OsString>,
    /// The interval of heartbeats; 10 seconds by default.
    pub heartbeat: Duration,
    /// The silence after which an agent is lost; 30 seconds by default, as in the store.
    pub lease: Duration,
    /// The longest time from the start to the message that the agent is ready; 60 seconds by default.
    pub initialization: Duration,
    /// The time for an agent to end by itself; 2 seconds by default.
    #[doc(hidden)]
    pub grace: Duration,
    /// The most agents that replace a resident one in a row; 10 by default.
    pub most_restarts: u32,
    /// The clock of the rows; the system's by default.
    #[doc(hidden)]
    pub clock: TimeFn,
}

impl RunnerOptions {
    /// Creates options with the defaults.
    pub fn new(state_folder: impl Into<PathBuf>, folder: impl Into<PathBuf>) -> Self {
        Self {
            state_folder: state_folder.into(),
            folder: folder.into(),
            worktrees: None,
            supervisor: Vec::new(),
            heartbeat: Duration::from_secs(10),
            lease: Duration::from_secs(30),
            initialization: Duration::from_secs(60),
            grace: Duration::from_secs(2),
            most_restarts: 10,
            clock: Arc::new(system_time),
        }
    }
}

impl std::fmt::Debug for RunnerOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RunnerOptions")
            .field("state_folder", &self.state_folder)
            .field("worktrees", &self.worktrees)
            .field("heartbeat", &self.heartbeat)
            .field("lease", &self.lease)
            .finish_non_exhaustive()
    }
}

fn system_time() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.map_or(0, |since| {
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    })
}
