//! Injections: content for a model with its trigger and its tag.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{Id, InvalidValue, Value};

/// The kind of an injection.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Flavor {
    /// A skill whose body has been read.
    Skill,
    /// Standing guidance.
    Steering,
    /// Conditional guidance.
    Instructions,
    /// A piece of data.
    Fact,
    /// Retrieved text.
    Rag,
    /// Remembered text.
    Memory,
    /// A host's own kind.
    Custom(Arc<str>),
}

impl fmt::Display for Flavor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Flavor::Skill => "skill",
            Flavor::Steering => "steering",
            Flavor::Instructions => "instructions",
            Flavor::Fact => "fact",
            Flavor::Rag => "rag",
            Flavor::Memory => "memory",
            Flavor::Custom(name) => name,
        })
    }
}

/// The condition under which an injection is active. The engine evaluates it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Trigger {
    /// In every turn.
    Always,
    /// When the host's predicate of this name holds.
    Rule(Arc<str>),
    /// After a tool of this name has returned.
    AfterTool(Arc<str>),
    /// After a tool whose name matches this regular expression from its start on. End it with `$` to match the whole name.
    AfterToolMatching(Arc<str>),
    /// Once it has been activated in the session.
    Activated,
}

/// The role of a [`Message`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Role {
    /// The host.
    System,
    /// The person.
    User,
    /// The model.
    Assistant,
}

/// One message put into the conversation.
///
/// ```
/// use repertoire_core::{Message, Role};
///
/// let message = Message::new(Role::User, "Answer in French.");
/// assert_eq!(&*message.text, "Answer in French.");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Message {
    /// The role. There is none for a tool, because its results answer a call.
    pub role: Role,
    /// The text.
    pub text: Arc<str>,
}

impl Message {
    /// Creates a message.
    pub fn new(role: Role, text: impl Into<Arc<str>>) -> Message {
        Message {
            role,
            text: text.into(),
        }
    }
}

/// A tool offered to a model.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ToolSpec {
    /// The name the model calls.
    pub name: Arc<str>,
    /// The description for the model.
    pub description: Arc<str>,
    /// JSON Schema of the arguments: an object.
    pub input_schema: serde_json::Value,
}

impl ToolSpec {
    /// Creates a tool.
    ///
    /// # Errors
    /// [`InvalidValue`] for a name that is not [valid](ToolSpec::is_name), and for a schema that is not a JSON object.
    pub fn new(
        name: impl Into<Arc<str>>,
        description: impl Into<Arc<str>>,
        input_schema: serde_json::Value,
    ) -> Result<ToolSpec, InvalidValue> {
        let name = name.into();
        let reason = if !ToolSpec::is_name(&name) {
            "its name is not made of at most 64 ASCII letters, digits, `_` and `-`, or begins with a digit or `-`"
        } else if !input_schema.is_object() {
            "its input schema is not a JSON object"
        } else {
            return Ok(ToolSpec {
                name,
                description: description.into(),
                input_schema,
            });
        };
        Err(InvalidValue::because(
            reason,
            format!("tool `{name}` cannot be offered: {reason}"),
        ))
    }

    /// Returns whether every provider accepts a tool of this name: at most 64 ASCII letters, digits, `_` and `-`, and a letter or
    /// `_` first.
    pub fn is_name(name: &str) -> bool {
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.len() <= 64
            && name.chars().all(is_part)
    }
}

/// One of the three places a prompt is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Slot {
    /// The system prompt.
    SystemPrompt,
    /// The conversation.
    Messages,
    /// The tools on offer.
    Tools,
}

/// The content of an injection. One injection may fill several slots.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Content {
    /// Text for the system prompt.
    pub system_prompt: Option<Arc<str>>,
    /// Messages.
    pub messages: Vec<Message>,
    /// Tools.
    pub tools: Vec<ToolSpec>,
}

impl Content {
    /// Creates content of a text for the system prompt.
    pub fn system_prompt(text: impl Into<Arc<str>>) -> Content {
        Content {
            system_prompt: Some(text.into()),
            ..Content::default()
        }
    }

    /// Creates content of one message.
    pub fn message(role: Role, text: impl Into<Arc<str>>) -> Content {
        Content {
            messages: vec![Message::new(role, text)],
            ..Content::default()
        }
    }

    /// Adds tools.
    #[must_use]
    pub fn with_tools(mut self, tools: impl IntoIterator<Item = ToolSpec>) -> Content {
        self.tools.extend(tools);
        self
    }

    /// Returns the slots that this content fills.
    pub fn slots(&self) -> Vec<Slot> {
        let filled = [
            (
                Slot::SystemPrompt,
                self.system_prompt
                    .as_deref()
                    .is_some_and(|text| !text.trim().is_empty()),
            ),
            (
                Slot::Messages,
                self.messages
                    .iter()
                    .any(|message| !message.text.trim().is_empty()),
            ),
            (Slot::Tools, !self.tools.is_empty()),
        ];
        filled
            .into_iter()
            .filter_map(|(slot, filled)| filled.then_some(slot))
            .collect()
    }
}

/// Content for a model, with the condition under which it is active and its kind.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Injection {
    /// Identity, for activation and reports.
    pub id: Id,
    /// The description, for reports.
    pub description: Arc<str>,
    /// The kind.
    pub flavor: Flavor,
    /// When it is active.
    pub trigger: Trigger,
    /// The content for each slot.
    pub content: Content,
    /// Everything else that is known about it, in order. For a skill: its front matter.
    pub metadata: Vec<(Arc<str>, Value)>,
}

impl Injection {
    /// Creates an injection without metadata.
    ///
    /// # Errors
    /// [`InvalidValue`] when no slot would get anything or two tools share a name.
    pub fn new(
        id: Id,
        flavor: Flavor,
        trigger: Trigger,
        description: impl Into<Arc<str>>,
        content: Content,
    ) -> Result<Injection, InvalidValue> {
        if content.slots().is_empty() {
            let message =
                format!("{flavor} `{id}` has nothing to say: give it a text, a message or a tool");
            return Err(InvalidValue::new(message));
        }
        let mut names = std::collections::HashSet::new();
        if let Some(tool) = content.tools.iter().find(|tool| !names.insert(&tool.name)) {
            return Err(InvalidValue::new(format!(
                "{flavor} `{id}` offers two tools called `{}`",
                tool.name
            )));
        }
        Ok(Injection {
            id,
            description: description.into(),
            flavor,
            trigger,
            content,
            metadata: Vec::new(),
        })
    }

    /// Sets the metadata.
    #[must_use]
    pub fn with_metadata(
        mut self,
        metadata: impl IntoIterator<Item = (Arc<str>, Value)>,
    ) -> Injection {
        self.metadata = metadata.into_iter().collect();
        self
    }
}

#[cfg(test)]
mod tests;
