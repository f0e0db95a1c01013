//! A scripted conversation.

use std::path::Path;
use std::{fs, str};

use repertoire::{Content, Flavor, Id, Injection, Role, Trigger};
use serde::Deserialize;
use serde_json::{Map, Value};
use serde_saphyr::Error;

use crate::failure::Failure;
use crate::report::Excerpt;

/// A scripted conversation: what the host injects, and what each turn brings.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Script {
    /// What the host puts before the model beside its skills.
    #[serde(default)]
    pub(super) injections: Vec<Injected>,
    /// Each a call of the model.
    pub(super) turns: Vec<Step>,
}

/// One call of the model: what it gets to see anew, and what it does.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Step {
    /// A message of the user.
    pub(super) user: Option<String>,
    /// The type of the task at hand.
    pub(super) task: Option<String>,
    /// The files that are worked on.
    #[serde(default)]
    pub(super) paths: Vec<String>,
    /// The command that the user gave.
    pub(super) command: Option<String>,
    /// The names of the host's rules that hold.
    #[serde(default)]
    pub(super) rules: Vec<String>,
    /// What the model says.
    pub(super) says: Option<String>,
    /// The tools that it calls.
    #[serde(default)]
    pub(super) calls: Vec<Called>,
}

/// A call of a tool.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Called {
    /// Its name.
    pub(super) tool: String,
    /// What the model gives it.
    #[serde(default)]
    pub(super) arguments: Map<String, Value>,
    /// What it answers; tools of skills answer for themselves.
    pub(super) result: Option<String>,
    /// Whether it failed.
    #[serde(default)]
    pub(super) failed: bool,
}

/// What the host puts before the model.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Injected {
    id: Id,
    flavor: Kind,
    when: When,
    system_prompt: Option<String>,
    message: Option<String>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Steering,
    Instructions,
    Fact,
    Rag,
    Memory,
}

/// When it is there.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum When {
    Always,
    Rule(String),
    AfterTool(String),
}

impl Script {
    /// Reads the file at `path`, which people call `name`.
    pub(super) fn read(path: &Path, name: &str) -> Result<Script, Failure> {
        let bytes = fs::read(path).map_err(|error| Failure::io(format!("cannot read `{name}`"), &error))?;
        let text = str::from_utf8(&bytes).map_err(|error| Failure::new(format!("cannot read `{name}`: {error}")))?;
        let script: Script = serde_saphyr::from_str(text).map_err(|error| blame(&error, name, text))?;
        if script.turns.is_empty() {
            return Err(Failure::new(format!("`{name}` has no turn")));
        }
        Ok(script)
    }
}

/// What is wrong, and where.
fn blame(error: &Error, name: &str, text: &str) -> Failure {
    let error = error.without_snippet();
    let mut message = error.to_string();
    let place = error.location().and_then(|place| {
        let (line, column) = (place.line(), place.column());
        // The excerpt says it better.
        if let Some(at) = message.find(&format!(" at line {line}, column {column}")) {
            message.truncate(at);
        }
        Excerpt::at(text, u32::try_from(line).ok()?, u32::try_from(column).ok()?)
    });
    let failure = Failure::new(message);
    match place {
        Some(excerpt) => failure.at(name, excerpt),
        None => failure,
    }
}

impl Injected {
    pub(super) fn injection(&self) -> Result<Injection, Failure> {
        let flavor = match self.flavor {
            Kind::Steering => Flavor::Steering,
            Kind::Instructions => Flavor::Instructions,
            Kind::Fact => Flavor::Fact,
            Kind::Rag => Flavor::Rag,
            Kind::Memory => Flavor::Memory,
        };
        let trigger = match &self.when {
            When::Always => Trigger::Always,
            When::Rule(name) => Trigger::Rule(name.as_str().into()),
            When::AfterTool(name) => Trigger::AfterTool(name.as_str().into()),
        };
        let mut content = match &self.message {
            Some(message) => Content::message(Role::User, message.as_str()),
            None => Content::default(),
        };
        content.system_prompt = self.system_prompt.as_deref().map(Into::into);
        Injection::new(self.id.clone(), flavor, trigger, "", content).map_err(|error| Failure::of(&error))
    }
}
