//! What one model call goes by.

use super::slots::Tail;
use crate::Occasion;

/// One model call: what the user said, what tools returned since the last one. A rule of the host looks at nothing else.
///
/// ```
/// use repertoire_engine::{ToolResult, Turn};
///
/// let results = [ToolResult::new("bash", "2 files changed")];
/// let turn = Turn::of("Fix the build, please").number(2).at_most(30).results(&results);
/// assert_eq!(turn.remaining(), Some(28));
/// ```
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub struct Turn<'a> {
    /// Which call it is since the user's message, from 1.
    pub number: usize,
    /// How many there may be.
    pub most: Option<usize>,
    /// The user's message.
    pub message: &'a str,
    /// What the tools of the last call returned, all of them, in the order of the calls.
    pub results: &'a [ToolResult<'a>],
    /// The files that are worked on: relative to the folder of the project, with slashes.
    pub paths: &'a [&'a str],
    /// The type of the task at hand.
    pub task: Option<&'a str>,
    /// The command that the user gave, as far as the host took it out of the message.
    pub command: Option<&'a str>,
    /// How many tokens the conversation has, where the host knows.
    pub tokens: Option<usize>,
    /// How the conversation ends, where it is not as the results tell.
    pub tail: Option<Tail>,
}

/// What a tool returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct ToolResult<'a> {
    /// The tool's name.
    pub tool: &'a str,
    /// What it returned.
    pub text: &'a str,
    /// Whether it failed.
    pub is_error: bool,
}

impl<'a> ToolResult<'a> {
    /// What a tool returned that did not fail.
    pub fn new(tool: &'a str, text: &'a str) -> ToolResult<'a> {
        ToolResult { tool, text, is_error: false }
    }

    /// What a tool said that failed.
    pub fn failed(tool: &'a str, text: &'a str) -> ToolResult<'a> {
        ToolResult { tool, text, is_error: true }
    }
}

impl<'a> Turn<'a> {
    /// The first call after a message of the user.
    pub fn of(message: &'a str) -> Turn<'a> {
        Turn { number: 1, message, ..Turn::default() }
    }

    /// Which call it is since the user's message, from 1.
    #[must_use]
    pub fn number(self, number: usize) -> Turn<'a> {
        Turn { number, ..self }
    }

    /// How many calls there may be.
    #[must_use]
    pub fn at_most(self, most: usize) -> Turn<'a> {
        Turn { most: Some(most), ..self }
    }

    /// What the tools of the last call returned.
    #[must_use]
    pub fn results(self, results: &'a [ToolResult<'a>]) -> Turn<'a> {
        Turn { results, ..self }
    }

    /// The files that are worked on.
    #[must_use]
    pub fn paths(self, paths: &'a [&'a str]) -> Turn<'a> {
        Turn { paths, ..self }
    }

    /// The type of the task at hand.
    #[must_use]
    pub fn task(self, task: &'a str) -> Turn<'a> {
        Turn { task: Some(task), ..self }
    }

    /// The command that the user gave.
    #[must_use]
    pub fn command(self, command: &'a str) -> Turn<'a> {
        Turn { command: Some(command), ..self }
    }

    /// How many tokens the conversation has. Untold, results and messages are estimated as they come by.
    #[must_use]
    pub fn tokens(self, tokens: usize) -> Turn<'a> {
        Turn { tokens: Some(tokens), ..self }
    }

    /// How the conversation ends. Untold, with results where there are some, else with the user's message.
    #[must_use]
    pub fn after(self, tail: Tail) -> Turn<'a> {
        Turn { tail: Some(tail), ..self }
    }

    /// How many calls are left after this one: none when the last one may wrap up beyond the most.
    pub fn remaining(&self) -> Option<usize> {
        Some(self.most?.saturating_sub(self.number))
    }

    pub(super) fn tail(&self) -> Tail {
        self.tail.unwrap_or(if self.results.is_empty() { Tail::User } else { Tail::Results })
    }

    pub(super) fn occasion<'t>(&'t self, tools: &'t [&'t str]) -> Occasion<'t> {
        let occasion = Occasion::of(self.message).tools(tools).paths(self.paths);
        let occasion = self.task.into_iter().fold(occasion, Occasion::task);
        self.command.into_iter().fold(occasion, Occasion::command)
    }
}
