//! The way from a request to a running process, step by step, and the replacement of a resident agent.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;

use parking_lot::Mutex;
use repertoire_agents::{Actor, AgentRecord, AgentState, FailReason, StoreError};
use repertoire_core::Backoff;
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;

use crate::conversation::Conversation;
use crate::lease::{SignsOfLife, TimeLimit};
use crate::request::Order;
use crate::shared::{Control, Progress, RunHandle, Shared};
use crate::{
    AgentIdentity, AgentProgram, Launch, LaunchError, RunnerEventKind, SkillRef, SpawnError,
    Spawned, Ticket, WorktreeError, requirements, run,
};

/// The variable that has the id of the agent, in the environment of all its processes.
pub(crate) const AGENT_VARIABLE: &str = "REPERTOIRE_AGENT";

/// The variable that has the name of the host, in the environment of all processes of its agents.
pub(crate) const HOST_VARIABLE: &str = "REPERTOIRE_AGENT_HOST";

type StartFuture = Pin<Box<dyn Future<Output = Result<Spawned, SpawnError>> + Send>>;

/// Reserves an agent and starts it.
pub(crate) async fn start(shared: &Arc<Shared>, order: Order) -> Result<Spawned, SpawnError> {
    let Some(_permit) = shared.permit_start() else {
        return Err(SpawnError::Stopped);
    };
    match allocate(shared, &order).await {
        Ok(Some(agent)) => place(Arc::clone(shared), agent, order).await,
        Ok(None) => {
            shared.queue(order);
            Ok(Spawned::Queued)
        }
        Err(error) => Err(SpawnError::Allocation(error)),
    }
}

async fn allocate(shared: &Shared, order: &Order) -> Result<Option<AgentRecord>, StoreError> {
    let mut allocation = order.request.allocation.clone();
    allocation.host = Some(shared.host_name.clone());
    let allocated = shared
        .journal
        .call(move |store, now| store.allocate(&allocation, now));
    allocated.await
}

/// Starts a reserved agent, unless its key was used before.
///
/// The type is named because a run can start its successor.
fn place(shared: Arc<Shared>, agent: AgentRecord, order: Order) -> StartFuture {
    Box::pin(async move {
        if let Some(handle) = shared.handle(&agent.id) {
            return Ok(Spawned::Started(Box::new(handle.ticket)));
        }
        let is_ours = agent.host.as_deref() == Some(&*shared.host_name);
        let is_new = agent.state == AgentState::Pending && is_ours;
        if !is_new || !shared.begin_start(&agent.id) {
            return Ok(Spawned::Known(Box::new(agent)));
        }
        let id = agent.id.clone();
        shared.emit_state(&agent, None);
        let started = start_reserved(&shared, agent, order).await;
        shared.end_start(&id);
        match started {
            Ok(ticket) => Ok(Spawned::Started(Box::new(ticket))),
            Err(cause) => Err(give_up(&shared, id, cause).await),
        }
    })
}

async fn give_up(shared: &Shared, agent_id: String, cause: LaunchError) -> SpawnError {
    shared.forget(&agent_id);
    if let Ok(failed) = shared.journal.fail(&agent_id, cause.reason()).await {
        shared.emit_state(&failed, Some(cause.full_text()));
    }
    SpawnError::Failed { agent_id, cause }
}

/// Asks again for the requests that wait, now that a place may be free.
pub(crate) async fn serve_waiting(shared: &Arc<Shared>) {
    for order in shared.take_waiting() {
        let Some(permit) = shared.permit_start() else {
            return;
        };
        match allocate(shared, &order).await {
            Ok(Some(agent)) => {
                let placed = place(Arc::clone(shared), agent, order);
                shared.track(async move {
                    let _permit = permit;
                    placed.await
                });
            }
            Ok(None) | Err(StoreError::Database(_)) => shared.queue(order),
            // The request can never be served any more; its caller is refused when it asks again.
            Err(_) => {}
        }
    }
}

