//! What a skill's front matter says about how to do its work: tools, steps, checks.

mod plan;
mod verification;

pub use plan::{
    InvalidWorkflow, PlannedStep, StepOutcome, ToolError, ToolInvoker, Untrusted, Workflow, WorkflowEnd, WorkflowRun,
};
pub use verification::{CheckOutcome, Checked, Checker, ToolCheck, verify};

#[cfg(test)]
mod tests;
