//! The host's side of one run: messages become rows, and rows become answers.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::Mutex;
use repertoire_agents::{
    Actor, AgentPhase, AgentRecord, AgentState, FailReason, StoreError, WritebackKind,
};
use serde_json::Value;
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;

use crate::error::join;
use crate::lease::{RunEnd, SignsOfLife, TimeLimit};
use crate::request::Order;
use crate::shared::{Control, Progress, Shared};
use crate::{
    AgentExit, AgentLifetime, AgentMessage, CheckResult, HostMessage, Received, RunnerError,
    RunnerEventKind, RunningAgent, SkillCheck, Ticket, requirements,
};

/// The exit code of a supervisor, and of a shell, for a program that cannot be started.
const CANNOT_START: i32 = 127;

/// The most bytes of a note about checks. A store takes a few more.
const MOST_NOTE_BYTES: usize = 60_000;

/// A running agent with everything that its host knows about it.
pub(crate) struct Conversation {
    pub(crate) shared: Arc<Shared>,
    pub(crate) order: Order,
    pub(crate) agent: AgentRecord,
    /// The ticket that the agent got, with its secret.
    pub(crate) ticket: Ticket,
    /// The tools that the request names, besides those of the skills.
    pub(crate) tools: BTreeSet<String>,
    pub(crate) lifetime: AgentLifetime,
    pub(crate) folder: PathBuf,
    pub(crate) connection: Box<dyn RunningAgent>,
    pub(crate) control: mpsc::Receiver<Control>,
    pub(crate) signs: Arc<SignsOfLife>,
    pub(crate) limit: watch::Sender<Option<TimeLimit>>,
    pub(crate) progress: Arc<Mutex<Progress>>,
}

/// The answer to a message, and the end of the run if the message ends it.
type Answer = (HostMessage, Option<RunEnd>);

/// The state after a task that is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Afterwards {
    /// A resident agent waits for a further task.
    Wait,
    End,
}

impl Conversation {
    /// Talks until the run ends.
    pub(crate) async fn run(&mut self) -> RunEnd {
        loop {
            let end = tokio::select! {
                biased;
                Some(control) = self.control.recv() => self.control(control).await,
                received = self.connection.receive() => self.received(received).await,
            };
            if let Some(end) = end {
                return end;
            }
        }
    }

    async fn received(&mut self, received: Received) -> Option<RunEnd> {
        match received {
            Received::Message(message) => {
                self.signs.touch();
                let needs_answer =
                    matches!(message, AgentMessage::Writeback { .. } | AgentMessage::Done);
                let (answer, end) = self.handle(message).await;
                if needs_answer || answer != HostMessage::Accepted {
                    self.send(&answer).await;
                }
                end
            }
            Received::Malformed(problem) => {
                self.signs.touch();
                self.send(&HostMessage::refused(problem)).await;
                None
            }
            Received::Output(line) => {
                self.signs.touch();
                self.emit(RunnerEventKind::Output { line });
                None
            }
            Received::Ended(exit) => Some(self.exited(&exit).await),
        }
    }

    async fn control(&mut self, control: Control) -> Option<RunEnd> {
        match control {
            Control::Deliver(message, answer) => {
                self.signs.touch();
                let (text, end) = self.handle(message).await;
                let _ = answer.send(text);
                end
            }
            Control::Assign(task_id, answer) => {
                let assigned = self.assign(&task_id).await;
                let end = match &assigned {
                    Err(RunnerError::Worktrees(error)) if self.agent.state == AgentState::Busy => {
                        Some(RunEnd::Failed(FailReason::SpawnError, error.to_string()))
                    }
                    _ => None,
                };
                let _ = answer.send(assigned);
                end
            }
            Control::Retire(answer) => match self.retire().await {
                Ok(agent) => {
                    let _ = answer.send(Ok(agent));
                    Some(RunEnd::Terminated)
                }
                Err(error) => {
                    let _ = answer.send(Err(error));
                    None
                }
            },
        }
    }

    async fn handle(&mut self, message: AgentMessage) -> Answer {
        match message {
            AgentMessage::Ready => self.become_ready().await,
            AgentMessage::Heartbeat => (HostMessage::Accepted, None),
            AgentMessage::Phase { phase, note } => match self.checkpoint(phase, note).await {
                Ok(()) => (HostMessage::Accepted, None),
                Err(error) => refusal(&error),
            },
            AgentMessage::Tokens { used } => self.count_tokens(used),
            AgentMessage::Writeback { kind, record } => self.write_back(kind, record).await,
            AgentMessage::Done => self.finish(Afterwards::Wait).await,
        }
    }

