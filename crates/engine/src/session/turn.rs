//! The input of one model call.

use std::fmt;

use serde::Serialize;

use super::slots::ConversationEnd;
use crate::trigger::TriggerContext;

/// One model call: what the user said, what tools returned since the last one. A rule of the host looks at nothing else.
///
/// ```
/// use repertoire_engine::session::{ToolResult, Turn};
///
/// let results = [ToolResult::new("bash", "2 files changed")];
/// let turn = Turn::of("Fix the build, please").number(2).at_most(30).results(&results);
/// assert_eq!(turn.remaining(), Some(28));
/// ```
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub struct Turn<'a> {
    /// The number of the call since the user's message, from 1.
    pub number: usize,
    /// The most calls.
    pub most: Option<usize>,
    /// The user's message.
    pub message: &'a str,
    /// The results of the tool calls since the last model call, in their order.
    pub results: &'a [ToolResult<'a>],
    /// The files that are worked on: relative to the folder of the project, with slashes.
    pub paths: &'a [&'a str],
    /// Sets the type of the task.
    pub task: Option<&'a str>,
    /// Sets the command that the user gave, if the host took it out of the message. A slash before it does not matter.
    pub command: Option<&'a str>,
    /// The tokens of the conversation, if the host knows them.
    pub tokens: Option<usize>,
    /// The end of the conversation, if it is not what the results imply.
    pub tail: Option<ConversationEnd>,
}

/// The result of a tool call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct ToolResult<'a> {
    /// The tool's name.
    pub tool: &'a str,
    /// The text.
    pub text: &'a str,
    /// Whether the call failed.
    pub is_error: bool,
}

impl<'a> ToolResult<'a> {
    /// Creates the result of a successful call.
    pub fn new(tool: &'a str, text: &'a str) -> ToolResult<'a> {
        ToolResult { tool, text, is_error: false }
    }

    /// Creates the result of a failed call.
    pub fn failed(tool: &'a str, text: &'a str) -> ToolResult<'a> {
        ToolResult { tool, text, is_error: true }
    }
}

impl<'a> Turn<'a> {
    /// Creates the first call after a message of the user.
    pub fn of(message: &'a str) -> Turn<'a> {
        Turn { number: 1, message, ..Turn::default() }
    }

    /// The number of the call since the user's message, from 1.
    #[must_use]
    pub fn number(self, number: usize) -> Turn<'a> {
        Turn { number, ..self }
    }

    /// Sets the most calls.
    #[must_use]
    pub fn at_most(self, most: usize) -> Turn<'a> {
        Turn { most: Some(most), ..self }
    }

    /// Sets the results of the last tool calls.
    #[must_use]
    pub fn results(self, results: &'a [ToolResult<'a>]) -> Turn<'a> {
        Turn { results, ..self }
    }

    /// The files that are worked on.
    #[must_use]
    pub fn paths(self, paths: &'a [&'a str]) -> Turn<'a> {
        Turn { paths, ..self }
    }

    /// Sets the type of the task.
    #[must_use]
    pub fn task(self, task: &'a str) -> Turn<'a> {
        Turn { task: Some(task), ..self }
    }

    /// The command that the user gave.
    #[must_use]
    pub fn command(self, command: &'a str) -> Turn<'a> {
        Turn { command: Some(command), ..self }
    }

    /// Sets the tokens of the conversation. By default they are estimated from results and messages.
    #[must_use]
    pub fn tokens(self, tokens: usize) -> Turn<'a> {
        Turn { tokens: Some(tokens), ..self }
    }

    /// Sets the end of the conversation: by default results, if there are some, else the user's message.
    #[must_use]
    pub fn after(self, tail: ConversationEnd) -> Turn<'a> {
        Turn { tail: Some(tail), ..self }
    }

    /// Returns the number of calls after this one; saturates at zero.
    pub fn remaining(&self) -> Option<usize> {
        Some(self.most?.saturating_sub(self.number))
    }

    pub(super) fn tail(&self) -> ConversationEnd {
        self.tail.unwrap_or(if self.results.is_empty() { ConversationEnd::User } else { ConversationEnd::Results })
    }

    pub(super) fn occasion<'t>(&'t self, tools: &'t [&'t str]) -> TriggerContext<'t> {
        let occasion = TriggerContext::of(self.message).tools(tools).paths(self.paths);
        let occasion = self.task.into_iter().fold(occasion, TriggerContext::task);
        self.command.into_iter().fold(occasion, TriggerContext::command)
    }
}

#[derive(Debug)]
pub(super) struct Template(Vec<TemplatePart>);

#[derive(Debug)]
enum TemplatePart {
    Text(String),
    Fact(TurnFact),
}

/// A fact that a template may name between double braces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum TurnFact {
    /// `action`: which call it is since the user's message.
    Action,
    /// `actionBudget`: how many there may be.
    ActionBudget,
    /// `actionsRemaining`: how many are left after it.
    ActionsRemaining,
}

impl TurnFact {
    const ALL: [TurnFact; 3] = [TurnFact::Action, TurnFact::ActionBudget, TurnFact::ActionsRemaining];

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            TurnFact::Action => "action",
            TurnFact::ActionBudget => "actionBudget",
            TurnFact::ActionsRemaining => "actionsRemaining",
        }
    }

    fn of(self, turn: &Turn<'_>) -> Option<usize> {
        match self {
            TurnFact::Action => Some(turn.number),
            TurnFact::ActionBudget => turn.most,
            TurnFact::ActionsRemaining => turn.remaining(),
        }
    }
}

impl fmt::Display for TurnFact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl Template {
    pub(super) fn read(text: &str) -> Result<Template, &str> {
        let (mut parts, mut rest) = (Vec::new(), text);
        while let Some((before, (name, behind))) =
            rest.split_once("{{").and_then(|(before, inside)| Some((before, inside.split_once("}}")?)))
        {
            let fact = TurnFact::ALL.iter().find(|fact: &&TurnFact| fact.as_str() == name.trim()).ok_or(name.trim())?;
            parts.extend([TemplatePart::Text(before.to_owned()), TemplatePart::Fact(*fact)]);
            rest = behind;
        }
        parts.push(TemplatePart::Text(rest.to_owned()));
        Ok(Template(parts))
    }

    pub(super) fn fill(&self, turn: &Turn<'_>) -> Result<String, TurnFact> {
        let mut text = String::new();
        for part in &self.0 {
            match part {
                TemplatePart::Text(part) => text.push_str(part),
                TemplatePart::Fact(fact) => text.push_str(&fact.of(turn).ok_or(*fact)?.to_string()),
            }
        }
        Ok(text)
    }
}
