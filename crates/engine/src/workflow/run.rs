//! Steps, carried out by the host.

use std::sync::Arc;

use repertoire_core::{OnError, Trust, async_trait};
use serde::Serialize;

use super::plan::{PlannedStep, Workflow};

/// Calls tools for a [`Workflow`]: the host, with everything that it would ask before a model's call.
#[async_trait]
pub trait ToolInvoker: Send + Sync {
    /// Calls the tool `name` with `params`, an object, and gives back what it answers.
    ///
    /// # Errors
    /// [`ToolError`] when the tool was not called, or failed.
    async fn invoke(&self, name: &str, params: &serde_json::Value) -> Result<serde_json::Value, ToolError>;
}

/// Why a tool gave no answer.
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

/// What became of a workflow.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct WorkflowRun {
    /// What became of each step, in their order.
    pub steps: Vec<StepOutcome>,
    /// How it ended.
    pub end: WorkflowEnd,
}

/// What became of a step.
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

/// How a workflow ended.
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