/// Starts a reserved agent; returns its ticket without the secret.
///
/// Each step is stored before it acts: the worktree before `git` makes it, and the state `INITIALIZING` before the process starts.
async fn start_reserved(
    shared: &Arc<Shared>,
    agent: AgentRecord,
    order: Order,
) -> Result<Ticket, LaunchError> {
    let program = shared.host.program(&agent.profile).await;
    let program = program.map_err(|reason| LaunchError::NoProgram {
        profile: agent.profile.clone(),
        reason,
    })?;
    let tools = order.request.allocation.required_tools.clone();
    let skills = wanted_skills(&order);
    let skills = requirements::resolve(&*shared.host, &agent.permissions, &skills, &tools)
        .await
        .map_err(LaunchError::Requirements)?;
    require_running(shared)?;
    let agent = make_worktree(shared, agent).await?;
    let mut ticket = ticket(shared, &agent, &order, skills).await?;
    let identity = AgentIdentity::new(&agent.id, agent.epoch);
    let public = ticket.clone();
    ticket.token = Some(shared.tokens.issue(&identity).map_err(LaunchError::Start)?);
    require_running(shared)?;
    let started = shared
        .journal
        .advance(&agent, AgentState::Initializing, Actor::Parent);
    let agent = started.await.map_err(LaunchError::Store)?;
    shared.emit_state(&agent, None);
    let run = start_process(shared, agent, order, (program, tools), ticket).await?;
    shared.add(RunHandle {
        identity,
        ticket: public.clone(),
        control: run.control,
        cancel: run.cancel.clone(),
        progress: Arc::clone(&run.conversation.progress),
    });
    let cancelled = run.cancel.subscribe();
    let shared = Arc::clone(shared);
    let driven = run::drive(run.conversation, cancelled, run.limits);
    Arc::clone(&shared).track(async move {
        let failed = driven.await;
        serve_waiting(&shared).await;
        if let Some((failed, order)) = failed {
            replace(&shared, failed, order).await;
        }
    });
    Ok(public)
}

/// Ends a start before its next lasting effect if the runner stops.
fn require_running(shared: &Shared) -> Result<(), LaunchError> {
    match shared.is_stopping() {
        true => Err(LaunchError::Stopped),
        false => Ok(()),
    }
}

/// A started run with the other ends of its channels.
struct StartedRun {
    conversation: Conversation,
    control: mpsc::Sender<Control>,
    cancel: watch::Sender<Option<(FailReason, String)>>,
    limits: watch::Receiver<Option<TimeLimit>>,
}

async fn start_process(
    shared: &Arc<Shared>,
    agent: AgentRecord,
    order: Order,
    (program, tools): (AgentProgram, BTreeSet<String>),
    ticket: Ticket,
) -> Result<StartedRun, LaunchError> {
    let folder = ticket.worktree_path.clone();
    let folder: PathBuf = folder.unwrap_or_else(|| shared.options.folder.clone());
    let marks = [
        (AGENT_VARIABLE, &agent.id),
        (HOST_VARIABLE, &shared.host_name),
    ];
    let marks = marks.map(|(name, value)| (OsString::from(name), OsString::from(value)));
    let child = Launch {
        program: &program,
        ticket: &ticket,
        folder: &folder,
        marks: &marks,
        supervisor: &shared.options.supervisor,
        ticket_folder: &shared.options.state_folder.join("tickets"),
    };
    let connection = program.runtime.start(child).await;
    let connection = connection.map_err(LaunchError::Start)?;
    let initialization = shared.options.initialization;
    let (limit, limits) = watch::channel(Some(TimeLimit {
        at: Instant::now() + initialization,
        reason: FailReason::InitError,
        detail: format!(
            "the agent was not ready after {} ms",
            initialization.as_millis()
        ),
    }));
    let (control, received) = mpsc::channel(16);
    let conversation = Conversation {
        shared: Arc::clone(shared),
        order,
        agent,
        ticket,
        tools,
        lifetime: program.lifetime,
        folder,
        connection,
        control: received,
        signs: Arc::new(SignsOfLife::new()),
        limit,
        progress: Arc::new(Mutex::new(Progress::default())),
    };
    Ok(StartedRun {
        conversation,
        control,
        cancel: watch::Sender::new(None),
        limits,
    })
}