    /// Checks skills and tools again, now that the agent runs, and assigns the first task.
    async fn become_ready(&mut self) -> Answer {
        if self.agent.state != AgentState::Initializing {
            let error = format!(
                "expected the state `INITIALIZING`, found `{}`",
                self.agent.state
            );
            return (HostMessage::refused(error), None);
        }
        let (host, permissions) = (&*self.shared.host, &self.agent.permissions);
        let skills = &self.ticket.skill_refs;
        let resolved = requirements::resolve(host, permissions, skills, &self.tools).await;
        if let Err(faults) = resolved {
            let detail = join(&faults);
            let end = RunEnd::Failed(FailReason::InitError, detail.clone());
            return (HostMessage::refused(detail), Some(end));
        }
        for (state, actor) in [
            (AgentState::Ready, Actor::Agent),
            (AgentState::Busy, Actor::Scheduler),
        ] {
            if let Err(error) = self.advance(state, actor).await {
                return refusal(&error);
            }
        }
        self.begin_task().await;
        (HostMessage::Accepted, None)
    }

    /// Sets the time limit of the task, and sends the task.
    async fn begin_task(&mut self) {
        let limit = std::time::Duration::from_millis(self.ticket.timeout_ms);
        self.limit.send_replace(Some(TimeLimit {
            at: Instant::now() + limit,
            reason: FailReason::Timeout,
            detail: format!("the task took longer than {} ms", limit.as_millis()),
        }));
        *self.progress.lock() = Progress::default();
        let assigned = HostMessage::Assigned {
            task_id: self.agent.task_id.clone(),
            branch_name: self.agent.branch.clone(),
        };
        self.send(&assigned).await;
    }

    fn count_tokens(&mut self, used: u64) -> Answer {
        let (total, budget) = {
            let mut progress = self.progress.lock();
            progress.tokens = progress.tokens.saturating_add(used);
            (progress.tokens, self.ticket.token_budget)
        };
        if total <= budget {
            return (HostMessage::Accepted, None);
        }
        let detail = format!("the task used {total} tokens of {budget}");
        let end = RunEnd::Failed(FailReason::Budget, detail.clone());
        (HostMessage::refused(detail), Some(end))
    }

    async fn checkpoint(&mut self, phase: AgentPhase, note: String) -> Result<(), StoreError> {
        let (id, epoch) = (self.agent.id.clone(), self.agent.epoch);
        let stored = self
            .shared
            .journal
            .call(move |store, now| store.checkpoint(&id, epoch, phase, &note, now));
        stored.await?;
        self.progress.lock().phase = Some(phase);
        self.emit(RunnerEventKind::Checkpoint { phase });
        Ok(())
    }

    async fn write_back(&mut self, kind: WritebackKind, record: Value) -> Answer {
        let status = record.get("status").and_then(Value::as_str);
        let status = status.filter(|_| kind == WritebackKind::TaskUpdate);
        let status = status.map(str::to_owned);
        let (id, epoch) = (self.agent.id.clone(), self.agent.epoch);
        let stored = self
            .shared
            .journal
            .call(move |store, now| store.write_back(&id, epoch, kind, &record, now));
        if let Err(error) = stored.await {
            return refusal(&error);
        }
        if status.is_some() {
            self.progress.lock().task_status = status;
        }
        self.emit(RunnerEventKind::Recorded { kind });
        (HostMessage::Accepted, None)
    }

    /// Verifies the task and ends it; the agent stays busy if a check fails or a record is missing.
    async fn finish(&mut self, afterwards: Afterwards) -> Answer {
        if self.agent.state != AgentState::Busy {
            let error = format!("expected the state `BUSY`, found `{}`", self.agent.state);
            return (HostMessage::refused(error), None);
        }
        // The agent waits for the checks and cannot send heartbeats in this time.
        self.signs.suspend();
        let verified = self.verify().await;
        self.signs.resume();
        if let Err(answer) = verified {
            return answer;
        }
        if afterwards == Afterwards::Wait && self.lifetime == AgentLifetime::Resident {
            match self.advance(AgentState::Ready, Actor::Agent).await {
                Ok(()) => {
                    self.limit.send_replace(None);
                    return (HostMessage::Accepted, None);
                }
                // The profile is not reusable, so this task was its last.
                Err(StoreError::Refused(_)) => {}
                Err(error) => return refusal(&error),
            }
        }
        match self.advance(AgentState::Terminated, Actor::Agent).await {
            Ok(()) => (HostMessage::Accepted, Some(RunEnd::Terminated)),
            Err(error) => refusal(&error),
        }
    }

