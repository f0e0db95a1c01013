//! The dialects of placeholders.

use std::fmt;
use std::str::FromStr;

use repertoire_core::text::terminal_line;
use repertoire_core::{InvalidValue, Skill};
use serde::{Deserialize, Serialize};

/// A spelling of placeholders.
///
/// Clients disagree about the number of the first argument, so a skill that was written for one is off by one in another.
///
/// | name | first argument | surplus arguments |
/// |---|---|---|
/// | `claude` (default) | `$0` | dropped |
/// | `opencode` | `$1` | join the last placeholder |
/// | `cortex` | `$1` | dropped |
/// | `openclaw` | a body is plain text, but for `{baseDir}` | |
/// | `none` | a body is plain text | |
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "&'static str")]
#[non_exhaustive]
pub enum Dialect {
    /// The dialect `claude`: the variables of folders are placeholders in code too.
    ///
    /// In the documentation of Claude Code, a skill runs its own script from a fence:
    /// `python3 ${CLAUDE_SKILL_DIR}/scripts/visualize.py .`
    #[default]
    Claude,
    /// The dialect `opencode`.
    OpenCode,
    /// The dialect `cortex`.
    OneBased,
    /// The dialect `openclaw`: `{baseDir}` is the folder of the skill, in text and code.
    OpenClaw,
    /// The dialect `none`.
    PlainText,
}

impl Dialect {
    /// Every dialect.
    pub const ALL: [Dialect; 5] = [
        Dialect::Claude,
        Dialect::OpenCode,
        Dialect::OneBased,
        Dialect::OpenClaw,
        Dialect::PlainText,
    ];

    /// Returns the name of the dialect.
    pub fn name(self) -> &'static str {
        match self {
            Dialect::Claude => "claude",
            Dialect::OpenCode => "opencode",
            Dialect::OneBased => "cortex",
            Dialect::OpenClaw => "openclaw",
            Dialect::PlainText => "none",
        }
    }

    /// Returns the number of the first argument; `None` where a body has no arguments and directives.
    pub(crate) fn first_argument(self) -> Option<usize> {
        match self {
            Dialect::Claude => Some(0),
            Dialect::OpenCode | Dialect::OneBased => Some(1),
            Dialect::OpenClaw | Dialect::PlainText => None,
        }
    }

    /// Returns the variables that are placeholders in code too: those of folders, because commands in examples begin with them.
    pub(crate) fn variables_in_code(self) -> &'static [&'static str] {
        match self {
            Dialect::Claude => &["SKILL_DIR", "CLAUDE_SKILL_DIR", "CLAUDE_PLUGIN_ROOT"],
            _ => &[],
        }
    }

    /// Returns the `argument-dialect` of a skill, at the top level of its front matter or under `metadata`.
    pub(crate) fn declared(skill: &Skill) -> Option<Result<Dialect, InvalidValue>> {
        let value = skill.extension(&["argument-dialect"])?;
        Some(value.as_text().unwrap_or_default().trim().parse())
    }
}

impl FromStr for Dialect {
    type Err = InvalidValue;

    fn from_str(name: &str) -> Result<Dialect, InvalidValue> {
        let found = Dialect::ALL
            .into_iter()
            .find(|dialect| dialect.name() == name);
        found.ok_or_else(|| {
            let known = Dialect::ALL.map(|dialect| format!("`{dialect}`"));
            InvalidValue::new(format!(
                "unknown dialect `{}`: expected {}",
                terminal_line(name),
                known.join(", ")
            ))
        })
    }
}

impl TryFrom<String> for Dialect {
    type Error = InvalidValue;

    fn try_from(name: String) -> Result<Dialect, InvalidValue> {
        name.parse()
    }
}

impl From<Dialect> for &'static str {
    fn from(dialect: Dialect) -> &'static str {
        dialect.name()
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Dialect {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "dialect".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "The spelling of placeholders in bodies.",
            "enum": Dialect::ALL.map(Dialect::name),
        })
    }
}
