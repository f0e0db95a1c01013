//! The input of one model call.

use repertoire_core::Injection;
use serde::{Deserialize, Serialize};

/// The input of one model call: the user's message, and the results of tools since the last call. Rules of the host depend on it
/// alone.
///
/// ```
/// use repertoire_engine::session::{ToolResult, Turn};
///
/// let turn = Turn::new("Fix the build, please").number(2).at_most(30).results([ToolResult::new("bash", "2 files changed")]);
/// assert_eq!(turn.remaining(), Some(28));
/// ```
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Turn {
    /// The number of the call since the user's message, from 1.
    pub number: usize,
    /// The maximum number of calls.
    pub most: Option<usize>,
    /// The user's message.
    pub message: String,
    /// The results of the tool calls since the last model call, in their order.
    pub results: Vec<ToolResult>,
    /// The files in use: relative to the folder of the project, with slashes.
    pub paths: Vec<String>,
    /// The type of the task.
    pub task: Option<String>,
    /// The command of the user, if the host took it out of the message. A slash before it is ignored.
    pub command: Option<String>,
    /// The tokens of the conversation. By default they are estimated from results and messages.
    pub tokens: Option<usize>,
    /// The end of the conversation. By default these are the results, or without them the user's message.
    pub end: Option<ConversationEnd>,
    pub(super) injections: Vec<Injection>,
}

/// The result of a tool call.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct ToolResult {
    /// The tool's name.
    pub tool: String,
    /// The text.
    pub text: String,
    /// Whether the call failed.
    pub is_error: bool,
}

impl ToolResult {
    /// Creates the result of a successful call.
    pub fn new(tool: impl Into<String>, text: impl Into<String>) -> ToolResult {
        ToolResult {
            tool: tool.into(),
            text: text.into(),
            is_error: false,
        }
    }

    /// Creates the result of a failed call.
    pub fn failed(tool: impl Into<String>, text: impl Into<String>) -> ToolResult {
        ToolResult {
            is_error: true,
            ..ToolResult::new(tool, text)
        }
    }
}

/// The last message of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ConversationEnd {
    /// The conversation is empty.
    Nothing,
    /// A message of the user.
    User,
    /// A message of the model.
    Assistant,
    /// Calls of tools without results: no message may follow.
    Calls,
    /// Results of tools.
    Results,
}

impl Turn {
    /// Creates the first call after a message of the user.
    pub fn new(message: impl Into<String>) -> Turn {
        Turn {
            number: 1,
            message: message.into(),
            ..Turn::default()
        }
    }

    /// Sets the number of the call since the user's message, from 1.
    #[must_use]
    pub fn number(self, number: usize) -> Turn {
        Turn { number, ..self }
    }

    /// Sets the maximum number of calls.
    #[must_use]
    pub fn at_most(self, most: usize) -> Turn {
        Turn {
            most: Some(most),
            ..self
        }
    }

    /// Sets the results of the last tool calls.
    #[must_use]
    pub fn results(self, results: impl Into<Vec<ToolResult>>) -> Turn {
        Turn {
            results: results.into(),
            ..self
        }
    }

    /// Sets the files in use.
    #[must_use]
    pub fn paths(self, paths: impl IntoIterator<Item = impl AsRef<str>>) -> Turn {
        Turn {
            paths: paths
                .into_iter()
                .map(|path| path.as_ref().to_owned())
                .collect(),
            ..self
        }
    }

    /// Sets the type of the task.
    #[must_use]
    pub fn task(self, task: impl Into<String>) -> Turn {
        Turn {
            task: Some(task.into()),
            ..self
        }
    }

    /// Sets the command of the user.
    #[must_use]
    pub fn command(self, command: impl Into<String>) -> Turn {
        Turn {
            command: Some(command.into()),
            ..self
        }
    }

    /// Sets the tokens of the conversation.
    #[must_use]
    pub fn tokens(self, tokens: usize) -> Turn {
        Turn {
            tokens: Some(tokens),
            ..self
        }
    }

