//! Declarations of a skill about its work: tools, steps and checks.

mod plan;
mod verification;

pub use plan::Workflow;
pub(crate) use verification::verify;
pub use verification::{CheckOutcome, Checker, ToolCheck};

#[cfg(test)]
mod tests;
