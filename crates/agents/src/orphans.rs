//! The scan for agents that were lost.

use serde::Serialize;
use serde_json::json;

use crate::audit::AuditEvent;
use crate::transaction::{AgentTransaction, log};
use crate::{
    Actor, AgentRecord, AgentState, FailReason, Lifecycle, StoreError, Transition, advance,
};

/// The most agents of a kind that one scan treats.
const BATCH: u32 = 500;

/// A report of lost agents; at most 500 of a kind.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct OrphanReport {
    /// The agents that ended without a reflection on their task.
    pub orphans: Vec<String>,
    /// Those of them that no earlier scan reported.
    pub alerts: Vec<String>,
    /// The agents whose lease expired.
    pub lapsed: Vec<String>,
    /// The reservations that expired unused.
    pub stale_reservations: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ScanMode {
    Report,
    Apply,
}

pub(crate) fn scan(
    transaction: &mut dyn AgentTransaction,
    mode: ScanMode,
    now: u64,
) -> Result<OrphanReport, StoreError> {
    let mut report = OrphanReport::default();
    for agent in transaction.lapsed(now, BATCH)? {
        match agent.state {
            AgentState::Pending => report.stale_reservations.push(agent.id.clone()),
            _ => report.lapsed.push(agent.id.clone()),
        }
        if mode == ScanMode::Apply {
            let end = end_of(&agent);
            advance::apply(transaction, agent, &end, now)??;
        }
    }
    for mut agent in transaction.unmatched(BATCH)? {
        report.orphans.push(agent.id.clone());
        if agent.alerted_at.is_some() {
            continue;
        }
        report.alerts.push(agent.id.clone());
        if mode == ScanMode::Apply {
            agent.alerted_at = Some(now);
            agent.orphaned = true;
            transaction.replace_agent(&agent, agent.state, agent.epoch)?;
            log_orphan(transaction, &agent, now)?;
        }
    }
    // Stores list orphans without alert first, so that a full batch never hides them.
    report.orphans.sort();
    report.alerts.sort();
    Ok(report)
}

fn end_of(agent: &AgentRecord) -> Transition {
    let to = match agent.state {
        AgentState::Pending => AgentState::Terminated,
        _ => AgentState::Failed,
    };
    let end = Lifecycle::default()
        .transition(agent.state, to, Actor::Reaper)
        .expect("the reaper may end every living agent");
    match to {
        AgentState::Failed => end.because(FailReason::LeaseExpired),
        _ => end,
    }
}

fn log_orphan(
    transaction: &mut dyn AgentTransaction,
    agent: &AgentRecord,
    now: u64,
) -> Result<(), StoreError> {
    log(
        transaction,
        AuditEvent {
            at: now,
            agent_id: &agent.id,
            actor: Actor::Reaper.as_str(),
            event: "orphaned",
            states: (Some(agent.state.as_str()), Some(agent.state.as_str())),
            detail: json!({ "task_id": agent.task_id }),
        },
    )
}
