//! The dialects of placeholders.

use std::fmt;

use repertoire_core::Skill;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A spelling of placeholders, as data.
///
/// Clients disagree about the number of the first argument, so a skill that was written for one is off by one in another.
///
/// | name | first argument | surplus arguments |
/// |---|---|---|
/// | `claude` (default) | `$0` | dropped |
/// | `opencode` | `$1` | join the last place |
/// | `cortex` | `$1` | dropped |
/// | `openclaw` | a body is plain text, but for `{baseDir}` | |
/// | `none` | a body is plain text | |
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Dialect {
    /// The name of the dialect.
    pub name: &'static str,
    /// The number of the first argument; `None` where a body is plain text, without any placeholder or directive.
    pub first: Option<usize>,
    /// The treatment of arguments after the last placeholder.
    pub extra: ExtraArguments,
    /// The placeholder of the skill's folder, in text and code. If there is one, the dialect has no other placeholder.
    pub skill_dir: Option<&'static str>,
    /// The variables that are placeholders in code too: those of folders, because commands in examples begin with them.
    pub in_code: &'static [&'static str],
}

/// The treatment of arguments after the last placeholder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ExtraArguments {
    /// They are dropped.
    Dropped,
    /// They join the placeholder with the highest number, separated by blanks.
    JoinsLast,
}

/// The error for a text that is not the name of a [`Dialect`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown dialect `{name}`: expected {}", Dialect::ALL.map(|dialect| format!("`{dialect}`")).join(", "))]
pub struct UnknownDialect {
    name: String,
}

impl Dialect {
    /// Claude Code's: arguments count from 0.
    ///
    /// In its documentation, a skill runs its own scripts from a fence: `python3 ${CLAUDE_SKILL_DIR}/scripts/visualize.py .`
    pub const CLAUDE: Dialect = Dialect {
        name: "claude",
        first: Some(0),
        extra: ExtraArguments::Dropped,
        skill_dir: None,
        in_code: &["SKILL_DIR", "CLAUDE_SKILL_DIR", "CLAUDE_PLUGIN_ROOT"],
    };
    /// OpenCode's: arguments count from 1, and the last place takes the rest.
    pub const OPENCODE: Dialect =
        Dialect { name: "opencode", first: Some(1), extra: ExtraArguments::JoinsLast, skill_dir: None, in_code: &[] };
    /// Cortex's: arguments count from 1.
    pub const CORTEX: Dialect =
        Dialect { name: "cortex", first: Some(1), extra: ExtraArguments::Dropped, skill_dir: None, in_code: &[] };
    /// OpenClaw's: `{baseDir}` is the folder of the skill, and everything else is text.
    pub const OPENCLAW: Dialect = Dialect {
        name: "openclaw",
        first: None,
        extra: ExtraArguments::Dropped,
        skill_dir: Some("{baseDir}"),
        in_code: &[],
    };
    /// The dialect without placeholders and directives.
    pub const NONE: Dialect =
        Dialect { name: "none", first: None, extra: ExtraArguments::Dropped, skill_dir: None, in_code: &[] };

    /// Every dialect.
    pub const ALL: [Dialect; 5] =
        [Dialect::CLAUDE, Dialect::OPENCODE, Dialect::CORTEX, Dialect::OPENCLAW, Dialect::NONE];

    /// Returns the dialect of this name.
    ///
    /// # Errors
    /// Returns [`UnknownDialect`] for other texts.
    pub fn named(name: &str) -> Result<Dialect, UnknownDialect> {
        let found = Dialect::ALL.into_iter().find(|dialect| dialect.name == name);
        found.ok_or_else(|| UnknownDialect { name: repertoire_core::text::terminal_line(name).into_owned() })
    }

    /// Returns the `argument-dialect` of a skill, at the top level of its front matter or under `metadata`.
    pub(crate) fn declared(skill: &Skill) -> Option<Result<Dialect, UnknownDialect>> {
        const KEY: &str = "argument-dialect";
        let value = skill.extension(&[KEY])?;
        Some(Dialect::named(value.as_text().unwrap_or_default().trim()))
    }
}

impl Default for Dialect {
    fn default() -> Dialect {
        Dialect::CLAUDE
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name)
    }
}

impl Serialize for Dialect {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name)
    }
}

impl<'de> Deserialize<'de> for Dialect {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Dialect, D::Error> {
        Dialect::named(&String::deserialize(deserializer)?).map_err(de::Error::custom)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Dialect {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "dialect".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let names = Dialect::ALL.map(|dialect| dialect.name);
        schemars::json_schema!({ "description": "The spelling of placeholders in bodies.", "enum": names })
    }
}
