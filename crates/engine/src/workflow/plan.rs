//! The steps of a skill, planned and carried out.

use std::sync::Arc;

use repertoire_core::{Id, OnError, Skill, Trust, Value, WorkflowFault, WorkflowStep, async_trait};
use repertoire_registry::Candidate;
use repertoire_render::{Context, Plan, RenderError, Syntax};
use serde::Serialize;

use crate::globs::ToolGlobs;

/// The steps of a skill's `workflow`, as a plan that holds together: each step's tool is among those that the skill
/// requires, ids are unique, and no parameter asks for a command.
///
/// A plan for a host, which shows it, or has it [run](Workflow::run) by a [`ToolInvoker`](super::ToolInvoker).
#[derive(Debug, Clone, PartialEq)]
pub struct Workflow {
    pub(super) steps: Vec<WorkflowStep>,
    pub(super) trust: Trust,
    syntax: Syntax,
}

/// A step with its parameters filled in.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PlannedStep {
    /// Its name, if it has one.
    pub id: Option<Arc<str>>,
    /// The instruction.
    pub step: Arc<str>,
    /// The tool to call; a step without one is for a model or a person.
    pub tool: Option<Arc<str>>,
    /// The tool's arguments: an object.
    pub params: serde_json::Value,
    /// The effect of a failure on the steps after it.
    pub on_error: OnError,
}

/// A workflow that does not hold together: everything that is wrong with it, in the order of its steps.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the workflow of `{skill}` does not hold together: {}", told(faults))]
pub struct InvalidWorkflow {
    /// The skill.
    pub skill: Id,
    /// The faults.
    pub faults: Vec<WorkflowFault>,
}

fn told(faults: &[WorkflowFault]) -> String {
    faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

impl Workflow {
    /// The plan of `candidate`; one without steps if it declares none.
    ///
    /// # Errors
    /// [`InvalidWorkflow`] with everything that is wrong.
    pub fn of(candidate: &Candidate<Skill>) -> Result<Workflow, InvalidWorkflow> {
        let skill = &candidate.item;
        let required = ToolGlobs::new(skill.required_tools().into_iter().map(str::to_owned).collect());
        // Parameters are data and no prose: nothing in them is an example in code.
        let syntax = Syntax::from_skill(skill, None, None).in_code();
        let (steps, mut faults) = skill.extension(&["workflow"]).map(WorkflowStep::read_all).unwrap_or_default();
        for (number, step) in &steps {
            let number = *number;
            if let Some(tool) = step.tool.clone().filter(|tool| required.matches(tool).is_empty()) {
                let message = format!("step {number} calls `{tool}`, which is not among the `required_tools`");
                faults.push(WorkflowFault::new(number, message));
            }
            let directives = step.params.iter().flat_map(|params| directives(params, &syntax));
            faults.extend(directives.map(|directive| {
                let what = format!("a parameter of step {number} asks for `{directive}` to be run");
                WorkflowFault::new(number, format!("{what}, which happens in bodies alone"))
            }));
        }
        faults.sort_by_key(|fault| fault.number);
        let steps = steps.into_iter().map(|(_, step)| step).collect();
        if faults.is_empty() {
            Ok(Workflow { steps, trust: candidate.trust, syntax })
        } else {
            Err(InvalidWorkflow { skill: skill.id.clone(), faults })
        }
    }

    /// The steps in their order, as the skill declares them.
    pub fn steps(&self) -> &[WorkflowStep] {
        &self.steps
    }

    /// The steps in their order, parameters filled in from `context` by the rules of bodies: what is inserted is never looked
    /// at again, and stays a text.
    ///
    /// # Errors
    /// Only those that `context` asks for: an unknown variable.
    pub fn planned(&self, context: &Context) -> Result<Vec<PlannedStep>, RenderError> {
        // A parameter is no place to append what was typed.
        let context = context.clone().drop_unused();
        self.steps
            .iter()
            .map(|step: &WorkflowStep| {
                let params = step.params.as_ref().map(|params| filled(params, &self.syntax, &context)).transpose()?;
                Ok(PlannedStep {
                    id: step.id.clone(),
                    step: step.step.clone(),
                    tool: step.tool.clone(),
                    params: params.unwrap_or_else(|| serde_json::json!({})),
                    on_error: step.on_error,
                })
            })
            .collect()
    }
}

fn filled(value: &Value, syntax: &Syntax, context: &Context) -> Result<serde_json::Value, RenderError> {
    match value {
        Value::List(items) => items.iter().map(|item| filled(item, syntax, context)).collect(),
        Value::Map(rows) => {
            rows.iter().map(|(key, value)| Ok((key.to_string(), filled(value, syntax, context)?))).collect()
        }
        scalar => match scalar.json() {
            serde_json::Value::String(text) => Ok(Plan::new(&text, syntax).render(context, [])?.text.into()),
            other => Ok(other),
        },
    }
}

fn directives(value: &Value, syntax: &Syntax) -> Vec<String> {
    match value {
        Value::List(items) => items.iter().flat_map(|item| directives(item, syntax)).collect(),
        Value::Map(rows) => rows.iter().flat_map(|(_, value)| directives(value, syntax)).collect(),
        scalar => {
            let plan = scalar.as_text().map(|text| Plan::new(text, syntax));
            plan.iter().flat_map(Plan::directives).map(ToString::to_string).collect()
        }
    }
}

/// Calls tools for a [`Workflow`]: the host, with everything that it would ask before a model's call.
#[async_trait]
pub trait ToolInvoker: Send + Sync {
    /// Calls the tool `name` with `params`, an object, and gives back what it answers.
    ///
    /// # Errors
    /// [`ToolError`] when the tool was not called, or failed.
    async fn invoke(&self, name: &str, params: &serde_json::Value) -> Result<serde_json::Value, ToolError>;
}

/// The error returned when a tool call fails.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, thiserror::Error)]
#[serde(rename_all = "kebab-case")]
pub enum ToolError {
    /// It may not be called.
    #[error("it may not be called: {0}")]
    Denied(String),
    /// It was called, or tried to be, and failed.
    #[error("{0}")]
    Failed(String),
}

/// Only the steps of a [`Trusted`](Trust::Trusted) source are run without a model's asking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the workflow of a source that is {0} is not run")]
pub struct Untrusted(pub Trust);

/// The result of a workflow.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct WorkflowRun {
    /// The outcomes of the steps, in their order.
    pub steps: Vec<StepOutcome>,
    /// The end.
    pub end: WorkflowEnd,
}

