//! The output of a tool call.

use std::sync::Arc;

use repertoire_core::{Digest, Resource, Skill};
use repertoire_registry::{Candidate, Entry};
use repertoire_render::{Outcome, Warning};
use serde::Serialize;

/// The output of a tool call.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Answer {
    /// The text for the model, with what to do next.
    pub text: String,
    /// Whether the call failed, for the flag that providers have.
    pub is_error: bool,
    /// The status of the call.
    pub code: AnswerCode,
    /// The skill whose instructions were read from their beginning.
    pub read: Option<SkillRead>,
    /// What the operator should know, and the model need not.
    pub trouble: Option<String>,
}

/// The status of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum AnswerCode {
    /// It was answered.
    Ok,
    /// The arguments are not what the tool takes.
    BadArguments,
    /// No such skill, for all that the model may know.
    Unknown,
    /// Several skills are called so; the text has their full names.
    Ambiguous,
    /// The skill is hidden from who asks: the text is that of an unknown one, and [`trouble`](Answer::trouble) has the reason.
    Refused,
    /// The skill was there when the tools were made, and is no more.
    Stale,
    /// No such file in the skill.
    NoResource,
    /// The source could not give what was asked for.
    Unreadable,
    /// The name of a skill was called like a tool.
    NotATool,
}

/// A skill whose instructions were read.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SkillRead {
    /// The skill.
    pub entry: Arc<Entry<Skill>>,
    /// The claim that was read: the winner, or a shadow that was named in full.
    pub candidate: Candidate<Skill>,
    /// The instructions, rendered and without a wrapper.
    pub body: Arc<str>,
    /// The arguments.
    pub arguments: Arc<str>,
    /// The files beside them.
    pub files: Arc<[Resource]>,
    /// The digest of the text.
    pub digest: Digest,
    /// The outcomes of its commands and scripts, in their order.
    pub outcomes: Vec<Outcome>,
    /// Warnings for its author.
    pub warnings: Vec<Warning>,
}

impl Answer {
    pub(super) fn ok(text: impl Into<String>) -> Answer {
        Answer { text: text.into(), is_error: false, code: AnswerCode::Ok, read: None, trouble: None }
    }

    pub(super) fn of(outcome: Result<Answer, Failure>) -> Answer {
        outcome.unwrap_or_else(|Failure { code, text, trouble }| Answer {
            text,
            is_error: true,
            code,
            read: None,
            trouble,
        })
    }
}

#[derive(Debug)]
pub(super) struct Failure {
    pub(super) code: AnswerCode,
    pub(super) text: String,
    pub(super) trouble: Option<String>,
}

impl Failure {
    pub(super) fn new(code: AnswerCode, text: impl Into<String>) -> Failure {
        Failure { code, text: text.into(), trouble: None }
    }
}
