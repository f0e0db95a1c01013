//! The context of rendering.

use std::collections::BTreeMap;

use crate::Arguments;

/// The arguments and variables that a body is rendered with, and the policies for missing ones.
///
/// `${NAME}` is looked up in this order:
///
/// 1. Built-in names: `SKILL_DIR`, `SESSION_ID`, `PROJECT_DIR`, each also with the prefix `CLAUDE_`, and `ARGUMENTS`. No variable
///    overrides them, also if they have no value.
/// 2. The [variables](Context::variable) of the host.
/// 3. The [variables](Context::skill_variable) of the skill.
#[derive(Debug, Clone, Default)]
pub struct Context {
    pub(crate) arguments: Arguments,
    skill_dir: Option<String>,
    session_id: Option<String>,
    project_dir: Option<String>,
    skill: BTreeMap<String, String>,
    host: BTreeMap<String, String>,
    pub(crate) unknown: Unknown,
    pub(crate) drops_unused: bool,
    pub(crate) aborts_on_refusal: bool,
}

/// The policy for `${NAME}` with an unknown name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Unknown {
    /// The placeholder is unchanged, because most such text is code.
    #[default]
    Keep,
    /// The placeholder is removed, with a warning.
    Empty,
    /// Rendering returns an error.
    Error,
}

const BUILT_IN: [&str; 7] = [
    Context::ARGUMENTS,
    Context::SKILL_DIR,
    "CLAUDE_SKILL_DIR",
    "SESSION_ID",
    "CLAUDE_SESSION_ID",
    "PROJECT_DIR",
    "CLAUDE_PROJECT_DIR",
];

impl Context {
    pub(crate) const ARGUMENTS: &str = "ARGUMENTS";
    pub(crate) const SKILL_DIR: &str = "SKILL_DIR";

    /// Creates a context without arguments and variables.
    pub fn new() -> Context {
        Context::default()
    }

    /// Returns the same context with these arguments.
    #[must_use]
    pub fn arguments(mut self, arguments: Arguments) -> Context {
        self.arguments = arguments;
        self
    }

    /// Returns the same context with the folder of the skill.
    #[must_use]
    pub fn skill_dir(mut self, path: impl Into<String>) -> Context {
        self.skill_dir = Some(path.into());
        self
    }

    /// Returns the same context with the id of the conversation.
    #[must_use]
    pub fn session_id(mut self, id: impl Into<String>) -> Context {
        self.session_id = Some(id.into());
        self
    }

    /// Returns the same context with the folder of the project.
    #[must_use]
    pub fn project_dir(mut self, path: impl Into<String>) -> Context {
        self.project_dir = Some(path.into());
        self
    }

    /// Returns the same context with a variable of this skill, such as the folder of its plugin.
    #[must_use]
    pub fn skill_variable(mut self, name: impl Into<String>, value: impl Into<String>) -> Context {
        self.skill.insert(name.into(), value.into());
        self
    }

    /// Returns the same context with a variable of the host, for every skill.
    #[must_use]
    pub fn variable(mut self, name: impl Into<String>, value: impl Into<String>) -> Context {
        self.host.insert(name.into(), value.into());
        self
    }

    /// Returns the same context with this policy for unknown names.
    #[must_use]
    pub fn unknown(mut self, unknown: Unknown) -> Context {
        self.unknown = unknown;
        self
    }

    /// Returns the same context, which drops arguments that no placeholder uses instead of appending them.
    #[must_use]
    pub fn drop_unused(mut self) -> Context {
        self.drops_unused = true;
        self
    }

    /// Returns the same context, in which a refused command or script is an error instead of a note.
    #[must_use]
    pub fn abort_on_refusal(mut self) -> Context {
        self.aborts_on_refusal = true;
        self
    }

    /// Returns whether `name` is built in, so that no variable overrides it.
    pub fn is_built_in(name: &str) -> bool {
        BUILT_IN.contains(&name)
    }

    /// Returns the value of `${name}`.
    pub fn get(&self, name: &str) -> Option<&str> {
        if !Context::is_built_in(name) {
            return self
                .host
                .get(name)
                .or_else(|| self.skill.get(name))
                .map(String::as_str);
        }
        match name.strip_prefix("CLAUDE_").unwrap_or(name) {
            Context::SKILL_DIR => self.skill_dir.as_deref(),
            "SESSION_ID" => self.session_id.as_deref(),
            "PROJECT_DIR" => self.project_dir.as_deref(),
            _ => Some(self.arguments.raw()),
        }
    }

    #[cfg(feature = "process")]
    pub(crate) fn variables(&self) -> BTreeMap<&str, &str> {
        let names = self
            .skill
            .keys()
            .chain(self.host.keys())
            .map(String::as_str)
            .chain(BUILT_IN);
        names
            .filter_map(|name| Some((name, self.get(name)?)))
            .collect()
    }
}