/// The outcome of a step.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum StepOutcome {
    /// The tool answered this.
    Done(serde_json::Value),
    /// The tool gave no answer.
    Failed(ToolError),
    /// It names no tool: a model or a person has to do it.
    NoTool,
    /// It was not tried, because the step with this id or number failed.
    Skipped(Arc<str>),
}

/// The end of a workflow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum WorkflowEnd {
    /// Every step was tried.
    Complete,
    /// A step failed whose failure skips the rest.
    Stopped,
    /// A step failed whose failure is that of the workflow.
    Failed,
}

impl Workflow {
    /// Has `planned`, the [planned](Workflow::planned) steps of this workflow, carried out one after the other.
    ///
    /// # Errors
    /// [`Untrusted`], before anything is called.
    ///
    /// # Cancel safety
    /// May be dropped: the call that runs is dropped with it, and no later one is made.
    pub async fn run(&self, planned: &[PlannedStep], invoker: &dyn ToolInvoker) -> Result<WorkflowRun, Untrusted> {
        if self.trust != Trust::Trusted {
            return Err(Untrusted(self.trust));
        }
        let mut run = WorkflowRun { steps: Vec::with_capacity(planned.len()), end: WorkflowEnd::Complete };
        let mut failed: Option<Arc<str>> = None;
        for (number, step) in (1..).zip(planned) {
            let outcome = match (&failed, &step.tool) {
                (Some(failed), _) => StepOutcome::Skipped(failed.clone()),
                (None, None) => StepOutcome::NoTool,
                (None, Some(tool)) => match invoker.invoke(tool, &step.params).await {
                    Ok(answer) => StepOutcome::Done(answer),
                    Err(error) => StepOutcome::Failed(error),
                },
            };
            if let (StepOutcome::Failed(_), OnError::Fail | OnError::Skip) = (&outcome, step.on_error) {
                failed = Some(step.id.clone().unwrap_or_else(|| Arc::from(number.to_string())));
                run.end = if step.on_error == OnError::Fail { WorkflowEnd::Failed } else { WorkflowEnd::Stopped };
            }
            run.steps.push(outcome);
        }
        Ok(run)
    }
}
