//! A run of a plan, with a state that outlives the process.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use repertoire::skill::OnError;
use repertoire::workflow::CheckOutcome;
use repertoire_mcp_servers::{CallError, ToolProvider};
use serde_json::{Map, Value};

use crate::clock::now;
use crate::regex_check;
use crate::run_journal::{JournalRow, RunJournal, sync_folder};
use crate::{PlannedStep, RunError, RunPlan, RunStatus, StepAction, StepState};

/// The size of a result from which on it is not stored.
const MOST_RESULT_BYTES: usize = 64 << 10;

const INTERRUPTED: &str = "the run was interrupted before the tool had answered";

/// A run of a [`RunPlan`]: its steps in order, each with its state in a file.
///
/// - The plan is stored at the start. Later changes of the workflow do not change the run.
/// - Before a tool is called, a row with this intent is on the disk. Its result is on the disk before the next step.
/// - If the process or the system ends in between, the step is [uncertain](StepState::Uncertain): the tool may have been called or not.
///   The run never calls it again by itself. The host asks, and [retries](WorkflowRun::retry) or [confirms](WorkflowRun::confirm) it.
/// - A call that was not answered in time, or whose server ended, is uncertain too.
/// - So each step is called at most once without a request to retry. *Exactly once* would need servers that know repeated calls.
/// - One process works on a run. The file has mode 0600 and contains arguments and results.
///
/// The methods that change a run block until the disk has the row.
///
/// ```
/// # use std::path::Path;
/// # use repertoire_gateway::{RunError, RunPlan, RunStatus, WorkflowRun};
/// # use repertoire_mcp_servers::ToolProvider;
/// async fn run(folder: &Path, plan: RunPlan, tools: &dyn ToolProvider) -> Result<RunStatus, RunError> {
///     let mut run = WorkflowRun::start(folder, plan, "/srv/project")?;
///     while let Some(step) = run.next_step().map(|step| step.number) {
///         // After the user has approved it. A step without a tool is confirmed.
///         run.call(step, tools).await?;
///     }
///     Ok(run.status())
/// }
/// ```
#[derive(Debug)]
pub struct WorkflowRun {
    id: Arc<str>,
    plan: RunPlan,
    project: PathBuf,
    states: Vec<StepState>,
    journal: RunJournal,
}

impl WorkflowRun {
    /// Starts a run of `plan`, whose file is in `folder`. Paths of checks are relative to `project`.
    ///
    /// # Errors
    /// [`RunError::Refused`] for a plan of a source that is not trusted, or with a step that no run can do; [`RunError::File`].
    pub fn start(
        folder: impl AsRef<Path>,
        plan: RunPlan,
        project: impl Into<PathBuf>,
    ) -> Result<WorkflowRun, RunError> {
        if let Some(reason) = plan.refusal() {
            return Err(RunError::Refused(reason));
        }
        let folder = folder.as_ref();
        let name = plan.name.rsplit('/').next().unwrap_or_default();
        let name = name.split('.').next().unwrap_or_default();
        let (mut journal, id) = RunJournal::create(folder, name)?;
        journal.append(&JournalRow::Plan {
            at: now(),
            plan: plan.clone(),
        })?;
        let folders = [Some(folder), folder.parent()];
        for folder in folders.into_iter().flatten() {
            sync_folder(folder).map_err(RunError::file(folder))?;
        }
        Ok(WorkflowRun {
            id: id.into(),
            states: vec![StepState::Pending; plan.steps.len()],
            plan,
            project: project.into(),
            journal,
        })
    }

    /// Opens the run `id` of `folder`, to continue it.
    ///
    /// # Errors
    /// [`RunError::UnknownRun`], [`RunError::Busy`], [`RunError::Damaged`] and [`RunError::File`].
    pub fn resume(
        folder: impl AsRef<Path>,
        id: &str,
        project: impl Into<PathBuf>,
    ) -> Result<WorkflowRun, RunError> {
        let (journal, rows) = RunJournal::open(folder.as_ref(), id)?;
        let mut rows = rows.into_iter();
        // A crash before the first row was complete: nothing has run.
        let Some(JournalRow::Plan { plan, .. }) = rows.next() else {
            return Err(RunError::UnknownRun(id.into()));
        };
        let mut states = vec![StepState::Pending; plan.steps.len()];
        for (line, row) in (2..).zip(rows) {
            let (step, state) = match row {
                // A second plan is of no step.
                JournalRow::Plan { .. } => (0, StepState::Pending),
                JournalRow::Begin { step, .. } => (step, interrupted()),
                JournalRow::End { step, state, .. } => (step, state),
                JournalRow::Retry { step, .. } => (step, StepState::Pending),
            };
            let place = step.checked_sub(1).and_then(|at| states.get_mut(at));
            *place.ok_or_else(|| RunError::Damaged {
                path: journal.path.clone(),
                line,
            })? = state;
        }
        Ok(WorkflowRun {
            id: id.into(),
            plan,
            project: project.into(),
            states,
            journal,
        })
    }

