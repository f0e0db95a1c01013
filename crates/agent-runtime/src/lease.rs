//! Leases and time limits of a running agent.

use std::time::Duration;

use parking_lot::Mutex;
use repertoire_agents::{AgentRecord, FailReason, StoreError};
use tokio::sync::watch;
use tokio::time::Instant;

use crate::RunnerOptions;
use crate::journal::Journal;

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

/// The last sign of life of an agent.
#[derive(Debug)]
pub(crate) struct SignsOfLife(Mutex<LastSign>);

#[derive(Debug)]
struct LastSign {
    at: Instant,
    /// `true` while the agent waits for its host, so that silence is no fault.
    is_waiting: bool,
}

impl SignsOfLife {
    pub(crate) fn new() -> Self {
        Self(Mutex::new(LastSign {
            at: Instant::now(),
            is_waiting: false,
        }))
    }

    pub(crate) fn touch(&self) {
        self.0.lock().at = Instant::now();
    }

    /// Counts as alive until [`resume`](SignsOfLife::resume).
    pub(crate) fn suspend(&self) {
        self.0.lock().is_waiting = true;
    }

    pub(crate) fn resume(&self) {
        *self.0.lock() = LastSign {
            at: Instant::now(),
            is_waiting: false,
        };
    }

    /// Returns the time at which the agent is lost.
    fn lost_at(&self, lease: Duration) -> Instant {
        let last = self.0.lock();
        match last.is_waiting {
            true => Instant::now() + lease,
            false => last.at + lease,
        }
    }
}

/// Extends the lease in the store while the agent is alive; returns when the agent is lost.
pub(crate) async fn keep(
    journal: &Journal,
    options: &RunnerOptions,
    agent: &AgentRecord,
    signs: Option<&SignsOfLife>,
) -> RunEnd {
    let mut next = Instant::now();
    let mut stored_until = next + options.lease;
    loop {
        let lost_at = signs.map(|signs| signs.lost_at(options.lease));
        let now = Instant::now();
        if lost_at.is_some_and(|lost| lost <= now) {
            let silence = options.lease.as_millis();
            let detail = format!("the agent sent nothing for {silence} ms");
            return RunEnd::Failed(FailReason::LeaseExpired, detail);
        }
        if next <= now {
            let (id, epoch) = (agent.id.clone(), agent.epoch);
            match journal
                .call(move |store, now| store.heartbeat(&id, epoch, now))
                .await
            {
                Ok(()) => stored_until = Instant::now() + options.lease,
                Err(StoreError::Database(error)) if now >= stored_until => {
                    let detail = format!("the database failed: {error}");
                    return RunEnd::Failed(FailReason::LeaseExpired, detail);
                }
                Err(StoreError::Database(_)) => {}
                Err(error) => return RunEnd::Fenced(error.to_string()),
            }
            next = now + options.heartbeat;
        }
        tokio::time::sleep_until(lost_at.map_or(next, |lost| lost.min(next))).await;
    }
}

/// The time limit of what an agent does at present.
#[derive(Debug, Clone)]
pub(crate) struct TimeLimit {
    pub(crate) at: Instant,
    pub(crate) reason: FailReason,
    pub(crate) detail: String,
}

/// Waits until the present time limit is exceeded.
pub(crate) async fn exceeded(mut limits: watch::Receiver<Option<TimeLimit>>) -> RunEnd {
    loop {
        let limit = limits.borrow_and_update().clone();
        let changed = async {
            if limits.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        };
        match limit {
            None => changed.await,
            Some(limit) => tokio::select! {
                () = changed => {}
                () = tokio::time::sleep_until(limit.at) => {
                    return RunEnd::Failed(limit.reason, limit.detail);
                }
            },
        }
    }
}
