//! How a body spells the places for arguments.

use std::fmt;

use repertoire_core::Skill;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// How a body spells the places for arguments, as data.
///
/// The sharpest disagreement between clients is which number the first argument has: a skill written for one is off by one
/// in the other.
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
    /// What it is called.
    pub name: &'static str,
    /// The number of the first argument; `None` where a body is plain text, without any placeholder or directive.
    pub first: Option<usize>,
    /// What becomes of arguments behind the last place for one.
    pub surplus: Surplus,
    /// What stands for the folder of the skill wherever it is, code included; if there is such a word, nothing else is a placeholder.
    pub skill_dir: Option<&'static str>,
    /// The variables that are placeholders in code as well: those of folders, which examples of commands begin with.
    pub in_code: &'static [&'static str],
}

/// What becomes of arguments behind the last place for one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Surplus {
    /// They appear nowhere.
    Dropped,
    /// The place with the highest number takes them too, with blanks between.
    JoinsLast,
}

/// A text that names no [`Dialect`].
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
        surplus: Surplus::Dropped,
        skill_dir: None,
        in_code: &["SKILL_DIR", "CLAUDE_SKILL_DIR", "CLAUDE_PLUGIN_ROOT"],
    };
    /// OpenCode's: arguments count from 1, and the last place takes the rest.
    pub const OPENCODE: Dialect =
        Dialect { name: "opencode", first: Some(1), surplus: Surplus::JoinsLast, skill_dir: None, in_code: &[] };
    /// Cortex's: arguments count from 1.
    pub const CORTEX: Dialect =
        Dialect { name: "cortex", first: Some(1), surplus: Surplus::Dropped, skill_dir: None, in_code: &[] };
    /// OpenClaw's: `{baseDir}` is the folder of the skill, and everything else is text.
    pub const OPENCLAW: Dialect = Dialect {
        name: "openclaw",
        first: None,
        surplus: Surplus::Dropped,
        skill_dir: Some("{baseDir}"),
        in_code: &[],
    };
    /// None: what looks like a placeholder or a directive is text. For bodies of which that is not known.
    pub const NONE: Dialect =
        Dialect { name: "none", first: None, surplus: Surplus::Dropped, skill_dir: None, in_code: &[] };

    /// Every dialect.
    pub const ALL: [Dialect; 5] =
        [Dialect::CLAUDE, Dialect::OPENCODE, Dialect::CORTEX, Dialect::OPENCLAW, Dialect::NONE];

    /// The dialect of this name.
    ///
    /// # Errors
    /// [`UnknownDialect`] for every other text.
    pub fn named(name: &str) -> Result<Dialect, UnknownDialect> {
        let found = Dialect::ALL.into_iter().find(|dialect| dialect.name == name);
        found.ok_or_else(|| UnknownDialect { name: repertoire_core::text::terminal_line(name).into_owned() })
    }

    /// The dialect that a skill declares: `argument-dialect`, at the top level of its front matter or under `metadata`.
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
        schemars::json_schema!({ "description": "How a body spells the places for arguments.", "enum": names })
    }
}
