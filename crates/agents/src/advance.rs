//! Changes of one agent, each with its row in the audit log.

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::agent::{branch_name, to_hex};
use crate::audit::AuditEvent;
use crate::name::check_names;
use crate::profile::RunOutcome;
use crate::transaction::{AgentTransaction, log};
use crate::writeback::{self, TaskStatus};
use crate::{
    Actor, AgentPhase, AgentRecord, AgentState, Checkpoint, FailReason, StoreError, Transition,
    WritebackContract, WritebackFault, WritebackKind,
};

/// A result of which the error is logged and committed.
pub(crate) type Decision<T> = Result<Result<T, StoreError>, StoreError>;

pub(crate) fn find(
    transaction: &mut dyn AgentTransaction,
    id: &str,
) -> Result<AgentRecord, StoreError> {
    // Not every database can look for such an id.
    let agent = match check_names([("an agent", id)]) {
        Ok(()) => transaction.agent(id)?,
        Err(_) => None,
    };
    agent.ok_or_else(|| StoreError::UnknownAgent(id.to_owned()))
}

pub(crate) fn advance(
    transaction: &mut dyn AgentTransaction,
    id: &str,
    epoch: u64,
    transition: &Transition,
    now: u64,
) -> Decision<AgentRecord> {
    let agent = find(transaction, id)?;
    let changed = match check_transition(&agent, epoch, transition) {
        Ok(()) => apply(transaction, agent.clone(), transition, now)?,
        Err(error) => Err(error),
    };
    match changed {
        Ok(agent) => Ok(Ok(agent)),
        Err(error) => {
            let wanted = (transition.actor(), transition.to().as_str());
            reject(transaction, &agent, wanted, error, now)
        }
    }
}

fn check_transition(
    agent: &AgentRecord,
    epoch: u64,
    transition: &Transition,
) -> Result<(), StoreError> {
    check_epoch(agent, epoch)?;
    check_state(agent, transition.from())?;
    check_names(transition.task_id().map(|task| ("a task", task)))?;
    match (transition.to(), transition.reason()) {
        (AgentState::Failed, None) => Err(StoreError::Refused(
            "expected a reason for the state `FAILED`".to_owned(),
        )),
        _ => Ok(()),
    }
}

/// Makes a change whose state and epoch were checked; nothing is written if it is refused.
pub(crate) fn apply(
    transaction: &mut dyn AgentTransaction,
    mut agent: AgentRecord,
    transition: &Transition,
    now: u64,
) -> Decision<AgentRecord> {
    let (from, to) = (transition.from(), transition.to());
    let (epoch, mut detail) = (agent.epoch, json!({}));
    if from == AgentState::Busy {
        match end_task(transaction, &mut agent, transition, now)? {
            Ok(noted) => detail = noted,
            Err(error) => return Ok(Err(error)),
        }
    }
    if to == AgentState::Busy {
        let next = transition.task_id();
        if let Some(task_id) = next.filter(|next| *next != agent.task_id) {
            agent.task_id = task_id.to_owned();
            agent.branch = branch_name(task_id);
        }
        agent.started_at = Some(now);
        detail["task_id"] = agent.task_id.clone().into();
    } else if !to.is_final() {
        agent.started_at = None;
    }
    if to == AgentState::Failed {
        agent.fail_reason = transition.reason();
        detail["reason"] = transition.reason().map(FailReason::as_str).into();
    }
    // The process may live on: its late writes must not count.
    if transition.reason() == Some(FailReason::LeaseExpired) {
        agent.epoch += 1;
        detail["epoch"] = agent.epoch.into();
    }
    agent.state = to;
    agent.updated_at = now;
    let lease = now.saturating_add(transaction.pool(agent.pool)?.lease_ms);
    agent.lease_expires_at = (!to.is_final()).then_some(lease);
    if !transaction.replace_agent(&agent, from, epoch)? {
        let found = find(transaction, &agent.id)?.state;
        return Err(StoreError::StateConflict {
            expected: from,
            found,
        });
    }
    log(
        transaction,
        AuditEvent {
            at: now,
            agent_id: &agent.id,
            actor: transition.actor().as_str(),
            event: "transition",
            states: (Some(from.as_str()), Some(to.as_str())),
            detail,
        },
    )?;
    Ok(Ok(agent))
}

