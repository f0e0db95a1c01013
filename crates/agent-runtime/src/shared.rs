//! The state that the runner and its tasks share.

use std::collections::{HashMap, HashSet};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use repertoire_agents::{AgentRecord, AgentState, FailReason, StoreError};
use tokio::sync::{broadcast, mpsc, oneshot, watch};
use tokio::task::JoinSet;

use crate::conversation::{Control, Progress};
use crate::journal::Journal;
use crate::token::TokenTable;
use crate::{
    AgentHost, AgentIdentity, LaunchError, RunnerEvent, RunnerEventKind, RunnerOptions, SpawnError,
    SpawnRequest, Spawned, Ticket, launch,
};

/// The state that the runner and its tasks share.
pub(crate) struct Shared {
    pub(crate) journal: Journal,
    pub(crate) host: Arc<dyn AgentHost>,
    pub(crate) options: RunnerOptions,
    /// The name of this host in the rows.
    pub(crate) host_name: String,
    pub(crate) tokens: TokenTable,
    /// Excludes two plans of worktrees that choose the same branch.
    pub(crate) planning: tokio::sync::Mutex<()>,
    pub(crate) events: broadcast::Sender<RunnerEvent>,
    running: Mutex<HashMap<String, RunHandle>>,
    launching: Mutex<HashSet<String>>,
    waiting: Mutex<Vec<Order>>,
    /// The failed agents that others will replace.
    replaced: Mutex<HashSet<String>>,
    tasks: Mutex<JoinSet<()>>,
    is_stopping: AtomicBool,
}

type StartFuture = Pin<Box<dyn Future<Output = Result<Spawned, SpawnError>> + Send>>;

/// A running agent, as callers reach it.
#[derive(Debug, Clone)]
pub(crate) struct RunHandle {
    pub(crate) identity: AgentIdentity,
    /// The ticket without its secret.
    pub(crate) ticket: Ticket,
    pub(crate) control: mpsc::Sender<Control>,
    /// Closed at the end of the run.
    pub(crate) cancel: watch::Sender<Option<(FailReason, String)>>,
    pub(crate) progress: Arc<Mutex<Progress>>,
}

/// A request with the history of its restarts.
#[derive(Debug, Clone)]
pub(crate) struct Order {
    pub(crate) request: SpawnRequest,
    pub(crate) attempt: u32,
    pub(crate) pause: Duration,
}

impl Order {
    pub(crate) fn new(request: SpawnRequest) -> Self {
        Self {
            request,
            attempt: 0,
            pause: Duration::ZERO,
        }
    }
}

impl Shared {
    pub(crate) fn new(
        journal: Journal,
        host: Arc<dyn AgentHost>,
        options: RunnerOptions,
        host_name: String,
    ) -> Self {
        Self {
            journal,
            host,
            options,
            host_name,
            tokens: TokenTable::default(),
            planning: tokio::sync::Mutex::default(),
            events: broadcast::Sender::new(1024),
            running: Mutex::default(),
            launching: Mutex::default(),
            waiting: Mutex::default(),
            replaced: Mutex::default(),
            tasks: Mutex::default(),
            is_stopping: AtomicBool::new(false),
        }
    }

