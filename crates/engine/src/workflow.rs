//! Declarations of a skill about its work: requirements, tools, steps and checks.

mod plan;
mod verification;

pub use crate::requirements::{Requirement, RequirementCheck, RequirementKind, Requirements};
pub use plan::{
    InvalidWorkflow, PlannedStep, StepOutcome, ToolError, ToolInvoker, Untrusted, Workflow, WorkflowEnd, WorkflowRun,
};
pub use verification::{CheckOutcome, CheckResult, Checker, ToolCheck, verify};

#[cfg(test)]
mod tests;
