//! The output of plans and runs.

use repertoire::skill::text::terminal_line;
use repertoire_gateway::{PlannedStep, RunPlan, RunStatus, StepAction, StepState, WorkflowRun};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::output::{Output, word};

/// The plan of a workflow.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct PlanOutput {
    /// The id of the workflow or of the skill.
    name: String,
    /// The steps, then the checks.
    steps: Vec<StepRow>,
}

/// The state of a run.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct RunOutput {
    #[serde(flatten)]
    plan: PlanOutput,
    /// The id of the run, for `--resume`.
    run: String,
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["open", "failed", "done"])))]
    status: String,
}

/// A step or a check.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct StepRow {
    number: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    /// The instruction, the statement of a check or its kind.
    text: String,
    /// `true` for a check.
    check: bool,
    /// The tool of an MCP server that it calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    tool: Option<String>,
    /// The arguments of the tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    arguments: Option<Map<String, Value>>,
    /// The command of a shell that a check runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<String>,
    /// The regular expression of a check.
    #[serde(skip_serializing_if = "Option::is_none")]
    pattern: Option<String>,
    /// `pending`, `uncertain`, `done`, `failed`, `skipped` or `unjudged`.
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<String>,
    /// The reason for its state.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// The result of the tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<Value>,
}

impl StepRow {
    fn new(step: &PlannedStep) -> StepRow {
        let (mut arguments, mut command, mut pattern) = (None, None, None);
        match &step.action {
            StepAction::Call { arguments: map, .. } => arguments = Some(map.clone()),
            StepAction::Command { run, .. } => command = Some(run.to_string()),
            StepAction::Regex { pattern: text, .. } => pattern = Some(text.to_string()),
            _ => {}
        }
        StepRow {
            number: step.number,
            id: step.id.as_deref().map(str::to_owned),
            text: step.text.to_string(),
            check: step.is_check,
            tool: step.tool_name(),
            arguments,
            command,
            pattern,
            state: None,
            reason: None,
            result: None,
        }
    }

    fn with_state(mut self, state: &StepState) -> StepRow {
        self.state = Some(state_word(state));
        match state {
            StepState::Done { result } if !result.is_null() => self.result = Some(result.clone()),
            state => self.reason = reason_of(state).map(str::to_owned),
        }
        self
    }

    fn line(&self) -> String {
        let kind = if self.check { "check: " } else { "" };
        let runs = [&self.tool, &self.command, &self.pattern];
        let runs = runs.into_iter().flatten().next();
        let runs = runs.map(|text| format!(" [{}]", terminal_line(text)));
        let state = self.state.as_ref().map(|state| format!("{state:<9} "));
        let reason = self.reason.as_ref().map(|reason| format!(" ({reason})"));
        format!(
            "{:>2}  {}{kind}{}{}{}",
            self.number,
            state.unwrap_or_default(),
            self.text,
            runs.unwrap_or_default(),
            reason.unwrap_or_default()
        )
    }
}

impl PlanOutput {
    pub(super) fn new(plan: &RunPlan) -> PlanOutput {
        PlanOutput {
            name: plan.name.to_string(),
            steps: plan.steps.iter().map(StepRow::new).collect(),
        }
    }

    pub(super) fn write(&self, out: &mut Output) {
        if out.write_json(self) {
            return;
        }
        for step in &self.steps {
            out.line(step.line());
            if let Some(arguments) = step.arguments.as_ref().filter(|map| !map.is_empty()) {
                out.line(format!("    {}", Value::from(arguments.clone())));
            }
        }
    }
}

impl RunOutput {
    pub(super) fn new(run: &WorkflowRun) -> RunOutput {
        let mut plan = PlanOutput::new(run.plan());
        let states = run.states();
        let rows = plan.steps.into_iter().zip(&states);
        plan.steps = rows.map(|(row, state)| row.with_state(state)).collect();
        RunOutput {
            plan,
            run: run.id().to_owned(),
            status: word(&run.status()),
        }
    }

    pub(super) fn write(&self, out: &mut Output) {
        if out.write_json(self) {
            return;
        }
        for step in &self.plan.steps {
            out.line(step.line());
        }
        let status = match self.status == word(&RunStatus::Open) {
            true => "is not at its end",
            false => self.status.as_str(),
        };
        out.line(format!("run {}: {status}", self.run));
    }
}

pub(super) fn state_word(state: &StepState) -> String {
    match state {
        StepState::Pending => "pending",
        StepState::Uncertain { .. } => "uncertain",
        StepState::Done { .. } => "done",
        StepState::Failed { .. } => "failed",
        StepState::Skipped { .. } => "skipped",
        StepState::Unjudged => "unjudged",
        _ => "unknown",
    }
    .to_owned()
}

fn reason_of(state: &StepState) -> Option<&str> {
    match state {
        StepState::Uncertain { reason }
        | StepState::Failed { reason }
        | StepState::Skipped { reason } => Some(reason),
        _ => None,
    }
}

/// Returns the line that is printed when a step has ended.
pub(super) fn progress(step: &PlannedStep, state: &StepState) -> String {
    let reason = reason_of(state).map(|reason| format!(": {reason}"));
    let line = format!(
        "step {}: {}{}",
        step.number,
        state_word(state),
        reason.unwrap_or_default()
    );
    terminal_line(&line).into_owned()
}
