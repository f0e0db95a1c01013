//! The agents of a gateway: their store, and the requests that callers may make about them.

mod event;
mod fields;
#[cfg(unix)]
mod host;
#[cfg(not(unix))]
mod no_runner;
mod of_gateway;
mod profiles;
mod refusal;
mod request;
#[cfg(unix)]
mod runner;
mod scan;
mod tools;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;
use repertoire::config::{AgentDefinition, AgentSettings, Configuration};
use repertoire::registry::{Snapshot, Subscription};
#[cfg(unix)]
use repertoire_agent_runtime::AgentRunner;
use repertoire_agents::{
    Actor, AgentRecord, AgentState, AgentStore, AuditEntry, Checkpoint, FailReason, Lifecycle,
    ProfileRating, StoreError, WritebackFault, WritebackKind,
};
use repertoire_mcp::Caller;
use repertoire_mcp_servers::{SupervisorOptions, ToolAccess};
use serde_json::{Value, json};
use tokio::runtime::Handle;
use tokio::sync::{broadcast, watch};
use tokio::task::AbortHandle;

pub(crate) use self::event::{AgentEvent, AgentEventKind};
pub(crate) use self::refusal::{AgentRefusal, RefusalKind};
pub(crate) use self::request::AgentRequest;
use self::request::BoundRequest;
pub(crate) use self::tools::AgentTools;
use crate::clock::now;
use crate::{GatewayState, Registries};

/// The agents of a gateway. Cheap to clone; clones are the same agents.
///
/// - Each request names its caller, and a caller acts for the agents that its token names: an agent for itself, as a parent for
///   the agents that it spawned, and the operator for all.
/// - An event is sent after its transaction was committed.
#[derive(Clone)]
pub(crate) struct GatewayAgents(Arc<AgentsState>);

struct AgentsState {
    store: Arc<dyn AgentStore>,
    /// The private folder of the runner. Without one, agents are reserved and not started.
    folder: OnceLock<PathBuf>,
    #[cfg(unix)]
    runner: OnceLock<AgentRunner>,
    /// The states of the gateway, once it starts.
    states: OnceLock<watch::Receiver<GatewayState>>,
    /// The address of the MCP server, once it listens.
    address: Arc<OnceLock<String>>,
    events: broadcast::Sender<AgentEvent>,
    /// The worktrees without a living agent that the log has.
    logged_worktrees: Mutex<BTreeSet<PathBuf>>,
    tasks: Mutex<Vec<AbortHandle>>,
}

/// The answer to a request for an agent.
#[derive(Debug)]
pub(crate) struct SpawnedAgent {
    /// The agent; `None` while the request waits.
    pub(crate) agent: Option<AgentRecord>,
    /// The key of the request.
    pub(crate) key: String,
}

/// An agent with its history.
#[derive(Debug)]
pub(crate) struct AuditedAgent {
    pub(crate) agent: AgentRecord,
    pub(crate) checkpoints: Vec<Checkpoint>,
    pub(crate) audit: Vec<AuditEntry>,
}

/// The most events that a reader may fall behind.
const EVENTS: usize = 1024;

impl std::fmt::Debug for GatewayAgents {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("GatewayAgents")
    }
}

impl GatewayAgents {
    pub(crate) fn new(store: Arc<dyn AgentStore>) -> GatewayAgents {
        GatewayAgents(Arc::new(AgentsState {
            store,
            folder: OnceLock::new(),
            #[cfg(unix)]
            runner: OnceLock::new(),
            states: OnceLock::new(),
            address: Arc::default(),
            events: broadcast::Sender::new(EVENTS),
            logged_worktrees: Mutex::default(),
            tasks: Mutex::default(),
        }))
    }

    /// Sets pools and profiles, starts the runner, and follows what changes them, until [`stop`](GatewayAgents::stop).
    pub(crate) async fn start(
        &self,
        configuration: &Configuration,
        programs: SupervisorOptions,
        (registries, tools, states): (&Registries, &ToolAccess, watch::Receiver<GatewayState>),
        runtime: &Handle,
    ) -> Result<(), AgentRefusal> {
        let _ = self.0.states.set(states);
        let options = &configuration.gateway().agents;
        self.set_pools(options).await?;
        // Subscribed before the first snapshot, so that no change is missed.
        let changes = registries.agents.subscribe();
        self.set_profiles(&registries.agents.snapshot()).await?;
        #[cfg(unix)]
        if let Some(folder) = self.0.folder.get() {
            let host = host::RegistryHost {
                registries: registries.clone(),
                tools: tools.clone(),
                programs,
                address: Arc::clone(&self.0.address),
            };
            self.start_runner(folder, options, host, runtime).await?;
        }
        #[cfg(not(unix))]
        let _ = (programs, tools);
        self.follow(changes, runtime);
        self.start_scans(options.scan_interval(), runtime);
        Ok(())
    }