    /// Runs the checks of all skills in the phase VERIFY, except for a task that is blocked or cancelled.
    async fn verify(&mut self) -> Result<(), Answer> {
        let status = self.progress.lock().task_status.clone();
        if status.is_some_and(|status| status != "done") || self.ticket.skill_refs.is_empty() {
            return Ok(());
        }
        let mut checks = Vec::new();
        for skill in &self.ticket.skill_refs {
            checks.extend(self.shared.host.verify(skill, &self.folder).await);
        }
        let stored = self.checkpoint(AgentPhase::Verify, note_of(&checks)).await;
        stored.map_err(|error| refusal(&error))?;
        let failed: Vec<_> = checks.iter().filter_map(failure).collect();
        self.emit(RunnerEventKind::Verified { checks });
        match failed.is_empty() {
            true => Ok(()),
            false => Err((HostMessage::refused(failed.join("; ")), None)),
        }
    }

    async fn assign(&mut self, task_id: &str) -> Result<AgentRecord, RunnerError> {
        self.require_idle()?;
        let worktree = self.ticket.worktree_path.clone();
        let worktrees = self.shared.options.worktrees.clone();
        let (agent, journal) = (self.agent.clone(), &self.shared.journal);
        self.agent = journal.assign(&agent, task_id).await?;
        self.emit_state(None);
        if let (Some(worktrees), Some(path)) = (worktrees, worktree) {
            worktrees.switch(&path, &self.agent.branch).await?;
        }
        self.begin_task().await;
        Ok(self.agent.clone())
    }

    async fn retire(&mut self) -> Result<AgentRecord, RunnerError> {
        self.require_idle()?;
        self.advance(AgentState::Terminated, Actor::Parent).await?;
        Ok(self.agent.clone())
    }

    fn require_idle(&self) -> Result<(), RunnerError> {
        match self.agent.state {
            AgentState::Ready => Ok(()),
            found => Err(RunnerError::State {
                expected: AgentState::Ready,
                found,
            }),
        }
    }

    /// Returns the end of a run whose process ended.
    async fn exited(&mut self, exit: &AgentExit) -> RunEnd {
        let is_busy = self.agent.state == AgentState::Busy;
        if is_busy && exit.code == Some(0) {
            // The end of the process is the end of the task, if everything is written back.
            let (answer, end) = self.finish(Afterwards::End).await;
            if let Some(end) = end {
                return end;
            }
            if let HostMessage::Refused { error, .. } = answer {
                let detail = format!("the process ended before its task: {error}");
                return RunEnd::Failed(FailReason::Crash, detail);
            }
        }
        let is_starting = self.agent.state == AgentState::Initializing;
        let reason = match exit.code {
            Some(CANNOT_START) if is_starting => FailReason::SpawnError,
            _ => FailReason::Crash,
        };
        RunEnd::Failed(reason, exit.detail())
    }

    async fn advance(&mut self, to: AgentState, actor: Actor) -> Result<(), StoreError> {
        self.agent = self.shared.journal.advance(&self.agent, to, actor).await?;
        // The end is reported after the process is gone.
        if !to.is_final() {
            self.emit_state(None);
        }
        Ok(())
    }

    async fn send(&mut self, message: &HostMessage) {
        // An agent that does not read ends, and its end is received.
        let _ = self.connection.send(message).await;
    }

    fn emit(&self, kind: RunnerEventKind) {
        self.shared.emit(&self.agent, kind);
    }

    fn emit_state(&self, detail: Option<String>) {
        self.shared.emit_state(&self.agent, detail);
    }
}

/// Returns the note of the checkpoint: each check with its result in a line, also those that were not run.
fn note_of(checks: &[SkillCheck]) -> String {
    let mut note = String::new();
    for (at, check) in checks.iter().enumerate() {
        let line = check.line();
        if note.len() + line.len() > MOST_NOTE_BYTES {
            note.push_str(&format!("{} further checks", checks.len() - at));
            break;
        }
        note.push_str(&line);
        note.push('\n');
    }
    note.truncate(note.trim_end().len());
    note
}

fn failure(check: &SkillCheck) -> Option<String> {
    match &check.result {
        CheckResult::Failed(reason) => Some(format!("`{}`: {reason}", check.check)),
        _ => None,
    }
}

/// Returns the answer to an agent whose message the store refused. If the agent lost its rights, the run ends.
fn refusal(error: &StoreError) -> Answer {
    let is_fenced = match error {
        StoreError::StaleEpoch { .. } | StoreError::AgentEnded(_) | StoreError::UnknownAgent(_) => {
            true
        }
        StoreError::StateConflict { found, .. } => found.is_final(),
        _ => false,
    };
    let end = is_fenced.then(|| RunEnd::Fenced(error.to_string()));
    (HostMessage::of_error(error), end)
}