    /// Returns the id, which is the name of its file: `publish-1`.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the plan.
    pub fn plan(&self) -> &RunPlan {
        &self.plan
    }

    /// Returns the state of each step and check, in their order.
    ///
    /// After a step failed, the later ones are skipped unless its `on_error` is `continue`. Checks run unless the workflow failed.
    pub fn states(&self) -> Vec<StepState> {
        let mut ended: Option<(Arc<str>, OnError)> = None;
        let mut states = Vec::with_capacity(self.states.len());
        for (step, state) in self.plan.steps.iter().zip(&self.states) {
            let ends = matches!(state, StepState::Failed { .. }) && !step.is_check;
            states.push(match (state, &ended) {
                (StepState::Pending, Some((reason, on_error)))
                    if !step.is_check || *on_error == OnError::Fail =>
                {
                    StepState::Skipped {
                        reason: Arc::clone(reason),
                    }
                }
                (StepState::Pending, _) if step.is_check => match &step.action {
                    StepAction::Manual => StepState::Unjudged,
                    StepAction::Unsupported { what } => StepState::Skipped {
                        reason: format!("checks of the kind `{what}` are not run here").into(),
                    },
                    _ => StepState::Pending,
                },
                _ => state.clone(),
            });
            if ends && step.on_error != OnError::Continue && ended.is_none() {
                let reason = format!("step {} failed", step.number).into();
                ended = Some((reason, step.on_error));
            }
        }
        states
    }

    /// Returns the next step or check: the first that is pending or uncertain.
    pub fn next_step(&self) -> Option<&PlannedStep> {
        let states = self.states();
        let at = states
            .iter()
            .position(|state| matches!(state, StepState::Pending | StepState::Uncertain { .. }))?;
        self.plan.steps.get(at)
    }

    /// Returns the state of the run.
    pub fn status(&self) -> RunStatus {
        if self.next_step().is_some() {
            return RunStatus::Open;
        }
        let steps = self.plan.steps.iter().zip(&self.states);
        let has_failed = steps
            .filter(|(_, state)| matches!(state, StepState::Failed { .. }))
            .any(|(step, _)| step.is_check || step.on_error == OnError::Fail);
        match has_failed {
            true => RunStatus::Failed,
            false => RunStatus::Done,
        }
    }

    /// Runs the [next step](WorkflowRun::next_step), which calls a tool of `tools` or looks at a file or a result, and returns its state.
    ///
    /// # Errors
    /// [`RunError::Step`] for a step that is not the next one, is uncertain, or is of a person; [`RunError::File`]. A call that fails is
    /// a state.
    ///
    /// # Cancel safety
    /// A call that is dropped leaves the step uncertain.
    pub async fn call(
        &mut self,
        step: usize,
        tools: &dyn ToolProvider,
    ) -> Result<StepState, RunError> {
        let next = self.next_step().filter(|next| next.number == step);
        let Some(action) = next.map(|next| next.action.clone()) else {
            return refused(step, "is not the next one");
        };
        if self.states[step - 1] != StepState::Pending {
            return refused(step, "may have run: retry or confirm it");
        }
        let state = match action {
            StepAction::FileExists { path } => {
                match PlannedStep::file_exists(&path, &self.project) {
                    true => StepState::done(Value::Null),
                    false => StepState::failed(format!("there is no `{path}`")),
                }
            }
            StepAction::Call {
                server,
                tool,
                arguments,
            } => {
                self.begin(step)?;
                called(&server, &tool, arguments, tools).await
            }
            StepAction::Regex {
                pattern,
                path: Some(path),
                ..
            } => regex_check::in_file(&pattern, &path, &self.project),
            StepAction::Regex {
                pattern, step: of, ..
            } => {
                let state = of.checked_sub(1).and_then(|at| self.states.get(at));
                regex_check::in_result(&pattern, of, state)
            }
            StepAction::Command { .. } => {
                return refused(step, "runs a command, which the host has to start");
            }
            StepAction::Manual | StepAction::Unsupported { .. } => {
                return refused(step, "has no tool: confirm it when it is done");
            }
        };
        self.end(step, state)
    }

