//! The state that the runner and its tasks share.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use parking_lot::Mutex;
use repertoire_agents::{AgentPhase, AgentRecord, FailReason};
use tokio::sync::{broadcast, mpsc, oneshot, watch};
use tokio::task::JoinSet;

use crate::journal::Journal;
use crate::request::Order;
use crate::token::TokenTable;
use crate::{
    AgentHost, AgentIdentity, AgentMessage, HostMessage, RunnerError, RunnerEvent, RunnerEventKind,
    RunnerOptions, Ticket,
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
    starting: Mutex<HashSet<String>>,
    waiting: Mutex<Vec<Order>>,
    /// The failed agents that others will replace.
    replaced: Mutex<HashSet<String>>,
    /// `None` after the runner was dropped: no task begins then.
    tasks: Mutex<Option<JoinSet<()>>>,
    starts: watch::Sender<Starts>,
}

/// The starts of agents.
#[derive(Debug, Default)]
struct Starts {
    under_way: usize,
    is_stopping: bool,
}

/// The permission to start an agent. A stop waits until it is dropped.
pub(crate) struct StartPermit(Arc<Shared>);

impl Drop for StartPermit {
    fn drop(&mut self) {
        self.0.starts.send_modify(|starts| starts.under_way -= 1);
    }
}

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

/// The status of an agent besides its row.
#[derive(Debug, Clone, Default)]
pub(crate) struct Progress {
    pub(crate) phase: Option<AgentPhase>,
    pub(crate) tokens: u64,
    /// The status in the last task update.
    pub(crate) task_status: Option<String>,
}

/// A request of a caller to a running agent.
#[derive(Debug)]
pub(crate) enum Control {
    Deliver(AgentMessage, oneshot::Sender<HostMessage>),
    Assign(String, oneshot::Sender<Result<AgentRecord, RunnerError>>),
    Retire(oneshot::Sender<Result<AgentRecord, RunnerError>>),
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
            starting: Mutex::default(),
            waiting: Mutex::default(),
            replaced: Mutex::default(),
            tasks: Mutex::new(Some(JoinSet::new())),
            starts: watch::Sender::default(),
        }
    }

    /// Runs a future as a task of the runner. The result is lost if the runner is dropped.
    pub(crate) fn track<T: Send + 'static>(
        &self,
        future: impl Future<Output = T> + Send + 'static,
    ) -> oneshot::Receiver<T> {
        let (sender, receiver) = oneshot::channel();
        if let Some(tasks) = &mut *self.tasks.lock() {
            while tasks.try_join_next().is_some() {}
            tasks.spawn(async move {
                let _ = sender.send(future.await);
            });
        }
        receiver
    }

    /// Ends all tasks at once, also those that begin later; their processes end with them.
    pub(crate) fn abort(&self) {
        self.set_stopping();
        let tasks = self.tasks.lock().take();
        drop(tasks);
    }

    /// Sets that no further start begins.
    pub(crate) fn set_stopping(&self) {
        self.starts.send_modify(|starts| starts.is_stopping = true);
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.starts.borrow().is_stopping
    }

    /// Notes a start; `None` if the runner stops.
    pub(crate) fn permit_start(self: &Arc<Self>) -> Option<StartPermit> {
        let is_permitted = self.starts.send_if_modified(|starts| {
            starts.under_way += usize::from(!starts.is_stopping);
            !starts.is_stopping
        });
        is_permitted.then(|| StartPermit(Arc::clone(self)))
    }

    /// Waits until no start is under way.
    pub(crate) async fn starts_ended(&self) {
        let mut starts = self.starts.subscribe();
        // The sender lives as long as this state.
        let _ = starts.wait_for(|starts| starts.under_way == 0).await;
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

    /// Announces that a different agent will replace the failed one.
    pub(crate) fn announce_replacement(&self, id: &str) {
        self.replaced.lock().insert(id.to_owned());
    }

    /// Withdraws an announcement; returns whether there was one.
    pub(crate) fn withdraw_replacement(&self, id: &str) -> bool {
        self.replaced.lock().remove(id)
    }

    /// Returns whether a replacement is announced.
    pub(crate) fn is_replaced(&self, id: &str) -> bool {
        self.replaced.lock().contains(id)
    }

    /// Notes that an agent is started; returns `false` if it was noted before.
    pub(crate) fn begin_start(&self, id: &str) -> bool {
        self.starting.lock().insert(id.to_owned())
    }

    pub(crate) fn end_start(&self, id: &str) {
        self.starting.lock().remove(id);
    }

    /// Keeps a request until a place is free, unless one with its key waits already.
    pub(crate) fn queue(&self, order: Order) {
        let mut waiting = self.waiting.lock();
        let key = &order.request.allocation.idempotency_key;
        let is_known = |other: &Order| other.request.allocation.idempotency_key == *key;
        if !waiting.iter().any(is_known) {
            waiting.push(order);
        }
    }

    /// Removes all requests that wait, and returns them.
    pub(crate) fn take_waiting(&self) -> Vec<Order> {
        std::mem::take(&mut *self.waiting.lock())
    }

    pub(crate) fn has_waiting(&self) -> bool {
        !self.waiting.lock().is_empty()
    }
}
