//! The phases of a task, and the checkpoints between them.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::agent::to_hex;
use crate::audit::AuditEvent;
use crate::transaction::{AgentTransaction, log};
use crate::{Actor, AgentState, StoreError, advance};

/// A phase of the work on a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum AgentPhase {
    /// The agent collects what the task needs.
    Gather,
    /// The agent finds out what is to be done.
    Analyze,
    /// The agent decides on the steps.
    Plan,
    /// The agent changes what is to be changed.
    Apply,
    /// The agent runs the checks of its skills.
    Verify,
}

impl AgentPhase {
    /// All five phases, in their order.
    #[doc(hidden)]
    pub const ALL: [Self; 5] = [
        Self::Gather,
        Self::Analyze,
        Self::Plan,
        Self::Apply,
        Self::Verify,
    ];

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Gather => "GATHER",
            Self::Analyze => "ANALYZE",
            Self::Plan => "PLAN",
            Self::Apply => "APPLY",
            Self::Verify => "VERIFY",
        }
    }
}

impl fmt::Display for AgentPhase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A boundary between two phases, which the agent reported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Checkpoint {
    /// The task that the agent works on.
    #[doc(hidden)]
    pub task_id: String,
    /// The epoch of the agent.
    pub(crate) epoch: u64,
    /// The phase that begins.
    pub phase: AgentPhase,
    /// The note of the agent, such as a digest of its state.
    pub note: String,
    /// The time in milliseconds since 1970.
    pub at: u64,
}

/// The most bytes of a note.
const NOTE_MAX: usize = 65_536;

fn check_note(note: &str) -> Result<(), StoreError> {
    // Postgres stores no NUL.
    match note.len() <= NOTE_MAX && !note.contains('\0') {
        true => Ok(()),
        false => Err(StoreError::Refused(format!(
            "expected a note of at most {NOTE_MAX} bytes without NUL"
        ))),
    }
}

/// Stores a checkpoint of a busy agent.
pub(crate) fn record(
    transaction: &mut dyn AgentTransaction,
    id: &str,
    epoch: u64,
    (phase, note): (AgentPhase, &str),
    now: u64,
) -> advance::Decision<()> {
    let agent = advance::find(transaction, id)?;
    let checked = check_note(note)
        .and_then(|()| advance::check_epoch(&agent, epoch))
        .and_then(|()| advance::check_state(&agent, AgentState::Busy));
    if let Err(error) = checked {
        let wanted = (Actor::Agent, phase.as_str());
        return advance::reject(transaction, &agent, wanted, error, now);
    }
    let checkpoint = Checkpoint {
        task_id: agent.task_id,
        epoch,
        phase,
        note: note.to_owned(),
        at: now,
    };
    transaction.put_checkpoint(id, &checkpoint)?;
    log(
        transaction,
        AuditEvent {
            at: now,
            agent_id: id,
            actor: Actor::Agent.as_str(),
            event: "checkpoint",
            states: (Some(agent.state.as_str()), Some(agent.state.as_str())),
            detail: json!({
                "phase": phase,
                "task_id": checkpoint.task_id,
                "note_sha256": to_hex(&Sha256::digest(note)),
            }),
        },
    )?;
    Ok(Ok(()))
}