    /// Ends the scans, and every agent with its processes.
    pub(crate) async fn stop(&self) {
        self.0.tasks.lock().drain(..).for_each(|task| task.abort());
        self.stop_runner().await;
    }

    /// Sets the private folder of the runner.
    pub(crate) fn set_folder(&self, folder: PathBuf) {
        let _ = self.0.folder.set(folder);
    }

    /// Sets the address of the MCP server, which agents get.
    pub(crate) fn set_address(&self, url: String) {
        let _ = self.0.address.set(url);
    }

    async fn set_pools(&self, settings: &AgentSettings) -> Result<(), AgentRefusal> {
        let pools = settings.pools();
        self.with_store(move |store, _| {
            for (name, settings) in pools {
                let pool = serde_json::from_value(json!(name));
                let settings = serde_json::from_value(settings);
                if let (Ok(pool), Ok(settings)) = (pool, settings) {
                    store.put_pool(pool, settings)?;
                }
            }
            Ok(())
        })
        .await
    }

    /// Replaces the profiles by those of the registry.
    pub(crate) async fn set_profiles(
        &self,
        agents: &Snapshot<AgentDefinition>,
    ) -> Result<(), AgentRefusal> {
        let profiles = profiles::profiles(agents);
        self.with_store(move |store, _| Ok(profiles::put(store, &profiles)?))
            .await
    }

    /// Replaces the profiles after each change of the registry, such as an agent that is registered in code.
    fn follow(&self, mut changes: Subscription<AgentDefinition>, runtime: &Handle) {
        let state = Arc::downgrade(&self.0);
        let task = runtime.spawn(async move {
            while let Some(update) = changes.next().await {
                let Some(state) = state.upgrade() else {
                    return;
                };
                // The store logs its error, and the next change tries again.
                let _ = GatewayAgents(state).set_profiles(&update.snapshot).await;
            }
        });
        self.0.tasks.lock().push(task.abort_handle());
    }

    /// Returns a receiver of all later events.
    pub(crate) fn events(&self) -> broadcast::Receiver<AgentEvent> {
        self.0.events.subscribe()
    }

    fn publish(&self, event: AgentEventKind, agent: AgentRecord) {
        let agent = Arc::new(agent);
        // It fails without readers.
        let _ = self.0.events.send(AgentEvent { event, agent });
    }

    /// Returns the agents that the caller may see, in order of their reservation.
    pub(crate) async fn list(&self, caller: &Caller) -> Result<Vec<AgentRecord>, AgentRefusal> {
        let caller = caller.clone();
        self.with_store(move |store, _| {
            let mut agents = store.agents()?;
            agents.retain(|agent| sees(&caller, agent));
            Ok(agents)
        })
        .await
    }

    /// Returns one agent.
    pub(crate) async fn get(&self, caller: &Caller, id: &str) -> Result<AgentRecord, AgentRefusal> {
        let (caller, id) = (caller.clone(), id.to_owned());
        self.with_store(move |store, _| find_seen(store, &caller, &id))
            .await
    }

    /// Returns one agent with its history.
    pub(crate) async fn audited(
        &self,
        caller: &Caller,
        id: &str,
    ) -> Result<AuditedAgent, AgentRefusal> {
        let (caller, id) = (caller.clone(), id.to_owned());
        self.with_store(move |store, _| {
            let agent = find_seen(store, &caller, &id)?;
            let checkpoints = store.checkpoints(&agent.id)?;
            let audit = store.audit(&agent.id)?;
            Ok(AuditedAgent {
                agent,
                checkpoints,
                audit,
            })
        })
        .await
    }