    /// Runs a future as a task of the runner. The result is lost if the runner is dropped.
    pub(crate) fn track<T: Send + 'static>(
        &self,
        future: impl Future<Output = T> + Send + 'static,
    ) -> oneshot::Receiver<T> {
        let (sender, receiver) = oneshot::channel();
        let mut tasks = self.tasks.lock();
        while tasks.try_join_next().is_some() {}
        tasks.spawn(async move {
            let _ = sender.send(future.await);
        });
        receiver
    }

    /// Ends all tasks at once; their processes end with them.
    pub(crate) fn abort(&self) {
        self.is_stopping.store(true, Ordering::Relaxed);
        self.tasks.lock().abort_all();
    }

    pub(crate) fn set_stopping(&self) {
        self.is_stopping.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.is_stopping.load(Ordering::Relaxed)
    }

    pub(crate) fn handle(&self, id: &str) -> Option<RunHandle> {
        self.running.lock().get(id).cloned()
    }

    pub(crate) fn handles(&self) -> Vec<RunHandle> {
        self.running.lock().values().cloned().collect()
    }

    /// Adds a run that a task will drive.
    pub(crate) fn add(&self, handle: RunHandle) {
        let id = handle.identity.agent_id.clone();
        self.running.lock().insert(id.clone(), handle);
    }

    /// Removes a run that ended.
    pub(crate) fn forget(&self, id: &str) {
        self.tokens.revoke(id);
        self.running.lock().remove(id);
    }

    pub(crate) fn emit(&self, agent: &AgentRecord, kind: RunnerEventKind) {
        // Without receivers there is nothing to send.
        let _ = self.events.send(RunnerEvent {
            agent_id: agent.id.clone(),
            parent: agent.parent.clone(),
            at: self.journal.now(),
            kind,
        });
    }

    pub(crate) fn emit_state(&self, agent: &AgentRecord, detail: Option<String>) {
        let kind = RunnerEventKind::State {
            state: agent.state,
            reason: agent.fail_reason,
            detail,
        };
        self.emit(agent, kind);
    }

    /// Reserves an agent and launches it.
    pub(crate) async fn start(self: &Arc<Self>, order: Order) -> Result<Spawned, SpawnError> {
        if self.is_stopping() {
            return Err(SpawnError::Stopped);
        }
        match self.allocate(&order).await {
            Ok(Some(agent)) => Arc::clone(self).place(agent, order).await,
            Ok(None) => {
                self.waiting.lock().push(order);
                Ok(Spawned::Waiting)
            }
            Err(error) => Err(SpawnError::Allocation(error)),
        }
    }

    async fn allocate(&self, order: &Order) -> Result<Option<AgentRecord>, StoreError> {
        let mut allocation = order.request.allocation.clone();
        allocation.host = Some(self.host_name.clone());
        self.journal
            .call(move |store, now| store.allocate(&allocation, now))
            .await
    }

    /// Launches a reserved agent, unless its key was used before.
    ///
    /// The type is named because a run can start its successor.
    fn place(self: Arc<Self>, agent: AgentRecord, order: Order) -> StartFuture {
        Box::pin(async move {
            if let Some(handle) = self.handle(&agent.id) {
                return Ok(Spawned::Started(Box::new(handle.ticket)));
            }
            let is_ours = agent.host.as_deref() == Some(&*self.host_name);
            let is_new = agent.state == AgentState::Pending && is_ours;
            if !is_new || !self.launching.lock().insert(agent.id.clone()) {
                return Ok(Spawned::Known(Box::new(agent)));
            }
            let id = agent.id.clone();
            self.emit_state(&agent, None);
            let launched = launch::launch(&self, agent, order).await;
            self.launching.lock().remove(&id);
            match launched {
                Ok(ticket) => Ok(Spawned::Started(Box::new(ticket))),
                Err(cause) => Err(self.give_up(id, cause).await),
            }
        })
    }

    async fn give_up(&self, agent_id: String, cause: LaunchError) -> SpawnError {
        self.forget(&agent_id);
        if let Ok(failed) = self.journal.fail(&agent_id, cause.reason()).await {
            self.emit_state(&failed, Some(cause.full_text()));
        }
        SpawnError::Failed { agent_id, cause }
    }

    /// Asks again for the requests that wait, now that a place may be free.
    pub(crate) async fn serve_waiting(self: &Arc<Self>) {
        let waiting = std::mem::take(&mut *self.waiting.lock());
        for order in waiting {
            if self.is_stopping() {
                return;
            }
            match self.allocate(&order).await {
                Ok(Some(agent)) => {
                    self.track(Arc::clone(self).place(agent, order));
                }
                Ok(None) | Err(StoreError::Database(_)) => self.waiting.lock().push(order),
                // The request can never be served any more; its caller is refused when it asks again.
                Err(_) => {}
            }
        }
    }

    /// Announces that a different agent will replace the failed one.
    pub(crate) fn announce_replacement(&self, id: &str) {
        self.replaced.lock().insert(id.to_owned());
    }

    /// Withdraws an announcement; returns whether there was one.
    pub(crate) fn withdraw_replacement(&self, id: &str) -> bool {
        self.replaced.lock().remove(id)
    }

    pub(crate) fn has_waiting(&self) -> bool {
        !self.waiting.lock().is_empty()
    }
}