/// Starts a new agent for the task of a resident one that failed, after a growing pause.
async fn replace(shared: &Arc<Shared>, mut failed: AgentRecord, mut order: Order) {
    while order.attempt < shared.options.most_restarts && !shared.is_stopping() {
        order.attempt += 1;
        order.pause = Backoff::pause_after(order.pause);
        let delay_ms = u64::try_from(order.pause.as_millis()).unwrap_or(u64::MAX);
        let attempt = order.attempt;
        shared.announce_replacement(&failed.id);
        shared.emit(&failed, RunnerEventKind::Restart { attempt, delay_ms });
        let key = format!("{}/restart", failed.id);
        order.request.allocation = order.request.allocation.retry(key, &failed.id);
        let Some(Err(SpawnError::Failed { agent_id, cause })) =
            start_replacement(shared, &failed.id, &order).await
        else {
            return;
        };
        // The agent ended already; this reads its row, as soon as the database works.
        match shared.journal.fail(&agent_id, cause.reason()).await {
            Ok(agent) => failed = agent,
            Err(_) => return,
        }
    }
}

/// Starts an announced replacement after its pause, and again while the database fails; `None` if it was withdrawn.
async fn start_replacement(
    shared: &Arc<Shared>,
    failed: &str,
    order: &Order,
) -> Option<Result<Spawned, SpawnError>> {
    let mut pause = order.pause;
    loop {
        tokio::time::sleep(pause).await;
        if !shared.is_replaced(failed) {
            return None;
        }
        match start(shared, order.clone()).await {
            Err(SpawnError::Allocation(StoreError::Database(_))) => {
                pause = Backoff::pause_after(pause);
            }
            started => {
                shared.withdraw_replacement(failed);
                return Some(started);
            }
        }
    }
}

/// Returns the skills of the request; a name that is only required gets its present content.
fn wanted_skills(order: &Order) -> Vec<SkillRef> {
    let mut skills = order.request.skills.clone();
    for name in &order.request.allocation.required_skills {
        if !skills.iter().any(|skill| skill.name == *name) {
            skills.push(SkillRef::new(name));
        }
    }
    skills
}

/// Stores the branch and the path, then makes them. A branch that a different process took is replaced once.
async fn make_worktree(shared: &Shared, agent: AgentRecord) -> Result<AgentRecord, LaunchError> {
    let Some(worktrees) = &shared.options.worktrees else {
        return Ok(agent);
    };
    let _guard = shared.planning.lock().await;
    let mut agent = agent;
    for attempt in 0..2 {
        let planned = worktrees
            .plan(&agent)
            .await
            .map_err(LaunchError::Worktree)?;
        let (id, epoch, branch) = (agent.id.clone(), agent.epoch, planned.branch.clone());
        let path = planned.path.display().to_string();
        let recorded = shared
            .journal
            .call(move |store, now| store.record_worktree(&id, epoch, &branch, &path, now));
        agent = recorded.await.map_err(LaunchError::Store)?;
        match worktrees.create(&planned).await {
            Ok(()) => return Ok(agent),
            Err(WorktreeError::Git { .. }) if attempt == 0 => {}
            Err(error) => return Err(LaunchError::Worktree(error)),
        }
    }
    unreachable!("the second attempt returns")
}

async fn ticket(
    shared: &Shared,
    agent: &AgentRecord,
    order: &Order,
    skill_refs: Vec<SkillRef>,
) -> Result<Ticket, LaunchError> {
    let (pool, name) = (agent.pool, agent.profile.clone());
    let limits = shared.journal.call(move |store, _| {
        let contract = store.pool(pool)?.contract;
        let mut profiles = store.profiles()?.into_iter();
        let profile = profiles.find(|(known, _)| *known == name);
        let (_, profile) = profile
            .ok_or_else(|| StoreError::Refused(format!("the profile `{name}` was removed")))?;
        Ok((contract, profile.timeout_ms(), profile.token_budget()))
    });
    let (writeback_contract, timeout_ms, token_budget) =
        limits.await.map_err(LaunchError::Store)?;
    let milliseconds = |time: std::time::Duration| u64::try_from(time.as_millis());
    Ok(Ticket {
        agent_id: agent.id.clone(),
        epoch: agent.epoch,
        task_id: agent.task_id.clone(),
        pool_assignment: pool,
        worktree_path: agent.worktree.as_ref().map(PathBuf::from),
        branch_name: agent.branch.clone(),
        writeback_contract,
        skill_refs,
        context_snapshot: order.request.context.clone(),
        permissions: agent.permissions.clone(),
        heartbeat_ms: milliseconds(shared.options.heartbeat).unwrap_or(u64::MAX),
        lease_ms: milliseconds(shared.options.lease).unwrap_or(u64::MAX),
        timeout_ms,
        token_budget,
        token: None,
    })
}
