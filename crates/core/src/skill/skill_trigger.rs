//! Conditions that suggest a skill.

use std::sync::Arc;

use serde::Serialize;

use crate::Value;

/// A condition in a skill's `triggers`. The engine decides what to do when it holds.
///
/// Written as a text, which is a keyword, or as a map of one kind: `{tool: mcp__github__*}`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum SkillTrigger {
    /// A word or phrase in the conversation.
    Keyword(Arc<str>),
    /// A task of this type.
    Task(Arc<str>),
    /// A tool whose name matches this glob.
    Tool(Arc<str>),
    /// A file whose path matches this glob.
    Path(Arc<str>),
    /// A command of this name.
    Command(Arc<str>),
    /// A text that matches this regular expression. Hosts opt in.
    Regex(Arc<str>),
    /// Every turn.
    Always,
}

impl SkillTrigger {
    /// Reads one item of `triggers`; `None` for what is no trigger.
    pub fn read(item: &Value) -> Option<SkillTrigger> {
        if let Some(text) = item.as_text() {
            let text = text.trim();
            return (!text.is_empty()).then(|| SkillTrigger::Keyword(text.into()));
        }
        let Value::Map(rows) = item else { return None };
        let [(kind, value)] = rows.as_slice() else { return None };
        if kind.as_ref() == "always" {
            return (value.as_bool() == Some(true)).then_some(SkillTrigger::Always);
        }
        let text = || value.as_text().map(|text| Arc::from(text.trim()));
        Some(match kind.as_ref() {
            "keyword" => SkillTrigger::Keyword(text()?),
            "task" => SkillTrigger::Task(text()?),
            "tool" => SkillTrigger::Tool(text()?),
            "path" => SkillTrigger::Path(text()?),
            "command" => SkillTrigger::Command(text()?),
            "regex" => SkillTrigger::Regex(text()?),
            _ => return None,
        })
    }
}
