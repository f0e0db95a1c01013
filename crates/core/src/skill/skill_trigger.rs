//! Conditions that suggest a skill.

use std::fmt;
use std::sync::Arc;

use serde::Serialize;

use crate::Value;

/// A condition in a skill's `triggers`. The engine decides what to do when it holds.
///
/// Written as a map of one kind, `{tool: mcp__github__*}`, or as a text, see [`read`](SkillTrigger::read).
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

/// The reason why an item of `triggers` is not a trigger.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum TriggerFault {
    /// It says nothing.
    Empty,
    /// It is neither a text nor a map of one kind.
    Shape,
    /// The kind is unknown.
    Kind(Arc<str>),
    /// The value of this kind is not a text.
    Value(Arc<str>),
    /// The regular expression is invalid, for this reason.
    Regex(String),
}

/// The kinds that may stand before a colon in a text. A `regex` may hold commas, so it needs a map.
const PREFIXES: [&str; 5] = ["keyword", "task", "tool", "path", "command"];

impl SkillTrigger {
    /// Reads one item of `triggers`. A text may hold several triggers, apart by commas, each by the first rule that fits:
    ///
    /// 1. `tool:NAME`, and likewise `task:`, `keyword:`, `path:`, `command:`: that kind
    /// 2. `/release`: a command
    /// 3. `*` or `__` in it and no blank, `mcp__github__*`: a tool, or with a slash, `src/**`, a path
    /// 4. everything else: a keyword
    ///
    /// # Errors
    /// [`TriggerFault`] for what is not a trigger.
    pub fn read(item: &Value) -> Result<Vec<SkillTrigger>, TriggerFault> {
        if let Some(text) = item.as_text() {
            let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
            let triggers: Vec<_> = parts.map(SkillTrigger::of_text).collect();
            return if triggers.is_empty() { Err(TriggerFault::Empty) } else { Ok(triggers) };
        }
        let Value::Map(rows) = item else {
            return Err(if item.is_null() { TriggerFault::Empty } else { TriggerFault::Shape });
        };
        let [(kind, value)] = rows.as_slice() else {
            let unknown = rows.iter().find(|(kind, _)| !is_kind(kind));
            return Err(unknown.map_or(TriggerFault::Shape, |(kind, _)| TriggerFault::Kind(kind.clone())));
        };
        if kind.as_ref() == "always" {
            return match value.as_bool() {
                Some(true) => Ok(vec![SkillTrigger::Always]),
                Some(false) => Ok(Vec::new()),
                None => Err(TriggerFault::Value(kind.clone())),
            };
        }
        if !is_kind(kind) {
            return Err(TriggerFault::Kind(kind.clone()));
        }
        let text = value.as_text().ok_or_else(|| TriggerFault::Value(kind.clone()))?;
        Ok(vec![SkillTrigger::of_kind(kind, text.trim())])
    }

    /// Returns why this one can never hold: it says nothing, or its regular expression is invalid.
    pub fn fault(&self) -> Option<TriggerFault> {
        match self {
            SkillTrigger::Regex(text) if !text.is_empty() => {
                regex_syntax::ParserBuilder::new().nest_limit(64).build().parse(text).err().map(regex_fault)
            }
            SkillTrigger::Keyword(text)
            | SkillTrigger::Task(text)
            | SkillTrigger::Tool(text)
            | SkillTrigger::Path(text)
            | SkillTrigger::Command(text)
            | SkillTrigger::Regex(text) => text.is_empty().then_some(TriggerFault::Empty),
            SkillTrigger::Always => None,
        }
    }

    fn of_text(text: &str) -> SkillTrigger {
        if let Some((kind, rest)) = text.split_once(':')
            && PREFIXES.contains(&kind)
            && !rest.trim().is_empty()
        {
            return SkillTrigger::of_kind(kind, rest.trim());
        }
        let is_word = !text.contains(char::is_whitespace);
        match text.strip_prefix('/') {
            Some(name) if is_word && !name.is_empty() && !name.contains(['/', '*']) => {
                SkillTrigger::Command(name.into())
            }
            _ if is_word && text.contains('*') && text.contains('/') => SkillTrigger::Path(text.into()),
            _ if is_word && (text.contains('*') || text.contains("__")) => SkillTrigger::Tool(text.into()),
            _ => SkillTrigger::Keyword(text.into()),
        }
    }

    fn of_kind(kind: &str, text: &str) -> SkillTrigger {
        let text = text.into();
        match kind {
            "task" => SkillTrigger::Task(text),
            "tool" => SkillTrigger::Tool(text),
            "path" => SkillTrigger::Path(text),
            "command" => SkillTrigger::Command(text),
            "regex" => SkillTrigger::Regex(text),
            _ => SkillTrigger::Keyword(text),
        }
    }
}

fn is_kind(kind: &str) -> bool {
    PREFIXES.contains(&kind) || matches!(kind, "regex" | "always")
}

fn regex_fault(error: regex_syntax::Error) -> TriggerFault {
    let text = error.to_string();
    TriggerFault::Regex(text.lines().next_back().unwrap_or_default().trim_start_matches("error: ").to_owned())
}

impl fmt::Display for TriggerFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const KINDS: &str = "`keyword`, `task`, `tool`, `path`, `command`, `regex` or `always`";
        match self {
            TriggerFault::Empty => f.write_str("expected a text, found nothing"),
            TriggerFault::Shape => write!(f, "expected a text or a map with one of {KINDS}"),
            TriggerFault::Kind(kind) => write!(f, "expected {KINDS}, found the kind `{kind}`"),
            TriggerFault::Value(kind) if kind.as_ref() == "always" => f.write_str("expected `true` for `always`"),
            TriggerFault::Value(kind) => write!(f, "expected a text for `{kind}`"),
            TriggerFault::Regex(why) => write!(f, "the regular expression is invalid: {why}"),
        }
    }
}