    /// Runs the [next step](WorkflowRun::next_step), a check whose [command](StepAction::Command) the host starts in `running`, and
    /// returns its state. The host asks for permission there: a command that may not run is [`CheckOutcome::Skipped`].
    ///
    /// # Errors
    /// [`RunError::Step`] for a step that is not the next one, is uncertain, or has no command; [`RunError::File`].
    ///
    /// # Cancel safety
    /// A command that is dropped leaves the step uncertain.
    pub async fn check(
        &mut self,
        step: usize,
        running: impl Future<Output = CheckOutcome>,
    ) -> Result<StepState, RunError> {
        let next = self.next_step().filter(|next| next.number == step);
        match next.map(|next| &next.action) {
            None => return refused(step, "is not the next one"),
            Some(StepAction::Command { .. }) => {}
            Some(_) => return refused(step, "has no command"),
        }
        if self.states[step - 1] != StepState::Pending {
            return refused(step, "may have run: retry or confirm it");
        }
        self.begin(step)?;
        let state = match running.await {
            CheckOutcome::Passed => StepState::done(Value::Null),
            CheckOutcome::Failed(reason) => StepState::failed(reason),
            CheckOutcome::Skipped(reason) => StepState::skipped(reason),
            _ => StepState::Unjudged,
        };
        self.end(step, state)
    }

    /// Marks a step as done: one that is uncertain and has run, or the next one if a person has done it.
    ///
    /// # Errors
    /// [`RunError::Step`] for a different step; [`RunError::File`].
    pub fn confirm(&mut self, step: usize) -> Result<(), RunError> {
        let is_next = self.next_step().is_some_and(|next| next.number == step);
        let planned = step.checked_sub(1).and_then(|at| self.plan.steps.get(at));
        match planned.map(|planned| &self.states[planned.number - 1]) {
            Some(StepState::Uncertain { .. }) => {}
            Some(StepState::Pending)
                if is_next && planned.is_some_and(|step| step.action == StepAction::Manual) => {}
            _ => {
                let reason = "is neither uncertain nor the next one without a tool";
                return Err(RunError::Step { step, reason });
            }
        }
        self.end(step, StepState::done(Value::Null)).map(|_| ())
    }

    /// Makes a step pending again that failed or is uncertain, or a check that was skipped. Its tool may be called a second time.
    ///
    /// # Errors
    /// [`RunError::Step`] for a step in a different state; [`RunError::File`].
    pub fn retry(&mut self, step: usize) -> Result<(), RunError> {
        let state = step.checked_sub(1).and_then(|at| self.states.get(at));
        let Some(
            StepState::Failed { .. } | StepState::Uncertain { .. } | StepState::Skipped { .. },
        ) = state
        else {
            let reason = "is neither failed, uncertain nor skipped";
            return Err(RunError::Step { step, reason });
        };
        self.journal
            .append(&JournalRow::Retry { at: now(), step })?;
        self.states[step - 1] = StepState::Pending;
        Ok(())
    }

    fn begin(&mut self, step: usize) -> Result<(), RunError> {
        self.journal
            .append(&JournalRow::Begin { at: now(), step })?;
        self.states[step - 1] = interrupted();
        Ok(())
    }

    fn end(&mut self, step: usize, state: StepState) -> Result<StepState, RunError> {
        let row = JournalRow::End {
            at: now(),
            step,
            state: state.clone(),
        };
        self.journal.append(&row)?;
        self.states[step - 1] = state.clone();
        Ok(state)
    }
}

fn refused<T>(step: usize, reason: &'static str) -> Result<T, RunError> {
    Err(RunError::Step { step, reason })
}

async fn called(
    server: &str,
    tool: &str,
    arguments: Map<String, Value>,
    tools: &dyn ToolProvider,
) -> StepState {
    match tools.call(server, tool, arguments).await {
        Ok(result) if result["isError"] == Value::Bool(true) => {
            StepState::failed(error_text(&result))
        }
        Ok(result) if result.to_string().len() > MOST_RESULT_BYTES => StepState::done(Value::Null),
        Ok(result) => StepState::done(result),
        Err(error @ (CallError::Timeout { .. } | CallError::Ended { .. })) => {
            StepState::Uncertain {
                reason: error.to_string().into(),
            }
        }
        Err(error) => StepState::failed(error.to_string()),
    }
}

/// Returns the texts of an error, shortened.
fn error_text(result: &Value) -> String {
    match regex_check::text_of(result) {
        text if text.is_empty() => "the tool answered with an error".to_owned(),
        text => text.chars().take(1000).collect(),
    }
}

fn interrupted() -> StepState {
    StepState::Uncertain {
        reason: INTERRUPTED.into(),
    }
}