    /// Sets the end of the conversation.
    #[must_use]
    pub fn end(self, end: ConversationEnd) -> Turn {
        Turn {
            end: Some(end),
            ..self
        }
    }

    /// Adds an injection of this call, such as memory, facts or retrieved text. It replaces an injection of the session of the same
    /// flavor and id, for this call.
    ///
    /// A text for the system prompt is part of this call only. A message stays in the conversation: it is delivered when it is new
    /// or has changed, and not again while the host passes the same text.
    ///
    /// ```
    /// use repertoire_core::{Content, Flavor, Injection, Model, Role, SurfacePolicy, Trigger};
    /// use repertoire_engine::session::{Session, SessionOptions, Turn};
    /// # use repertoire_engine::tools::{ToolOptions, Toolset};
    /// # let skills = repertoire_registry::merge(&[]);
    /// # let mut session = Session::new(Toolset::new(&skills, &ToolOptions::default()), SessionOptions::new(SurfacePolicy::default()));
    /// # let model = Model::from("anthropic/claude-sonnet-4-5");
    ///
    /// let mut calls = Vec::new();
    /// for weather in ["sunny", "sunny", "rain"] {
    ///     let content = Content::message(Role::User, format!("The weather: {weather}."));
    ///     let fact = Injection::new("weather".parse()?, Flavor::Fact, Trigger::Always, "The weather now.", content)?;
    ///     let evaluation = session.evaluate(&Turn::new("What shall I wear?").inject(fact));
    ///     calls.push(session.compose(&evaluation, &model)?.messages.len());
    /// }
    /// assert_eq!(calls, [1, 0, 1]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn inject(mut self, injection: Injection) -> Turn {
        self.injections
            .retain(|other| (&other.flavor, &other.id) != (&injection.flavor, &injection.id));
        self.injections.push(injection);
        self
    }

    /// Returns the number of calls after this one; saturates at zero.
    pub fn remaining(&self) -> Option<usize> {
        Some(self.most?.saturating_sub(self.number))
    }

    pub(super) fn tail(&self) -> ConversationEnd {
        self.end.unwrap_or(if self.results.is_empty() {
            ConversationEnd::User
        } else {
            ConversationEnd::Results
        })
    }
}

#[derive(Debug)]
pub(super) struct Template(Vec<TemplatePart>);

#[derive(Debug)]
enum TemplatePart {
    Text(String),
    Fact(&'static str, TurnFact),
}

/// The facts that a template may name between double braces, each with its value.
const FACTS: [(&str, TurnFact); 3] = [
    ("action", |turn| Some(turn.number)),
    ("actionBudget", |turn| turn.most),
    ("actionsRemaining", Turn::remaining),
];

type TurnFact = fn(&Turn) -> Option<usize>;

impl Template {
    /// Parses a template, or returns the unknown name.
    pub(super) fn parse(text: &str) -> Result<Template, &str> {
        let (mut parts, mut rest) = (Vec::new(), text);
        while let Some((before, (name, behind))) = rest
            .split_once("{{")
            .and_then(|(before, inside)| Some((before, inside.split_once("}}")?)))
        {
            let (name, fact) = FACTS
                .iter()
                .find(|(fact, _)| *fact == name.trim())
                .ok_or(name.trim())?;
            parts.extend([
                TemplatePart::Text(before.to_owned()),
                TemplatePart::Fact(name, *fact),
            ]);
            rest = behind;
        }
        parts.push(TemplatePart::Text(rest.to_owned()));
        Ok(Template(parts))
    }

    /// Fills in the facts of `turn`, or returns the name of the first that it does not have.
    pub(super) fn fill(&self, turn: &Turn) -> Result<String, &'static str> {
        let mut text = String::new();
        for part in &self.0 {
            match part {
                TemplatePart::Text(part) => text.push_str(part),
                TemplatePart::Fact(name, fact) => {
                    text.push_str(&fact(turn).ok_or(*name)?.to_string())
                }
            }
        }
        Ok(text)
    }
}
