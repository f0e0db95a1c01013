//! The periodic scan for lost agents.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use repertoire_agents::{AgentPool, AgentRecord, AgentStore, OrphanReport, StoreError};
use serde::Serialize;
use tokio::runtime::Handle;
use tokio::time::MissedTickBehavior;

use super::{AgentEventKind, AgentRefusal, GatewayAgents};

/// A report of lost agents and worktrees.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub(crate) struct ScanReport {
    #[serde(flatten)]
    pub(crate) agents: OrphanReport,
    /// The worktrees without a living agent.
    pub(crate) worktrees: Vec<PathBuf>,
}

/// The agents that a scan changed.
struct ScannedAgents {
    report: OrphanReport,
    ended: Vec<AgentRecord>,
    alerts: Vec<AgentRecord>,
    placed: Vec<AgentRecord>,
}

impl GatewayAgents {
    /// Scans for lost agents at once and then in this interval, until [`stop`](GatewayAgents::stop).
    pub(crate) fn start_scans(&self, interval: Duration, runtime: &Handle) {
        let state = Arc::downgrade(&self.0);
        let task = runtime.spawn(async move {
            let mut ticks = tokio::time::interval(interval);
            ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
            loop {
                ticks.tick().await;
                let Some(state) = state.upgrade() else {
                    return;
                };
                // The store logs its error, and the next scan tries again.
                let _ = GatewayAgents(state).scan().await;
            }
        });
        self.0.tasks.lock().push(task.abort_handle());
    }

    /// Ends agents that lost their lease, logs each orphan and each worktree without a living agent once, and serves waiting requests.
    ///
    /// The store writes a row of its audit log for each agent. A scan treats at most 500 agents of a kind, and removes no worktree.
    pub(crate) async fn scan(&self) -> Result<ScanReport, AgentRefusal> {
        let scanned = self.with_store(|store, now| Ok(scan(store, now)?)).await?;
        for agent in scanned.ended {
            tracing::warn!(agent = agent.id, task = agent.task_id, "an agent was lost");
            self.publish(AgentEventKind::Changed, agent);
        }
        for agent in scanned.alerts {
            tracing::warn!(
                agent = agent.id,
                task = agent.task_id,
                "an agent ended without writeback"
            );
            self.publish(AgentEventKind::Orphaned, agent);
        }
        for agent in scanned.placed {
            self.publish(AgentEventKind::Allocated, agent);
        }
        let worktrees = self.worktrees().await?;
        self.log_worktrees(&worktrees);
        Ok(ScanReport {
            agents: scanned.report,
            worktrees,
        })
    }

    /// Logs the worktrees without a living agent that were not logged before.
    pub(super) fn log_worktrees(&self, found: &[PathBuf]) {
        for path in self.unlogged(found) {
            tracing::info!(path = %path.display(), "a worktree has no living agent");
        }
    }

    /// Returns the worktrees that are not among those of the last call.
    pub(super) fn unlogged(&self, found: &[PathBuf]) -> Vec<PathBuf> {
        let found: BTreeSet<_> = found.iter().cloned().collect();
        let logged = std::mem::replace(&mut *self.0.logged_worktrees.lock(), found.clone());
        found.difference(&logged).cloned().collect()
    }

    /// Reports lost agents and worktrees, and changes nothing.
    pub(crate) async fn orphans(&self) -> Result<ScanReport, AgentRefusal> {
        let agents = self
            .with_store(|store, now| Ok(store.orphans(now)?))
            .await?;
        let worktrees = self.worktrees().await?;
        Ok(ScanReport { agents, worktrees })
    }
}

fn scan(store: &dyn AgentStore, now: u64) -> Result<ScannedAgents, StoreError> {
    let report = store.reap(now)?;
    let find = |ids: &[String]| ids.iter().map(|id| store.agent(id)).collect();
    let ended: Result<Vec<_>, _> = find(&report.lapsed);
    let stale: Result<Vec<_>, _> = find(&report.stale_reservations);
    let alerts = find(&report.alerts);
    let mut placed = Vec::new();
    for pool in AgentPool::ALL {
        placed.extend(store.place_waiting(pool, now)?);
    }
    let mut ended = ended?;
    ended.extend(stale?);
    Ok(ScannedAgents {
        alerts: alerts?,
        report,
        ended,
        placed,
    })
}
