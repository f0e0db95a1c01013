//! The way from a reservation to a running process, step by step.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::Mutex;
use repertoire_agents::{Actor, AgentRecord, AgentState, FailReason, StoreError};
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;

use crate::conversation::{Conversation, Progress};
use crate::lease::{SignsOfLife, TimeLimit};
use crate::shared::{Order, RunHandle, Shared};
use crate::{
    AgentIdentity, AgentProgram, Launch, LaunchError, SkillRef, Ticket, WorktreeError,
    requirements, run,
};

/// The variable that has the id of the agent, in the environment of all its processes.
pub(crate) const AGENT_VARIABLE: &str = "REPERTOIRE_AGENT";

/// The variable that has the name of the host, in the environment of all processes of its agents.
pub(crate) const HOST_VARIABLE: &str = "REPERTOIRE_AGENT_HOST";

/// Launches a reserved agent; returns its ticket without the secret.
///
/// Each step is stored before it acts: the worktree before `git` makes it, and the state `INITIALIZING` before the process starts.
pub(crate) async fn launch(
    shared: &Arc<Shared>,
    agent: AgentRecord,
    order: Order,
) -> Result<Ticket, LaunchError> {
    let program = shared.host.program(&agent.profile).await;
    let program = program.ok_or_else(|| LaunchError::NoProgram(agent.profile.clone()))?;
    let tools = order.request.allocation.required_tools.clone();
    let skills = wanted_skills(&order);
    let skills = requirements::resolve(&*shared.host, &agent.permissions, &skills, &tools)
        .await
        .map_err(LaunchError::Requirements)?;
    let agent = make_worktree(shared, agent).await?;
    let mut ticket = ticket(shared, &agent, &order, skills).await?;
    let identity = AgentIdentity::new(&agent.id, agent.epoch);
    let public = ticket.clone();
    ticket.token = Some(shared.tokens.issue(&identity).map_err(LaunchError::Start)?);
    let started = shared
        .journal
        .advance(&agent, AgentState::Initializing, Actor::Parent);
    let agent = started.await.map_err(LaunchError::Store)?;
    shared.emit_state(&agent, None);
    let run = start(shared, agent, order, (program, tools), ticket).await?;
    shared.add(RunHandle {
        identity,
        ticket: public.clone(),
        control: run.control,
        cancel: run.cancel.clone(),
        progress: Arc::clone(&run.conversation.progress),
    });
    let cancelled = run.cancel.subscribe();
    shared.track(run::drive(run.conversation, cancelled, run.limits));
    Ok(public)
}

/// A started run with the other ends of its channels.
struct StartedRun {
    conversation: Conversation,
    control: mpsc::Sender<crate::conversation::Control>,
    cancel: watch::Sender<Option<(FailReason, String)>>,
    limits: watch::Receiver<Option<TimeLimit>>,
}

async fn start(
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
    let launch = Launch {
        program: &program,
        ticket: &ticket,
        folder: &folder,
        marks: &marks,
        supervisor: &shared.options.supervisor,
        ticket_folder: &shared.options.state_folder.join("tickets"),
    };
    let connection = program.runtime.start(launch).await;
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
