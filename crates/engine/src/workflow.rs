//! What a skill's front matter says about how to do its work: tools, steps, checks.

mod plan;
mod run;
mod tool_check;
mod verification;

pub use plan::{InvalidWorkflow, PlannedStep, Workflow};
pub use run::{StepOutcome, ToolError, ToolInvoker, Untrusted, WorkflowEnd, WorkflowRun};
pub use tool_check::ToolCheck;
pub use verification::{CheckOutcome, Checked, Checker, verify};

#[cfg(test)]
mod tests;
