//! The output of a tool call.

use std::sync::Arc;

use repertoire_core::{Resource, ResourcePath, Skill};
use repertoire_registry::{Candidate, Entry};
use serde::Serialize;

use super::reader::Instructions;
use crate::truncate::truncate;

/// The output of a tool call.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ToolOutput {
    /// The text for the model, with what to do next.
    pub text: String,
    /// Whether the call failed, for the flag that providers have.
    pub is_error: bool,
    /// The status of the call.
    pub code: ToolStatus,
    /// The skill whose instructions were read from their beginning.
    pub read: Option<SkillRead>,
    /// The file that was read, and its skill.
    #[doc(hidden)]
    pub file: Option<(Candidate<Skill>, ResourcePath)>,
    /// A note for the operator, not for the model.
    pub operator_note: Option<String>,
}

/// The status of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ToolStatus {
    /// It was answered.
    Ok,
    /// The arguments do not fit the schema of the tool.
    BadArguments,
    /// The model can see no such skill.
    Unknown,
    /// Several skills have the name; the text has their full names.
    Ambiguous,
    /// The skill is hidden from the audience. The text is that for an unknown skill, and
    /// [`operator_note`](ToolOutput::operator_note) has the reason.
    Refused,
    /// The skill was removed since the tools were created.
    Stale,
    /// No such file in the skill.
    NoResource,
    /// The source could not return the content.
    Unreadable,
    /// A tool was called by the name of a skill.
    NotATool,
}

/// A skill whose instructions were read.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SkillRead {
    /// The skill.
    pub entry: Arc<Entry<Skill>>,
    /// The candidate that was read: the winner, or a shadow that was named in full.
    pub candidate: Candidate<Skill>,
    /// The instructions, without a wrapper.
    pub instructions: Instructions,
    /// The arguments.
    pub arguments: Arc<str>,
    /// The files beside them.
    pub files: Arc<[Resource]>,
}

impl ToolOutput {
    pub(super) fn ok(text: impl Into<String>) -> ToolOutput {
        ToolOutput {
            text: text.into(),
            is_error: false,
            code: ToolStatus::Ok,
            read: None,
            file: None,
            operator_note: None,
        }
    }

    pub(super) fn of(outcome: Result<ToolOutput, CallFailure>) -> ToolOutput {
        outcome.unwrap_or_else(
            |CallFailure {
                 code,
                 text,
                 operator_note,
             }| ToolOutput {
                text,
                is_error: true,
                code,
                read: None,
                file: None,
                operator_note,
            },
        )
    }
}

#[derive(Debug)]
pub(super) struct CallFailure {
    pub(super) code: ToolStatus,
    pub(super) text: String,
    pub(super) operator_note: Option<String>,
}

impl CallFailure {
    pub(super) fn new(code: ToolStatus, text: impl Into<String>) -> CallFailure {
        CallFailure {
            code,
            text: text.into(),
            operator_note: None,
        }
    }
}

/// Quotes what a model wrote, truncated and on one line.
pub(crate) fn quoted(name: &str) -> String {
    let name = repertoire_core::text::clean_line(name);
    format!("`{}`", truncate(&name, 80).replace('`', "'"))
}
