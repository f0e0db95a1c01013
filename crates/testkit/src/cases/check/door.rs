//! Skills by their doors.

use repertoire_engine::Audience;

use super::Want;

/// Somebody wants the instructions of a skill.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Activation {
    pub(crate) by: Audience,
    pub(crate) asked: Asked,
    pub(crate) want: ActivationWant,
}

/// What is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Asked {
    Name(String),
    /// The absolute path of what lies here.
    PathOf(String),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ActivationWant {
    Ok,
    Error,
    /// An error with such a text.
    ErrorText(Want),
    Text(Want),
    /// A text that has the absolute path of what lies here.
    PathOf(String),
    /// A text of so many bytes, or less.
    AtMost(usize),
}
