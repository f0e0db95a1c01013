//! What a skill's front matter says about how to do its work: tools, steps, checks.

mod plan;
mod run;
mod tool_check;
mod verification;

pub use plan::{InvalidWorkflow, PlannedStep, Workflow, WorkflowFault};
pub use run::{StepOutcome, ToolError, ToolInvoker, Untrusted, WorkflowEnd, WorkflowRun};
pub use tool_check::ToolCheck;
pub use verification::{CheckOutcome, Checked, Checker, verify};

use repertoire_core::{Skill, Value};

/// What `skill` says under `key`, an extension: at the top level, else under `metadata`, where the standard wants it.
fn declared<'s>(skill: &'s Skill, key: &str) -> Option<&'s Value> {
    let declared = skill.field(key).or_else(|| skill.metadata()?.get(key));
    declared.filter(|value| !value.is_null())
}

#[cfg(test)]
mod tests;
