//! The conversation in the format of the provider, which is that of Anthropic.

use repertoire::catalog::CatalogCache;
use repertoire::registry::Snapshot;
use repertoire::session::{Evaluation, Slots, ToolResult};
use repertoire::tools::ToolFormat;
use repertoire::{Model, Skill};
use serde_json::{Value, json};

use super::script::Reply;

/// A tool call and its result.
pub(super) struct Called {
    pub(super) tool: String,
    text: String,
    is_error: bool,
}

impl Called {
    pub(super) fn new(tool: String, text: String, is_error: bool) -> Called {
        Called {
            tool,
            text,
            is_error,
        }
    }

    pub(super) fn first_line(&self) -> &str {
        self.text.lines().next().unwrap_or_default()
    }

    pub(super) fn into_result(self) -> ToolResult {
        match self.is_error {
            true => ToolResult::failed(self.tool, self.text),
            false => ToolResult::new(self.tool, self.text),
        }
    }

    fn content(&self) -> Value {
        json!({"type": "tool_result", "tool_use_id": self.tool, "content": self.text, "is_error": self.is_error})
    }
}

/// The messages so far, and the catalog before them.
pub(super) struct Conversation {
    messages: Vec<Value>,
    catalog: CatalogCache,
}

impl Conversation {
    pub(super) fn new(catalog: CatalogCache) -> Conversation {
        Conversation {
            messages: Vec::new(),
            catalog,
        }
    }

    pub(super) fn add_user(&mut self, text: &str) {
        self.messages.push(json!({"role": "user", "content": text}));
    }

    pub(super) fn add_reply(&mut self, reply: &Reply) {
        self.messages
            .push(json!({"role": "assistant", "content": reply.content()}));
    }

    pub(super) fn add_results(&mut self, results: &[Called]) {
        let content: Value = results.iter().map(Called::content).collect();
        self.messages
            .push(json!({"role": "user", "content": content}));
    }

    pub(super) fn restart(&mut self, summary: &str) {
        self.messages.clear();
        self.add_user(summary);
    }

    /// Builds the request. The constant part comes first, for the prompt cache.
    pub(super) fn request(
        &mut self,
        model: &Model,
        slots: &Slots,
        evaluation: &Evaluation,
        skills: &Snapshot<Skill>,
    ) -> Value {
        // The catalog marks the skills that untrusted sources suggest.
        let suggested = evaluation.suggested.iter().map(|suggested| &suggested.id);
        let catalog = self.catalog.suggesting(skills, suggested);
        let parts = [
            "You keep a house in order.",
            catalog.text.trim_end(),
            &slots.system_prompt,
        ];
        let system: Vec<_> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        // By default messages go to the end and stay in the conversation.
        let messages = slots
            .messages
            .iter()
            .map(|message| json!({"role": message.role, "content": &*message.text}));
        self.messages.extend(messages);
        let tools = ToolFormat::Anthropic.tools(&slots.tools);
        json!({"model": model.name(), "system": system.join("\n\n"), "messages": self.messages, "tools": tools})
    }
}
