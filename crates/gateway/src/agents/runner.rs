//! The runner, which starts the programs of agents.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use repertoire::config::AgentSettings;
use repertoire::skill::error_chain;
use repertoire_agent_runtime::{
    AgentIdentity, AgentMessage, AgentRunner, HostMessage, RunnerError, RunnerEvent,
    RunnerEventKind, RunnerOptions, SpawnError, SpawnRequest, Spawned, Worktrees,
};
use repertoire_agents::{AgentRecord, AgentState, AgentStore, WritebackKind};
use serde_json::{Value, json};
use tokio::runtime::Handle;
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

use super::host::RegistryHost;
use super::request::BoundRequest;
use super::{AgentEventKind, AgentRefusal, GatewayAgents, RefusalKind};
use crate::TokenScope;

impl GatewayAgents {
    /// Starts the runner, which accounts for the agents of a gateway that was killed.
    pub(super) async fn start_runner(
        &self,
        folder: &Path,
        settings: &AgentSettings,
        host: RegistryHost,
        runtime: &Handle,
    ) -> Result<(), AgentRefusal> {
        let project = &host.programs.folder;
        let mut options = RunnerOptions::new(folder.join("agents"), project);
        options.supervisor = host.programs.supervisor.to_vec();
        options.worktrees = has_repository(project).then(|| {
            let root = match &settings.worktrees {
                Some(root) => project.join(root),
                None => folder.join("worktrees"),
            };
            let variables = Arc::clone(&host.programs.variables);
            Worktrees::new(project, root).with_variables(variables)
        });
        let runner = start(Arc::clone(&self.0.store), Arc::new(host), options).await?;
        let recovered = runner.recovered();
        for id in &recovered.failed {
            tracing::warn!(agent = id, "the agent of a killed gateway was ended");
        }
        let worktrees = recovered.worktrees.iter().map(|one| one.path.clone());
        self.log_worktrees(&worktrees.collect::<Vec<_>>());
        self.forward(runner.events(), runtime);
        let _ = self.0.runner.set(runner);
        Ok(())
    }

    fn runner(&self) -> Option<&AgentRunner> {
        self.0.runner.get()
    }

    /// Sends the events of the runner on, each with the record of its agent.
    fn forward(&self, mut events: broadcast::Receiver<RunnerEvent>, runtime: &Handle) {
        let state = Arc::downgrade(&self.0);
        let task = runtime.spawn(async move {
            loop {
                let event = match events.recv().await {
                    Ok(event) => event,
                    Err(RecvError::Lagged(_)) => continue,
                    Err(RecvError::Closed) => return,
                };
                let Some(state) = state.upgrade() else {
                    return;
                };
                if let Some(kind) = kind_of(&event.kind) {
                    let agents = GatewayAgents(state);
                    let found =
                        agents.with_store(move |store, _| Ok(store.agent(&event.agent_id)?));
                    if let Ok(agent) = found.await {
                        agents.publish(kind, agent);
                    }
                }
            }
        });
        self.0.tasks.lock().push(task.abort_handle());
    }

    /// Reserves an agent and starts its program; `None` without a runner.
    pub(super) async fn run(
        &self,
        request: &BoundRequest,
    ) -> Option<Result<Option<AgentRecord>, AgentRefusal>> {
        let runner = self.runner()?;
        let request = match spawn_request(request) {
            Ok(request) => request,
            Err(refusal) => return Some(Err(refusal)),
        };
        Some(match runner.spawn(request).await {
            Ok(Spawned::Started(ticket)) => {
                let id = ticket.agent_id.clone();
                let found = self.with_store(move |store, _| Ok(store.agent(&id)?));
                found.await.map(Some)
            }
            Ok(Spawned::Known(agent)) => Ok(Some(*agent)),
            // The others wait in a queue.
            Ok(_) => Ok(None),
            Err(SpawnError::Allocation(error)) => Err(error.into()),
            Err(error) => Err(AgentRefusal::new(
                RefusalKind::Conflict,
                error_chain(&error),
            )),
        })
    }

    /// Ends an agent with its processes; `None` without a runner.
    pub(super) async fn end(&self, id: &str) -> Option<Result<AgentRecord, AgentRefusal>> {
        let ended = self.runner()?.cancel(id).await;
        Some(ended.map_err(AgentRefusal::from))
    }

    /// Returns the worktrees without a living agent; none without a runner.
    pub(super) async fn worktrees(&self) -> Result<Vec<PathBuf>, AgentRefusal> {
        let Some(runner) = self.runner() else {
            return Ok(Vec::new());
        };
        match runner.worktrees().await {
            Ok(found) => Ok(found.into_iter().map(|worktree| worktree.path).collect()),
            Err(error) => {
                tracing::warn!(error = %error_chain(&error), "the worktrees cannot be listed");
                Err(error.into())
            }
        }
    }

