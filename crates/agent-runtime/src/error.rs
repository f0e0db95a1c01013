//! The errors of a runner.

use std::io;
use std::path::PathBuf;

use repertoire_agents::{AgentState, FailReason, StoreError};
use repertoire_core::Digest;
use thiserror::Error;

/// The error returned when no agent was started.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SpawnError {
    /// The store reserved no agent.
    #[error("no agent was reserved")]
    Allocation(#[source] StoreError),
    /// The agent was reserved and failed.
    #[error("the agent `{agent_id}` failed before it ran")]
    Failed {
        /// The agent, whose row has the state `FAILED`.
        agent_id: String,
        /// The cause.
        #[source]
        cause: LaunchError,
    },
    /// The runner was stopped.
    #[error("the runner was stopped")]
    Stopped,
}

/// The cause for which a reserved agent did not run.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LaunchError {
    /// The host has no program for the profile.
    #[error("the profile `{profile}` has no program to start: {reason}")]
    #[doc(hidden)]
    NoProgram {
        /// The profile.
        profile: String,
        /// The reason of the host.
        reason: String,
    },
    /// Skills or tools are not as required; these are all faults.
    #[error("skills or tools are missing: {}", join(.0))]
    Requirements(Vec<RequirementFault>),
    /// The worktree was not made.
    #[error("the worktree was not made")]
    #[doc(hidden)]
    Worktree(#[source] WorktreeError),
    /// The program did not start.
    #[error("the program did not start")]
    #[doc(hidden)]
    Start(#[source] io::Error),
    /// The store refused a step.
    #[error("the store refused a step")]
    #[doc(hidden)]
    Store(#[source] StoreError),
    /// The runner was stopped during the start.
    #[error("the runner was stopped")]
    #[doc(hidden)]
    Stopped,
}

impl LaunchError {
    /// Returns the reason for the row of the agent.
    pub(crate) fn reason(&self) -> FailReason {
        match self {
            Self::Requirements(_) => FailReason::InitError,
            Self::Stopped => FailReason::Cancelled,
            _ => FailReason::SpawnError,
        }
    }

    /// Returns the message with those of its sources.
    pub(crate) fn full_text(&self) -> String {
        let mut text = self.to_string();
        let mut source = std::error::Error::source(self);
        while let Some(error) = source {
            text = format!("{text}: {error}");
            source = error.source();
        }
        text
    }
}

/// A skill or a tool that is not as an agent requires it.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RequirementFault {
    /// The registry does not have the skill.
    #[error("there is no skill `{0}`")]
    UnknownSkill(String),
    /// The skill has a different content.
    #[error("the skill `{skill}` was changed: expected {expected}, found {found}")]
    ChangedSkill {
        /// The skill.
        skill: String,
        /// The digest that was asked for.
        expected: Digest,
        /// The digest that the registry has.
        found: Digest,
    },
    /// No supervised server offers the tool.
    #[error("no server offers the tool `{0}`")]
    MissingTool(String),
    /// The permissions of the agent exclude the tool.
    #[error("the tool `{0}` is not permitted")]
    DeniedTool(String),
}

pub(crate) fn join(faults: &[RequirementFault]) -> String {
    let texts: Vec<_> = faults.iter().map(ToString::to_string).collect();
    texts.join("; ")
}

/// The error returned when a runner cannot start or cannot do what was asked.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RunnerError {
    /// A different runner uses the folder.
    #[error("a different runner uses `{}`", .0.display())]
    #[doc(hidden)]
    InUse(PathBuf),
    /// The folder of the runner cannot be used.
    #[error("the folder `{}` cannot be used", path.display())]
    #[doc(hidden)]
    Folder {
        /// The folder.
        path: PathBuf,
        /// The error of the system.
        #[source]
        cause: io::Error,
    },
    /// The store failed or refused a change.
    #[error("the store refused the change")]
    #[doc(hidden)]
    Store(#[from] StoreError),
    /// This runner does not run the agent.
    #[error("this runner does not run the agent `{0}`")]
    #[doc(hidden)]
    NotRunning(String),
    /// The agent is not in the state that the call needs.
    #[error("expected the state `{expected}`, found `{found}`")]
    #[doc(hidden)]
    State {
        /// The state that the call needs.
        expected: AgentState,
        /// The state of the agent.
        found: AgentState,
    },
    /// The worktrees cannot be listed.
    #[error("the worktrees cannot be listed")]
    #[doc(hidden)]
    Worktrees(#[from] WorktreeError),
}

/// The error returned when a worktree cannot be made or listed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WorktreeError {
    /// `git` refused a command.
    #[error("`git {command}` failed: {reason}")]
    #[doc(hidden)]
    Git {
        /// The command.
        command: String,
        /// The last line that it printed.
        reason: String,
    },
    /// The path leads out of the folder for worktrees, or something is there already.
    #[error("`{}` cannot be a worktree: {reason}", path.display())]
    #[doc(hidden)]
    Path {
        /// The path.
        path: PathBuf,
        /// The fault.
        reason: String,
    },
}
