//! Conditions that suggest a skill.

use std::sync::Arc;

use serde::Serialize;

use crate::Value;
use crate::text::quoted;

/// A condition in a skill's `triggers`. The engine decides what to do when it holds.
///
/// Written as a map of one kind, `{tool: mcp__github__*}`, or as a text. A text may hold several triggers,
/// separated by commas, each by the first rule that fits:
///
/// 1. `tool:NAME`, and likewise `task:`, `keyword:`, `path:`, `command:`: that kind
/// 2. `/release`: a command
/// 3. `*` or `__` in it and no blank, `mcp__github__*`: a tool, or with a slash, `src/**`, a path
/// 4. everything else: a keyword
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

const KINDS: &str = "`keyword`, `task`, `tool`, `path`, `command`, `regex` or `always`";
const EMPTY: &str = "expected a text, found nothing";

/// The kinds that may stand before a colon in a text. A `regex` may hold commas, so it needs a map.
const PREFIXES: [&str; 5] = ["keyword", "task", "tool", "path", "command"];

impl SkillTrigger {
    /// Reads one item of `triggers`.
    ///
    /// # Errors
    /// The reason why it is not a trigger.
    pub(crate) fn read(item: &Value) -> Result<Vec<SkillTrigger>, String> {
        if let Some(text) = item.as_text() {
            let parts = text
                .split(',')
                .map(str::trim)
                .filter(|part| !part.is_empty());
            let triggers: Vec<_> = parts.map(SkillTrigger::of_text).collect();
            return if triggers.is_empty() {
                Err(EMPTY.to_owned())
            } else {
                Ok(triggers)
            };
        }
        let Value::Map(rows) = item else {
            return Err(if item.is_null() {
                EMPTY.to_owned()
            } else {
                unknown_shape()
            });
        };
        let [(kind, value)] = rows.as_slice() else {
            let other = rows.iter().find(|(kind, _)| !is_kind(kind));
            return Err(other.map_or_else(unknown_shape, |(kind, _)| unknown_kind(kind)));
        };
        match (kind.as_ref(), value.as_bool(), value.as_text()) {
            ("always", Some(true), _) => Ok(vec![SkillTrigger::Always]),
            ("always", Some(false), _) => Ok(Vec::new()),
            ("always", None, _) => Err("expected `true` for `always`".to_owned()),
            (kind, ..) if !is_kind(kind) => Err(unknown_kind(kind)),
            (kind, _, Some(text)) => Ok(vec![SkillTrigger::of_kind(kind, text.trim())]),
            (kind, _, None) => Err(format!("expected a text for `{kind}`")),
        }
    }

    /// Returns the reason why this one can never hold: it is empty, or its regular expression is invalid.
    #[doc(hidden)]
    pub fn fault(&self) -> Option<String> {
        match self {
            SkillTrigger::Always => None,
            SkillTrigger::Regex(text) if !text.is_empty() => regex_syntax::ParserBuilder::new()
                .nest_limit(64)
                .build()
                .parse(text)
                .err()
                .map(regex_fault),
            SkillTrigger::Keyword(text)
            | SkillTrigger::Task(text)
            | SkillTrigger::Tool(text)
            | SkillTrigger::Path(text)
            | SkillTrigger::Command(text)
            | SkillTrigger::Regex(text) => text.is_empty().then(|| EMPTY.to_owned()),
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
            _ if is_word && text.contains('*') && text.contains('/') => {
                SkillTrigger::Path(text.into())
            }
            _ if is_word && (text.contains('*') || text.contains("__")) => {
                SkillTrigger::Tool(text.into())
            }
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

fn unknown_kind(kind: &str) -> String {
    format!("expected {KINDS}, found the kind `{}`", quoted(kind))
}

fn unknown_shape() -> String {
    format!("expected a text or a map with one of {KINDS}")
}

fn regex_fault(error: regex_syntax::Error) -> String {
    let text = error.to_string();
    let why = text
        .lines()
        .next_back()
        .unwrap_or_default()
        .trim_start_matches("error: ");
    format!("the regular expression is invalid: {why}")
}
