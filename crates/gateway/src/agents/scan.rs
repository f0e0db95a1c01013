//! The periodic scan for lost agents.

use std::sync::Arc;
use std::time::Duration;

use repertoire_agents::{AgentPool, AgentRecord, AgentStore, OrphanReport, StoreError};
use tokio::runtime::Handle;
use tokio::time::MissedTickBehavior;

use super::{AgentEventKind, AgentRefusal, GatewayAgents};

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

    /// Ends agents that lost their lease, reports each orphan once, and serves waiting requests.
    ///
    /// The store writes a row of its audit log for each of them. A scan treats at most 500 agents of a kind.
    pub(crate) async fn scan(&self) -> Result<OrphanReport, AgentRefusal> {
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
        Ok(scanned.report)
    }

    /// Reports lost agents and changes nothing.
    pub(crate) async fn orphans(&self) -> Result<OrphanReport, AgentRefusal> {
        self.with_store(|store, now| Ok(store.orphans(now)?)).await
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
