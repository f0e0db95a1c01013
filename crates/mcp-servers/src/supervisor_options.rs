//! The options of a supervisor, and the state that the tasks of its servers share.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use tokio::sync::watch;

/// The data of a host that servers may use. Debug output does not show the variables.
#[derive(Clone)]
#[non_exhaustive]
pub struct SupervisorOptions {
    /// The folder that paths of definitions are relative to, and the default working directory of programs.
    pub folder: PathBuf,
    /// The environment variables of the host. A program gets those that its definition names, and the ones that it needs to find
    /// programs and its own files: on Unix `HOME`, `LANG`, `LOGNAME`, `PATH`, `SHELL`, `TERM`, `TMPDIR` and `USER`.
    pub variables: Arc<[(OsString, OsString)]>,
    /// The command line of a supervisor program, which ends everything that a server started.
    pub supervisor: Arc<[OsString]>,
}

impl fmt::Debug for SupervisorOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SupervisorOptions")
            .field("folder", &self.folder)
            .field("supervisor", &self.supervisor)
            .finish_non_exhaustive()
    }
}

impl SupervisorOptions {
    /// Creates options with the folder that paths are relative to, and without variables and supervisor.
    pub fn new(folder: impl Into<PathBuf>) -> SupervisorOptions {
        SupervisorOptions {
            folder: folder.into(),
            variables: Arc::default(),
            supervisor: Arc::default(),
        }
    }

    pub(crate) fn variable(&self, name: &str) -> Option<&OsStr> {
        let mut variables = self.variables.iter().rev();
        let found = variables.find(|(key, _)| key.to_str() == Some(name));
        found.map(|(_, value)| value.as_os_str())
    }
}

/// The state that the tasks of all servers share.
#[derive(Debug)]
pub(crate) struct ServersShared {
    pub(crate) options: SupervisorOptions,
    pub(crate) revision: watch::Sender<u64>,
    pub(crate) mode: watch::Sender<SupervisorMode>,
}

/// The state of the supervisor itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SupervisorMode {
    Running,
    Paused,
    Ended,
}

impl ServersShared {
    pub(crate) fn bump(&self) {
        self.revision.send_modify(|revision| *revision += 1);
    }
}
