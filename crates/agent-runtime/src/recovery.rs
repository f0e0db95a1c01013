//! The agents and processes that a killed host left.

use std::ffi::OsString;
use std::fs;
use std::time::Duration;

use repertoire_agents::FailReason;
use serde::Serialize;

use crate::journal::Journal;
use crate::start::HOST_VARIABLE;
use crate::{FoundWorktree, RunnerError, RunnerOptions};

/// The time in which the supervisors of a killed host end its agents. They give up after three seconds.
const SUPERVISOR_TIMEOUT: Duration = Duration::from_secs(4);

/// A report of what a killed host left.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct RecoveryReport {
    /// The agents that it had. They have the state `FAILED` now, and a new epoch.
    pub failed: Vec<String>,
    /// The worktrees without a living agent.
    pub worktrees: Vec<FoundWorktree>,
}

/// Ends the processes of a killed host, then its agents. Repeated after an interruption, it has the same result.
pub(crate) async fn recover(
    journal: &Journal,
    options: &RunnerOptions,
    host_name: &str,
) -> Result<RecoveryReport, RunnerError> {
    let patience = match options.supervisor.is_empty() {
        true => Duration::ZERO,
        false => SUPERVISOR_TIMEOUT,
    };
    sweep(vec![(HOST_VARIABLE.into(), host_name.into())], patience).await;
    // Tickets have secrets, which are void with the processes.
    let _ = fs::remove_dir_all(options.state_folder.join("tickets"));
    let mut report = RecoveryReport::default();
    for agent in journal.call(|store, _| store.agents()).await? {
        if agent.host.as_deref() == Some(host_name) && !agent.state.is_final() {
            journal.fail(&agent.id, FailReason::LeaseExpired).await?;
            report.failed.push(agent.id);
        }
    }
    report.worktrees = worktrees(journal, options).await?;
    Ok(report)
}

/// Returns the worktrees without a living agent.
pub(crate) async fn worktrees(
    journal: &Journal,
    options: &RunnerOptions,
) -> Result<Vec<FoundWorktree>, RunnerError> {
    let Some(worktrees) = &options.worktrees else {
        return Ok(Vec::new());
    };
    // The agents are read after the folders: the row of an agent is older than its worktree.
    let paths = worktrees.paths().await?;
    if paths.is_empty() {
        return Ok(Vec::new());
    }
    let agents = journal.call(|store, _| store.agents()).await?;
    let found = paths
        .into_iter()
        .map(|path| FoundWorktree::new(path, &agents));
    Ok(found.filter(|one| !one.is_in_use()).collect())
}

/// Kills all processes that have these variables in their environment.
pub(crate) async fn sweep(variables: Vec<(OsString, OsString)>, patience: Duration) {
    let kill = move || repertoire_process::kill_marked(&variables, patience);
    let _ = tokio::task::spawn_blocking(kill).await;
}