    /// Returns the rating of every profile for the request, the best first.
    pub(crate) async fn explain(
        &self,
        caller: &Caller,
        request: AgentRequest,
    ) -> Result<Vec<ProfileRating>, AgentRefusal> {
        let request = request.bind(caller)?;
        self.with_store(move |store, _| Ok(store.explain(&request.allocation)?))
            .await
    }

    /// Reserves an agent, or puts the request into the queue of its pool.
    pub(crate) async fn spawn(
        &self,
        caller: &Caller,
        request: AgentRequest,
    ) -> Result<SpawnedAgent, AgentRefusal> {
        self.check_not_paused()?;
        let request = request.bind(caller)?;
        let caller = caller.clone();
        self.with_store(move |store, _| check_may_spawn(store, &caller))
            .await?;
        let agent = match self.run(&request).await {
            Some(ran) => ran?,
            None => self.reserve(&request).await?,
        };
        let key = request.key;
        Ok(SpawnedAgent { agent, key })
    }

    fn check_not_paused(&self) -> Result<(), AgentRefusal> {
        let states = self.0.states.get();
        match states.is_some_and(|states| *states.borrow() == GatewayState::Paused) {
            true => Err(AgentRefusal::new(
                RefusalKind::Conflict,
                "the gateway is paused",
            )),
            false => Ok(()),
        }
    }

    /// Reserves an agent that the host starts.
    async fn reserve(&self, request: &BoundRequest) -> Result<Option<AgentRecord>, AgentRefusal> {
        let allocation = request.allocation.clone();
        let reserved = self.with_store(move |store, now| {
            let agent = store.allocate(&allocation, now)?;
            let is_new = agent.as_ref().is_some_and(|agent| agent.created_at == now);
            Ok((agent, is_new))
        });
        let (agent, is_new) = reserved.await?;
        if let (Some(agent), true) = (&agent, is_new) {
            self.publish(AgentEventKind::Allocated, agent.clone());
        }
        Ok(agent)
    }

    /// Ends an agent before its task is done. A reservation is given up; its process, if it has one, has failed.
    pub(crate) async fn cancel(
        &self,
        caller: &Caller,
        id: &str,
    ) -> Result<AgentRecord, AgentRefusal> {
        let (caller, id) = (caller.clone(), id.to_owned());
        let found = self.with_store(move |store, _| {
            let agent = find_seen(store, &caller, &id)?;
            let actor = check_may_end(store, &caller, &agent)?;
            Ok((agent, actor))
        });
        let (agent, actor) = found.await?;
        if let Some(ended) = self.end(&agent.id).await {
            return ended;
        }
        let agent = self
            .with_store(move |store, now| {
                let to = match agent.state {
                    AgentState::Pending if actor == Actor::Parent => AgentState::Terminated,
                    _ => AgentState::Failed,
                };
                let end = Lifecycle::default().transition(agent.state, to, actor);
                let end = end.map_err(|_| StoreError::AgentEnded(agent.state))?;
                let end = match to {
                    AgentState::Failed => end.because(FailReason::Cancelled),
                    _ => end,
                };
                Ok(store.advance(&agent.id, agent.epoch, &end, now)?)
            })
            .await?;
        self.publish(AgentEventKind::Changed, agent.clone());
        Ok(agent)
    }

    /// Stores a record of the agent `id`, or of the calling agent. Returns the agent, and what it still owes before it may end.
    pub(crate) async fn write_back(
        &self,
        caller: &Caller,
        id: Option<&str>,
        kind: WritebackKind,
        record: Value,
    ) -> Result<(AgentRecord, Vec<WritebackFault>), AgentRefusal> {
        let (id, epoch) = writer(caller, id)?;
        let epoch = match epoch {
            Some(epoch) => epoch,
            None => {
                let id = id.clone();
                self.with_store(move |store, _| Ok(store.agent(&id)?.epoch))
                    .await?
            }
        };
        if let Some(delivered) = self.deliver_record(&id, epoch, kind, &record).await {
            delivered?;
            return self
                .with_store(move |store, _| Ok((store.agent(&id)?, store.owed(&id)?)))
                .await;
        }
        let recorded = self.with_store(move |store, now| {
            store.write_back(&id, epoch, kind, &record, now)?;
            Ok((store.agent(&id)?, store.owed(&id)?))
        });
        let (agent, owed) = recorded.await?;
        self.publish(AgentEventKind::Recorded, agent.clone());
        Ok((agent, owed))
    }

