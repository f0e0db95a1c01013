//! One run from its start to its end.

use std::sync::Arc;
use std::time::Duration;

use repertoire_agents::{AgentRecord, AgentState, FailReason};
use tokio::sync::watch;
use tokio::time::Instant;

use crate::conversation::Conversation;
use crate::lease::{self, RunEnd, TimeLimit};
use crate::request::Order;
use crate::{AgentLifetime, HostMessage};

/// The life after which earlier restarts do not count.
const SOUND: Duration = Duration::from_secs(600);

/// Runs the agent until it ends, fails, is cancelled, or exceeds a limit. Nothing of it is left then.
///
/// Returns a resident agent that failed, with its request, so that a different agent replaces it.
pub(crate) async fn drive(
    mut conversation: Conversation,
    mut cancelled: watch::Receiver<Option<(FailReason, String)>>,
    limits: watch::Receiver<Option<TimeLimit>>,
) -> Option<(AgentRecord, Order)> {
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
    let ended = conclude(conversation, end).await?;
    let is_failed =
        ended.state == AgentState::Failed && ended.fail_reason != Some(FailReason::Cancelled);
    let order = match begin.elapsed() > SOUND {
        true => Order::new(order.request),
        false => order,
    };
    (is_failed && lifetime == AgentLifetime::Resident).then_some((ended, order))
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