    /// Delivers a record to the runner; `None` if it does not run the agent in this epoch.
    pub(super) async fn deliver_record(
        &self,
        id: &str,
        epoch: u64,
        kind: WritebackKind,
        record: &Value,
    ) -> Option<Result<(), AgentRefusal>> {
        let record = record.clone();
        let message = AgentMessage::Writeback { kind, record };
        self.deliver(id, epoch, message).await
    }

    /// Delivers a message, as the runner reads it, to the runner; `None` if it does not run the agent in this epoch.
    pub(super) async fn deliver_message(
        &self,
        id: &str,
        epoch: u64,
        message: Value,
    ) -> Option<Result<(), AgentRefusal>> {
        match serde_json::from_value(message) {
            Ok(message) => self.deliver(id, epoch, message).await,
            Err(error) => {
                let fault = ("message".to_owned(), error.to_string());
                Some(Err(AgentRefusal::invalid(vec![fault])))
            }
        }
    }

    async fn deliver(
        &self,
        id: &str,
        epoch: u64,
        message: AgentMessage,
    ) -> Option<Result<(), AgentRefusal>> {
        let runner = self.runner()?;
        let status = runner.status(id).await.ok()?;
        if !status.is_running || status.record.epoch != epoch {
            return None;
        }
        let sender = AgentIdentity::new(id, epoch);
        match runner.deliver(&sender, message).await {
            HostMessage::Refused { error, faults } => {
                let kind = match faults.is_empty() {
                    true => RefusalKind::Conflict,
                    false => RefusalKind::Invalid,
                };
                let mut refusal = AgentRefusal::new(kind, error);
                refusal.faults = faults.iter().map(|fault| json!(fault)).collect();
                Some(Err(refusal))
            }
            _ => Some(Ok(())),
        }
    }

    /// Returns the scope of a token that the runner gave to an agent.
    pub(crate) fn scope(&self, token: &str) -> Option<TokenScope> {
        let AgentIdentity {
            agent_id, epoch, ..
        } = self.runner()?.identify(token)?;
        let agent = agent_id.into();
        Some(TokenScope::Agent { agent, epoch })
    }

    pub(super) async fn stop_runner(&self) {
        if let Some(runner) = self.runner() {
            runner.stop().await;
        }
    }
}

fn spawn_request(bound: &BoundRequest) -> Result<SpawnRequest, AgentRefusal> {
    let mut request = SpawnRequest::new(bound.allocation.clone());
    request.context = bound.context.clone();
    request.skills = serde_json::from_value(bound.skills.clone()).map_err(|error| {
        let fault = ("skill_refs".to_owned(), error.to_string());
        AgentRefusal::invalid(vec![fault])
    })?;
    Ok(request)
}

/// Returns the kind of an event; `None` for the output of a program.
fn kind_of(kind: &RunnerEventKind) -> Option<AgentEventKind> {
    match kind {
        RunnerEventKind::State { state, .. } if *state == AgentState::Pending => {
            Some(AgentEventKind::Allocated)
        }
        RunnerEventKind::State { .. } => Some(AgentEventKind::Changed),
        RunnerEventKind::Recorded { .. } => Some(AgentEventKind::Recorded),
        RunnerEventKind::Checkpoint { .. } => Some(AgentEventKind::Checkpoint),
        RunnerEventKind::Verified { .. } => Some(AgentEventKind::Verified),
        RunnerEventKind::Restart { .. } => Some(AgentEventKind::Restarting),
        _ => None,
    }
}

/// Starts a runner, without worktrees if `git` cannot read the repository.
///
/// `git` refuses repositories of other owners and of other mounts.
async fn start(
    store: Arc<dyn AgentStore>,
    host: Arc<RegistryHost>,
    mut options: RunnerOptions,
) -> Result<AgentRunner, RunnerError> {
    let started = AgentRunner::start(Arc::clone(&store), host.clone(), options.clone()).await;
    let Err(RunnerError::Worktrees(error)) = started else {
        return started;
    };
    let error = error_chain(&error);
    tracing::warn!(
        error,
        "the repository cannot be read: agents get no worktrees"
    );
    options.worktrees = None;
    AgentRunner::start(store, host, options).await
}

/// Returns whether the folder is in a Git repository.
fn has_repository(folder: &Path) -> bool {
    folder
        .ancestors()
        .any(|folder| folder.join(".git").exists())
}

impl From<RunnerError> for AgentRefusal {
    fn from(error: RunnerError) -> AgentRefusal {
        match error {
            RunnerError::Store(error) => error.into(),
            RunnerError::NotRunning(_) | RunnerError::State { .. } => {
                AgentRefusal::new(RefusalKind::Conflict, error_chain(&error))
            }
            error => AgentRefusal::new(RefusalKind::Unavailable, error_chain(&error)),
        }
    }
}
