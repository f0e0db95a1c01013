//! The runner: spawns agents, watches them, and accounts for those of a killed host.

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use repertoire_agents::{
    AgentPhase, AgentRecord, AgentState, AgentStore, Checkpoint, FailReason, StoreError,
};
use serde::Serialize;
use tokio::sync::{broadcast, oneshot};

use crate::journal::Journal;
use crate::recovery::{self, RecoveryReport};
use crate::request::Order;
use crate::shared::{Control, RunHandle, Shared};
use crate::start::{self, serve_waiting};
use crate::ticket::create_private_folder;
use crate::{
    AgentHost, AgentIdentity, AgentMessage, FoundWorktree, HostMessage, RunnerError, RunnerEvent,
    RunnerOptions, SpawnError, SpawnRequest, Spawned,
};

/// The pause between attempts to lock the state folder, and their number.
const LOCK_PAUSE: Duration = Duration::from_millis(50);
const LOCK_ATTEMPTS: u32 = 20;

/// A runner of agents on one host.
///
/// - Each step of an agent is a row of the store before it is an action.
/// - When the end of a run is reported, no process of it is left, and its row has a final state.
/// - If the host is killed, the next start accounts for every agent that it had.
/// - Dropped, the runner ends all processes at once, and leaves the rows to the next start. Call [`stop`](AgentRunner::stop) before.
pub struct AgentRunner {
    shared: Arc<Shared>,
    recovered: RecoveryReport,
    /// Excludes a second runner while this one lives.
    _lock: File,
}

/// The present state of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct AgentStatus {
    /// The row of the agent.
    #[serde(flatten)]
    pub record: AgentRecord,
    /// `true` if this runner runs its process.
    pub is_running: bool,
    /// The phase of its task.
    pub phase: Option<AgentPhase>,
    /// The tokens that it reported.
    pub tokens: u64,
    /// The boundaries of phases that it reported, oldest first.
    pub checkpoints: Vec<Checkpoint>,
}

impl AgentRunner {
    /// Starts a runner, and accounts for the agents of a host that was killed.
    ///
    /// # Errors
    /// Fails if a different runner uses the state folder, or if the folder or the store fails.
    pub async fn start(
        store: Arc<dyn AgentStore>,
        host: Arc<dyn AgentHost>,
        options: RunnerOptions,
    ) -> Result<Self, RunnerError> {
        let folder_error = |cause| RunnerError::Folder {
            path: options.state_folder.clone(),
            cause,
        };
        let opened = lock(&options.state_folder).await.map_err(folder_error)?;
        let Some(lock) = opened else {
            return Err(RunnerError::InUse(options.state_folder));
        };
        let folder = options.state_folder.canonicalize().map_err(folder_error)?;
        let host_name = host_name(&folder);
        let journal = Journal::new(store, Arc::clone(&options.clock));
        let recovered = recovery::recover(&journal, &options, &host_name).await?;
        let shared = Arc::new(Shared::new(journal, host, options, host_name));
        let waiting = Arc::downgrade(&shared);
        let interval = shared.options.heartbeat;
        // Places can become free on other hosts too.
        shared.track(async move {
            loop {
                tokio::time::sleep(interval).await;
                let Some(shared) = waiting.upgrade() else {
                    return;
                };
                if shared.has_waiting() {
                    serve_waiting(&shared).await;
                }
            }
        });
        Ok(Self {
            shared,
            recovered,
            _lock: lock,
        })
    }

    /// Returns the agents and worktrees that a killed host left.
    pub fn recovered(&self) -> &RecoveryReport {
        &self.recovered
    }

    /// Reserves an agent, makes its worktree, resolves its skills, and starts its process.
    ///
    /// A key that was used before never starts a second agent.
    ///
    /// # Errors
    /// Fails if no agent is reserved, or if the reserved one failed before it ran; its row has the reason then.
    ///
    /// # Cancel safety
    /// Dropped, the spawn goes on.
    pub async fn spawn(&self, request: SpawnRequest) -> Result<Spawned, SpawnError> {
        let shared = Arc::clone(&self.shared);
        let order = Order::new(request);
        let started = self
            .shared
            .track(async move { start::start(&shared, order).await });
        started.await.unwrap_or(Err(SpawnError::Stopped))
    }

    /// Ends an agent that has not ended, with the reason `cancelled`; returns its row when its processes are gone.
    ///
    /// A resident agent that failed is not replaced then.
    ///
    /// # Errors
    /// Fails if the agent is unknown or the store fails, or if it has ended before and is not about to be replaced.
    pub async fn cancel(&self, id: &str) -> Result<AgentRecord, RunnerError> {
        if let Some(handle) = self.shared.handle(id) {
            let cause = (FailReason::Cancelled, "the agent was cancelled".to_owned());
            handle.cancel.send_replace(Some(cause));
            handle.cancel.closed().await;
            return Ok(self.shared.journal.agent(id).await?);
        }
        let was_replaced = self.shared.withdraw_replacement(id);
        let state = self.shared.journal.agent(id).await?.state;
        if state.is_final() && !was_replaced {
            return Err(StoreError::AgentEnded(state).into());
        }
        let reason = FailReason::Cancelled;
        let ended = self.shared.journal.fail(id, reason).await?;
        // Requests are in no queue while they are served, so a dropped caller must not end this.
        let shared = Arc::clone(&self.shared);
        let served = self
            .shared
            .track(async move { serve_waiting(&shared).await });
        let _ = served.await;
        Ok(ended)
    }

