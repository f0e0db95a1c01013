//! The ticket that a host hands over to an agent.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use repertoire_agents::{AgentPool, Permissions, WritebackContract};
use repertoire_core::Digest;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::AgentToken;

/// The environment variable that names the file of a ticket, if the ticket is not the first line of standard input.
#[doc(hidden)]
pub const TICKET_VARIABLE: &str = "REPERTOIRE_TICKET";

/// Everything that an agent gets from its host, as one JSON object.
///
/// Seven fields describe the work: `agent_id`, `pool_assignment`, `worktree_path`, `branch_name`, `writeback_contract`,
/// `skill_refs` and `context_snapshot`. The others are the limits of the run.
///
/// ```
/// use repertoire_agent_runtime::Ticket;
///
/// let line = r#"{"agent_id":"a1","epoch":1,"task_id":"T-1","pool_assignment":"research","worktree_path":"/w/a1",
///     "branch_name":"feature/t-1","writeback_contract":"enforce","skill_refs":[],"context_snapshot":{"issue":7},
///     "permissions":{},"heartbeat_ms":10000,"lease_ms":30000,"timeout_ms":300000,"token_budget":100000}"#;
/// let ticket: Ticket = serde_json::from_str(line)?;
/// assert_eq!((ticket.epoch, &*ticket.branch_name), (1, "feature/t-1"));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Ticket {
    /// The agent.
    pub agent_id: String,
    /// The fencing token; a write with an older one is refused.
    #[doc(hidden)]
    pub epoch: u64,
    /// The task.
    #[doc(hidden)]
    pub task_id: String,
    /// The pool that the agent is in.
    #[doc(hidden)]
    pub pool_assignment: AgentPool,
    /// The folder of the agent's own checkout; `None` if the host has no repository.
    #[serde(default)]
    pub worktree_path: Option<PathBuf>,
    /// The branch for its changes, which is checked out there.
    pub branch_name: String,
    /// The rule for an end without complete writeback.
    #[doc(hidden)]
    pub writeback_contract: WritebackContract,
    /// The skills, each with the digest that the registry had.
    #[doc(hidden)]
    pub skill_refs: Vec<SkillRef>,
    /// The facts that the parent passes on.
    #[serde(default)]
    #[doc(hidden)]
    pub context_snapshot: Value,
    /// The rights of the agent.
    #[doc(hidden)]
    pub permissions: Permissions,
    /// The interval of its heartbeats in milliseconds.
    #[doc(hidden)]
    pub heartbeat_ms: u64,
    /// The silence after which it counts as lost, in milliseconds.
    #[doc(hidden)]
    pub lease_ms: u64,
    /// The longest time for the task in milliseconds.
    #[doc(hidden)]
    pub timeout_ms: u64,
    /// The most tokens for the task.
    #[doc(hidden)]
    pub token_budget: u64,
    /// The secret with which the agent calls its host. [`AgentRunner::spawn`](crate::AgentRunner::spawn) returns none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[doc(hidden)]
    pub token: Option<AgentToken>,
}

/// A skill by name and content.
///
/// ```
/// use repertoire_agent_runtime::SkillRef;
///
/// assert_eq!(SkillRef::new("review").digest, None);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct SkillRef {
    /// The name.
    pub name: String,
    /// The digest of its content; in a request `None` stands for the present one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<Digest>,
}

impl SkillRef {
    /// Refers to a skill as the registry has it when the agent starts.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            digest: None,
        }
    }

    /// Requires this content.
    #[must_use]
    pub fn with_digest(mut self, digest: Digest) -> Self {
        self.digest = Some(digest);
        self
    }
}

/// A way to hand over a ticket. Arguments are not one: every user can read them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum TicketDelivery {
    /// The first line of standard input.
    #[default]
    StandardInput,
    /// A file with mode 0600, which [`TICKET_VARIABLE`] names. It is removed with the run.
    File,
}

/// A file with a ticket, which is removed on drop.
#[derive(Debug)]
pub(crate) struct TicketFile(PathBuf);

impl TicketFile {
    /// Writes a fresh file that only its owner can read.
    pub(crate) fn create(folder: &Path, ticket: &Ticket) -> io::Result<TicketFile> {
        create_private_folder(folder)?;
        let path = folder.join(format!("{}-{}.json", ticket.agent_id, ticket.epoch));
        let mut options = File::options();
        // A file or link that is already there is not opened.
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&path)?;
        let written = TicketFile(path);
        serde_json::to_writer(&mut file, ticket)?;
        file.flush()?;
        Ok(written)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for TicketFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// Creates a folder that only its owner can enter, with the folders above it.
pub(crate) fn create_private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}