/// Checks the writeback of a task that ends, and counts the run; returns the facts for the log.
fn end_task(
    transaction: &mut dyn AgentTransaction,
    agent: &mut AgentRecord,
    transition: &Transition,
    now: u64,
) -> Decision<Value> {
    let name = agent.profile.clone();
    let mut profile = transaction.profile(&name)?;
    let (to, mut detail) = (transition.to(), json!({}));
    let mut status = None;
    if to != AgentState::Failed {
        if to == AgentState::Ready && !profile.as_ref().is_some_and(|one| one.reusable) {
            return Ok(Err(StoreError::Refused(format!(
                "the profile `{name}` is not reusable"
            ))));
        }
        let task = transaction.writeback(agent, WritebackKind::TaskUpdate)?;
        status = writeback::task_status(task.as_ref());
        let faults = faults_at_end(transaction, agent, task.as_ref())?;
        let contract = transaction.pool(agent.pool)?.contract;
        let tolerated = contract == WritebackContract::Warn && to == AgentState::Terminated;
        if !faults.is_empty() && !tolerated {
            return Ok(Err(StoreError::Writeback(faults)));
        }
        agent.orphaned = !faults.is_empty();
        if agent.orphaned {
            let paths: Vec<_> = faults.iter().map(|fault| &fault.path).collect();
            detail["missing"] = json!(paths);
        }
        let memory = transaction.writeback(agent, WritebackKind::MemoryPack)?;
        if memory.is_none() {
            detail["recommended_missing"] = json!(["memory.session_id"]);
        }
    }
    let outcome = match (transition.reason(), status) {
        (Some(FailReason::Cancelled), _) => RunOutcome::Cancelled,
        (_, Some(TaskStatus::Done)) => RunOutcome::Success,
        // A blocker is not a fault of the agent.
        (_, Some(TaskStatus::Cancelled | TaskStatus::Blocked)) => RunOutcome::Cancelled,
        (Some(_), None) => RunOutcome::Failure,
        // A pool that only warns asks for no record, so the final state is the result.
        (None, None) => RunOutcome::Success,
    };
    if let Some(profile) = &mut profile {
        let duration = now.saturating_sub(agent.started_at.unwrap_or(now));
        profile.history.add(outcome, duration);
        transaction.put_profile(&name, profile)?;
    }
    Ok(Ok(detail))
}

pub(crate) fn owed(
    transaction: &mut dyn AgentTransaction,
    id: &str,
) -> Result<Vec<WritebackFault>, StoreError> {
    let agent = find(transaction, id)?;
    if agent.state != AgentState::Busy {
        return Ok(Vec::new());
    }
    let task = transaction.writeback(&agent, WritebackKind::TaskUpdate)?;
    faults_at_end(transaction, &agent, task.as_ref())
}

fn faults_at_end(
    transaction: &mut dyn AgentTransaction,
    agent: &AgentRecord,
    task: Option<&Value>,
) -> Result<Vec<WritebackFault>, StoreError> {
    let thought = transaction.writeback(agent, WritebackKind::ThoughtRecord)?;
    let mut faults = writeback::task_faults(task);
    let status = writeback::task_status(task);
    faults.extend(writeback::thought_faults(thought.as_ref(), agent, status));
    Ok(faults)
}

pub(crate) fn heartbeat(
    transaction: &mut dyn AgentTransaction,
    id: &str,
    epoch: u64,
    now: u64,
) -> Decision<()> {
    let mut agent = find(transaction, id)?;
    let checked = check_epoch(&agent, epoch).and_then(|()| match agent.state.is_final() {
        true => Err(StoreError::AgentEnded(agent.state)),
        false => Ok(()),
    });
    if let Err(error) = checked {
        return reject(transaction, &agent, (Actor::Agent, "heartbeat"), error, now);
    }
    let lease = now.saturating_add(transaction.pool(agent.pool)?.lease_ms);
    agent.lease_expires_at = agent.lease_expires_at.max(Some(lease));
    transaction.replace_agent(&agent, agent.state, epoch)?;
    Ok(Ok(()))
}

