//! What a scripted host puts before the model.

use repertoire::{Content, Flavor, Id, Injection, Role, Trigger};
use serde::Deserialize;

use crate::failure::Failure;

/// What the host puts before the model.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(in super::super) struct Injected {
    id: Id,
    flavor: Kind,
    when: When,
    system_prompt: Option<String>,
    message: Option<String>,
    /// Who says the message.
    role: Option<Role>,
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
    AfterToolMatching(String),
    Activated,
}

impl Injected {
    pub(in super::super) fn injection(&self) -> Result<Injection, Failure> {
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
            When::AfterToolMatching(pattern) => Trigger::AfterToolMatching(pattern.as_str().into()),
            When::Activated => Trigger::Activated,
        };
        let mut content = match &self.message {
            Some(message) => Content::message(self.role.unwrap_or(Role::User), message.as_str()),
            None => Content::default(),
        };
        content.system_prompt = self.system_prompt.as_deref().map(Into::into);
        Injection::new(self.id.clone(), flavor, trigger, "", content).map_err(|error| Failure::of(&error))
    }
}