    /// Passes a message of the calling agent to the runner.
    pub(crate) async fn message(
        &self,
        caller: &Caller,
        message: Value,
    ) -> Result<(), AgentRefusal> {
        let Caller::Agent { id, epoch } = caller else {
            return Err(AgentRefusal::forbidden("this needs the token of an agent"));
        };
        let delivered = self.deliver_message(id, *epoch, message).await;
        delivered.unwrap_or_else(|| {
            let message = "the agent does not run here in this epoch";
            Err(AgentRefusal::new(RefusalKind::Conflict, message))
        })
    }

    /// Runs `work` with the store and the present time, in a thread that may block.
    async fn with_store<T: Send + 'static>(
        &self,
        work: impl FnOnce(&dyn AgentStore, u64) -> Result<T, AgentRefusal> + Send + 'static,
    ) -> Result<T, AgentRefusal> {
        let store = Arc::clone(&self.0.store);
        let done = tokio::task::spawn_blocking(move || work(store.as_ref(), now())).await;
        done.unwrap_or_else(|_| {
            let message = "the store of agents was interrupted";
            Err(AgentRefusal::new(RefusalKind::Unavailable, message))
        })
    }
}

fn sees(caller: &Caller, agent: &AgentRecord) -> bool {
    match caller {
        Caller::Agent { id, .. } => {
            *agent.id == **id
                || agent
                    .parent
                    .as_deref()
                    .is_some_and(|parent| parent == &**id)
        }
        _ => true,
    }
}

/// Returns the agent `id`; one that the caller may not see is unknown.
fn find_seen(
    store: &dyn AgentStore,
    caller: &Caller,
    id: &str,
) -> Result<AgentRecord, AgentRefusal> {
    let agent = store.agent(id)?;
    match sees(caller, &agent) {
        true => Ok(agent),
        false => Err(StoreError::UnknownAgent(id.to_owned()).into()),
    }
}

fn check_may_spawn(store: &dyn AgentStore, caller: &Caller) -> Result<(), AgentRefusal> {
    match caller {
        Caller::Operator => Ok(()),
        Caller::Agent { id, epoch } => check_alive(&store.agent(id)?, *epoch),
        _ => Err(needs_token()),
    }
}

/// Returns the actor as which the caller may end an agent that it sees.
fn check_may_end(
    store: &dyn AgentStore,
    caller: &Caller,
    agent: &AgentRecord,
) -> Result<Actor, AgentRefusal> {
    match caller {
        Caller::Operator => Ok(Actor::Parent),
        Caller::Agent { id, epoch } => {
            check_alive(&store.agent(id)?, *epoch)?;
            match *agent.id == **id {
                true => Ok(Actor::Agent),
                false => Ok(Actor::Parent),
            }
        }
        _ => Err(needs_token()),
    }
}

/// Checks that an agent that acts lives, and that its token is of its epoch.
fn check_alive(agent: &AgentRecord, epoch: u64) -> Result<(), AgentRefusal> {
    if agent.epoch != epoch {
        let (given, current) = (epoch, agent.epoch);
        return Err(StoreError::StaleEpoch { given, current }.into());
    }
    match agent.state {
        AgentState::Terminated | AgentState::Failed => {
            Err(StoreError::AgentEnded(agent.state).into())
        }
        _ => Ok(()),
    }
}

/// Returns the agent that a record is of, and the epoch of its token. The operator writes in the present epoch.
fn writer(caller: &Caller, given: Option<&str>) -> Result<(String, Option<u64>), AgentRefusal> {
    match (caller, given) {
        (Caller::Agent { id, epoch }, given) if given.is_none_or(|given| *given == **id) => {
            Ok((id.to_string(), Some(*epoch)))
        }
        (Caller::Agent { .. }, _) => {
            Err(AgentRefusal::forbidden("the token names a different agent"))
        }
        (Caller::Operator, Some(given)) => Ok((given.to_owned(), None)),
        (Caller::Operator, None) => {
            let fault = ("agent_id".to_owned(), "missing".to_owned());
            Err(AgentRefusal::invalid(vec![fault]))
        }
        _ => Err(needs_token()),
    }
}

fn needs_token() -> AgentRefusal {
    AgentRefusal::forbidden("this needs the token of an agent or of the operator")
}

#[cfg(test)]
mod tests;