/// Stores the branch and the folder of an agent that has no task yet.
pub(crate) fn record_worktree(
    transaction: &mut dyn AgentTransaction,
    id: &str,
    epoch: u64,
    (branch, path): (&str, &str),
    now: u64,
) -> Decision<AgentRecord> {
    let mut agent = find(transaction, id)?;
    let names = [("a branch", branch), ("a folder", path)];
    let checked = check_names(names).and_then(|()| check_epoch(&agent, epoch));
    let checked = checked.and_then(|()| match agent.state {
        AgentState::Pending | AgentState::Initializing | AgentState::Ready => Ok(()),
        AgentState::Terminated | AgentState::Failed => Err(StoreError::AgentEnded(agent.state)),
        AgentState::Busy => check_state(&agent, AgentState::Ready),
    });
    if let Err(error) = checked {
        return reject(transaction, &agent, (Actor::Parent, "worktree"), error, now);
    }
    agent.branch = branch.to_owned();
    agent.worktree = Some(path.to_owned());
    agent.updated_at = now;
    transaction.replace_agent(&agent, agent.state, epoch)?;
    log(
        transaction,
        AuditEvent {
            at: now,
            agent_id: id,
            actor: Actor::Parent.as_str(),
            event: "worktree",
            states: (Some(agent.state.as_str()), Some(agent.state.as_str())),
            detail: json!({ "branch": branch, "path": path }),
        },
    )?;
    Ok(Ok(agent))
}

pub(crate) fn write_back(
    transaction: &mut dyn AgentTransaction,
    id: &str,
    epoch: u64,
    (kind, record): (WritebackKind, &Value),
    now: u64,
) -> Decision<()> {
    let agent = find(transaction, id)?;
    let wanted = (Actor::Agent, kind.as_str());
    let checked = check_epoch(&agent, epoch).and_then(|()| check_state(&agent, AgentState::Busy));
    if let Err(error) = checked {
        return reject(transaction, &agent, wanted, error, now);
    }
    let faults = match kind {
        WritebackKind::TaskUpdate => writeback::task_faults(Some(record)),
        WritebackKind::ThoughtRecord => {
            let task = transaction.writeback(&agent, WritebackKind::TaskUpdate)?;
            let status = writeback::task_status(task.as_ref());
            writeback::thought_faults(Some(record), &agent, status)
        }
        WritebackKind::MemoryPack => writeback::memory_faults(Some(record)),
    };
    if !faults.is_empty() {
        return reject(
            transaction,
            &agent,
            wanted,
            StoreError::Writeback(faults),
            now,
        );
    }
    transaction.put_writeback(&agent, kind, record, now)?;
    log(
        transaction,
        AuditEvent {
            at: now,
            agent_id: id,
            actor: Actor::Agent.as_str(),
            event: "recorded",
            states: (Some(agent.state.as_str()), Some(agent.state.as_str())),
            detail: json!({ "kind": kind.as_str(), "task_id": agent.task_id }),
        },
    )?;
    Ok(Ok(()))
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
pub(crate) fn checkpoint(
    transaction: &mut dyn AgentTransaction,
    id: &str,
    epoch: u64,
    (phase, note): (AgentPhase, &str),
    now: u64,
) -> Decision<()> {
    let agent = find(transaction, id)?;
    let checked = check_note(note)
        .and_then(|()| check_epoch(&agent, epoch))
        .and_then(|()| check_state(&agent, AgentState::Busy));
    if let Err(error) = checked {
        let wanted = (Actor::Agent, phase.as_str());
        return reject(transaction, &agent, wanted, error, now);
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

pub(crate) fn check_epoch(agent: &AgentRecord, given: u64) -> Result<(), StoreError> {
    match agent.epoch == given {
        true => Ok(()),
        false => Err(StoreError::StaleEpoch {
            given,
            current: agent.epoch,
        }),
    }
}

pub(crate) fn check_state(agent: &AgentRecord, expected: AgentState) -> Result<(), StoreError> {
    match agent.state == expected {
        true => Ok(()),
        false => Err(StoreError::StateConflict {
            expected,
            found: agent.state,
        }),
    }
}

pub(crate) fn reject<T>(
    transaction: &mut dyn AgentTransaction,
    agent: &AgentRecord,
    (actor, wanted): (Actor, &str),
    error: StoreError,
    now: u64,
) -> Decision<T> {
    log(
        transaction,
        AuditEvent {
            at: now,
            agent_id: &agent.id,
            actor: actor.as_str(),
            event: "rejected",
            states: (Some(agent.state.as_str()), None),
            detail: json!({ "wanted": wanted, "error": error.to_string() }),
        },
    )?;
    Ok(Err(error))
}