    /// Assigns a further task to a resident agent that waits.
    ///
    /// # Errors
    /// Fails if the agent does not run here or is not in the state `READY`, or if its worktree cannot get a branch.
    pub async fn assign(&self, id: &str, task_id: &str) -> Result<AgentRecord, RunnerError> {
        let task_id = task_id.to_owned();
        self.ask(id, |answer| Control::Assign(task_id, answer))
            .await?
    }

    /// Ends a resident agent that waits, in order.
    ///
    /// # Errors
    /// Fails if the agent does not run here or is not in the state `READY`.
    pub async fn retire(&self, id: &str) -> Result<AgentRecord, RunnerError> {
        self.ask(id, Control::Retire).await?
    }

    /// Delivers a message that an agent sent by a different way than its process, such as an MCP tool.
    ///
    /// It has the same effect as a line of JSON on standard output, and is a sign of life.
    pub async fn deliver(&self, sender: &AgentIdentity, message: AgentMessage) -> HostMessage {
        let handle = self.shared.handle(&sender.agent_id);
        if handle.is_none_or(|handle| handle.identity != *sender) {
            return HostMessage::refused("the agent does not run in this epoch");
        }
        self.ask(&sender.agent_id, |answer| Control::Deliver(message, answer))
            .await
            .unwrap_or_else(|error| HostMessage::refused(error.to_string()))
    }

    async fn ask<T>(
        &self,
        id: &str,
        control: impl FnOnce(oneshot::Sender<T>) -> Control,
    ) -> Result<T, RunnerError> {
        let not_running = || RunnerError::NotRunning(id.to_owned());
        let RunHandle {
            control: sender, ..
        } = self.shared.handle(id).ok_or_else(not_running)?;
        let (answer, answered) = oneshot::channel();
        let sent = sender.send(control(answer)).await;
        sent.map_err(|_| not_running())?;
        answered.await.map_err(|_| not_running())
    }

    /// Returns the agent whose token this is.
    pub fn identify(&self, token: &str) -> Option<AgentIdentity> {
        self.shared.tokens.identify(token)
    }

    /// Returns the present state of an agent.
    ///
    /// # Errors
    /// Fails if the agent is unknown or the store fails.
    pub async fn status(&self, id: &str) -> Result<AgentStatus, RunnerError> {
        let key = id.to_owned();
        let rows = self
            .shared
            .journal
            .call(move |store, _| Ok((store.agent(&key)?, store.checkpoints(&key)?)));
        let (record, checkpoints) = rows.await?;
        let handle = self.shared.handle(id);
        let progress = handle.as_ref().map(|handle| handle.progress.lock().clone());
        let progress = progress.unwrap_or_default();
        Ok(AgentStatus {
            is_running: handle.is_some() && !record.state.is_final(),
            phase: progress.phase.filter(|_| record.state == AgentState::Busy),
            tokens: progress.tokens,
            record,
            checkpoints,
        })
    }

    /// Returns a receiver of all later events. A receiver that is 1,024 events behind misses the oldest.
    pub fn events(&self) -> broadcast::Receiver<RunnerEvent> {
        self.shared.events.subscribe()
    }

    /// Returns the worktrees that have no living agent. They are never removed.
    ///
    /// # Errors
    /// Fails if the store, `git` or the folder fails.
    pub async fn worktrees(&self) -> Result<Vec<FoundWorktree>, RunnerError> {
        recovery::worktrees(&self.shared.journal, &self.shared.options).await
    }

    /// Cancels all agents, and returns when their processes are gone. Later requests are refused.
    ///
    /// An agent that is being started is cancelled too: before its process starts, or else right after.
    pub async fn stop(&self) {
        self.shared.set_stopping();
        self.cancel_all();
        self.shared.starts_ended().await;
        for handle in self.cancel_all() {
            handle.cancel.closed().await;
        }
    }

    fn cancel_all(&self) -> Vec<RunHandle> {
        let handles = self.shared.handles();
        for handle in &handles {
            let cause = (FailReason::Cancelled, "the host stops".to_owned());
            handle.cancel.send_replace(Some(cause));
        }
        handles
    }
}

impl std::fmt::Debug for AgentRunner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AgentRunner")
            .field("host_name", &self.shared.host_name)
            .field("recovered", &self.recovered)
            .finish_non_exhaustive()
    }
}

impl Drop for AgentRunner {
    fn drop(&mut self) {
        self.shared.abort();
    }
}

/// Locks the state folder; `None` if a different runner has it. The lock ends with the process.
async fn lock(folder: &Path) -> io::Result<Option<File>> {
    create_private_folder(folder)?;
    let mut options = File::options();
    options.create(true).truncate(false).write(true);
    let file = options.open(folder.join("runner.lock"))?;
    for _ in 0..LOCK_ATTEMPTS {
        match file.try_lock() {
            Ok(()) => return Ok(Some(file)),
            // A child of a killed host has the lock too, until it executes its program.
            Err(TryLockError::WouldBlock) => tokio::time::sleep(LOCK_PAUSE).await,
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
    Ok(None)
}

/// Returns a name that no other host of a shared store has, and that this one has again after a restart.
fn host_name(folder: &Path) -> String {
    let machine = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    format!("{}:{}", machine.trim(), folder.display())
}
