//! Calls of the one session of a case.

use super::Want;

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum SessionLine {
    /// Exactly these skills are active, in this order.
    Active(Vec<String>),
    /// What the last of these calls answers.
    Calls(Vec<SessionCall>, Want),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SessionCall {
    Activate(String),
    /// Whatever was given before.
    Force(String),
    /// What was given is not in the conversation any more.
    Reset,
}
