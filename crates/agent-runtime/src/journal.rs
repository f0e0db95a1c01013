//! The store of a runner: each step is a row before it is an action.

use std::sync::Arc;
use std::time::Duration;

use repertoire_agents::{
    Actor, AgentRecord, AgentState, AgentStore, FailReason, Lifecycle, StoreError,
};

use crate::TimeFn;

/// The pause between attempts to store the end of an agent in a database that fails.
const RETRY_PAUSE: Duration = Duration::from_secs(1);

/// The attempts after which the next start of a host has to account for the agent.
const MOST_RETRIES: u32 = 30;

/// A store whose calls do not block the runtime.
#[derive(Clone)]
pub(crate) struct Journal {
    store: Arc<dyn AgentStore>,
    clock: TimeFn,
}

impl Journal {
    pub(crate) fn new(store: Arc<dyn AgentStore>, clock: TimeFn) -> Self {
        Self { store, clock }
    }

    pub(crate) fn now(&self) -> u64 {
        (self.clock)()
    }

    /// Calls the store with the present time. A call that began ends, even if the future is dropped.
    pub(crate) async fn call<T: Send + 'static>(
        &self,
        call: impl FnOnce(&dyn AgentStore, u64) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (store, now) = (Arc::clone(&self.store), self.now());
        let called = tokio::task::spawn_blocking(move || call(&*store, now)).await;
        called.unwrap_or_else(|error| Err(StoreError::Database(Box::new(error))))
    }

    pub(crate) async fn agent(&self, id: &str) -> Result<AgentRecord, StoreError> {
        let id = id.to_owned();
        self.call(move |store, _| store.agent(&id)).await
    }

    /// Changes the state of an agent.
    pub(crate) async fn advance(
        &self,
        agent: &AgentRecord,
        to: AgentState,
        actor: Actor,
    ) -> Result<AgentRecord, StoreError> {
        let transition = Lifecycle::default().transition(agent.state, to, actor)?;
        let (id, epoch) = (agent.id.clone(), agent.epoch);
        self.call(move |store, now| store.advance(&id, epoch, &transition, now))
            .await
    }

    /// Assigns a further task to an idle agent.
    pub(crate) async fn assign(
        &self,
        agent: &AgentRecord,
        task_id: &str,
    ) -> Result<AgentRecord, StoreError> {
        let transition = Lifecycle::default()
            .transition(agent.state, AgentState::Busy, Actor::Scheduler)?
            .on_task(task_id);
        let (id, epoch) = (agent.id.clone(), agent.epoch);
        self.call(move |store, now| store.advance(&id, epoch, &transition, now))
            .await
    }

    /// Ends an agent that is not ended yet, in whatever state it is; returns its row.
    ///
    /// A database that fails is tried again for half a minute.
    pub(crate) async fn fail(
        &self,
        id: &str,
        reason: FailReason,
    ) -> Result<AgentRecord, StoreError> {
        let mut attempts = 0;
        loop {
            match self.fail_once(id, reason).await {
                // The state changed between reading and writing.
                Err(StoreError::StateConflict { .. } | StoreError::StaleEpoch { .. }) => {}
                Err(StoreError::Database(_)) if attempts < MOST_RETRIES => {
                    attempts += 1;
                    tokio::time::sleep(RETRY_PAUSE).await;
                }
                ended => return ended,
            }
        }
    }

    async fn fail_once(&self, id: &str, reason: FailReason) -> Result<AgentRecord, StoreError> {
        let id = id.to_owned();
        let actor = match reason {
            FailReason::LeaseExpired => Actor::Reaper,
            _ => Actor::Parent,
        };
        self.call(move |store, now| {
            let agent = store.agent(&id)?;
            if agent.state.is_final() {
                return Ok(agent);
            }
            let end = Lifecycle::default()
                .transition(agent.state, AgentState::Failed, actor)?
                .because(reason);
            store.advance(&id, agent.epoch, &end, now)
        })
        .await
    }
}
