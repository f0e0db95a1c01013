//! One run from its start to its end, and the replacement of a resident agent.

use std::sync::Arc;
use std::time::Duration;

use repertoire_agents::{AgentRecord, AgentState, FailReason};
use repertoire_core::Backoff;
use tokio::sync::watch;
use tokio::time::Instant;

use crate::conversation::Conversation;
use crate::lease::{self, TimeLimit};
use crate::shared::{Order, Shared};
use crate::{AgentLifetime, HostMessage, RunnerEventKind, SpawnError};

/// The life after which earlier restarts do not count.
const SOUND: Duration = Duration::from_secs(600);

/// The end of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RunEnd {
    /// The row has its final state.
    Terminated,
    /// The agent is ended for this reason, which the text describes.
    Failed(FailReason, String),
    /// The store refuses the agent: a different party ended it.
    Fenced(String),
}

/// Runs the agent until it ends, fails, is cancelled, or exceeds a limit. Nothing of it is left then.
pub(crate) async fn drive(
    mut conversation: Conversation,
    mut cancelled: watch::Receiver<Option<(FailReason, String)>>,
    limits: watch::Receiver<Option<TimeLimit>>,
) {
    let shared = Arc::clone(&conversation.shared);
    let (agent, begin) = (conversation.agent.clone(), Instant::now());
    let signs = Arc::clone(&conversation.signs);
    let silence_counts = conversation.connection.sends_heartbeats();
    let signs = silence_counts.then_some(&*signs);
    let end = tokio::select! {
        biased;
        (reason, detail) = cancellation(&mut cancelled) => RunEnd::Failed(reason, detail),
        end = lease::keep(&shared.journal, &shared.options, &agent, signs) => end,
        end = lease::exceeded(limits) => end,
        end = conversation.run() => end,
    };
    let (lifetime, order) = (conversation.lifetime, conversation.order.clone());
    let ended = conclude(conversation, end).await;
    drop(cancelled);
    shared.serve_waiting().await;
    let Some(ended) = ended.filter(|_| lifetime == AgentLifetime::Resident) else {
        return;
    };
    let order = match begin.elapsed() > SOUND {
        true => Order::new(order.request),
        false => order,
    };
    if ended.state == AgentState::Failed && ended.fail_reason != Some(FailReason::Cancelled) {
        replace(&shared, ended, order).await;
    }
}

async fn cancellation(
    cancelled: &mut watch::Receiver<Option<(FailReason, String)>>,
) -> (FailReason, String) {
    loop {
        let cause = cancelled.borrow_and_update().clone();
        if let Some(cause) = cause {
            return cause;
        }
        if cancelled.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

/// Ends the process tree, then the row if it is not ended; returns the row.
async fn conclude(mut conversation: Conversation, end: RunEnd) -> Option<AgentRecord> {
    let shared = Arc::clone(&conversation.shared);
    let farewell = match &end {
        RunEnd::Terminated => Some(HostMessage::End),
        RunEnd::Failed(FailReason::Cancelled, _) => Some(HostMessage::Cancel),
        _ => None,
    };
    let mut grace = Duration::ZERO;
    if let Some(farewell) = farewell {
        grace = shared.options.grace;
        let sent = conversation.connection.send(&farewell);
        let _ = tokio::time::timeout(grace, sent).await;
    }
    conversation.connection.end(grace).await;
    let id = conversation.agent.id.clone();
    drop(conversation);
    let (ended, detail) = match end {
        RunEnd::Terminated => (shared.journal.agent(&id).await, None),
        RunEnd::Failed(reason, detail) => (shared.journal.fail(&id, reason).await, Some(detail)),
        RunEnd::Fenced(detail) => (shared.journal.agent(&id).await, Some(detail)),
    };
    shared.forget(&id);
    let ended = ended.ok()?;
    let detail = detail.filter(|_| ended.state == AgentState::Failed);
    shared.emit_state(&ended, detail);
    Some(ended)
}

/// Starts a new agent for the task of a resident one that failed, after a growing pause.
async fn replace(shared: &Arc<Shared>, mut failed: AgentRecord, mut order: Order) {
    while order.attempt < shared.options.most_restarts && !shared.is_stopping() {
        order.attempt += 1;
        order.pause = Backoff::pause_after(order.pause);
        let delay_ms = u64::try_from(order.pause.as_millis()).unwrap_or(u64::MAX);
        let attempt = order.attempt;
        shared.announce_replacement(&failed.id);
        shared.emit(&failed, RunnerEventKind::Restart { attempt, delay_ms });
        tokio::time::sleep(order.pause).await;
        if !shared.withdraw_replacement(&failed.id) {
            return;
        }
        let key = format!("{}/restart", failed.id);
        order.request.allocation = order.request.allocation.retry(key, &failed.id);
        match shared.start(order.clone()).await {
            Err(SpawnError::Failed { agent_id, .. }) => match shared.journal.agent(&agent_id).await
            {
                Ok(agent) => failed = agent,
                Err(_) => return,
            },
            _ => return,
        }
    }
}
