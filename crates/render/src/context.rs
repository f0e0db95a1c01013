//! What a body is rendered with.

use std::collections::BTreeMap;

use crate::Arguments;

/// What a body is rendered with: arguments, variables, and what to do where something is missing.
///
/// `${NAME}` is looked up in this order; the first that has it decides:
///
/// 1. built in: `SKILL_DIR`, `SESSION_ID`, `PROJECT_DIR`, each also with `CLAUDE_` before it, and `ARGUMENTS`. Nothing
///    overrides these, not even where the host has no value for one;
/// 2. the host's [`variables`](Context::variable);
/// 3. the [skill's](Context::skill_variable).
#[derive(Debug, Clone, Default)]
pub struct Context {
    pub(crate) arguments: Arguments,
    skill_dir: Option<String>,
    session_id: Option<String>,
    project_dir: Option<String>,
    skill: BTreeMap<String, String>,
    host: BTreeMap<String, String>,
    pub(crate) unknown: Unknown,
    pub(crate) unplaced: Unplaced,
    pub(crate) on_refusal: OnRefusal,
    pub(crate) on_success: OnSuccess,
}

/// What becomes of `${NAME}` if nobody knows the name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Unknown {
    /// It stays as it is: most such text is code of some language.
    #[default]
    Keep,
    /// Nothing is put in its place, with a warning.
    Empty,
    /// The body is not rendered.
    Error,
}

/// What becomes of arguments that no placeholder of the text took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Unplaced {
    /// A last line `ARGUMENTS: …` tells them.
    #[default]
    Append,
    /// Nothing: the host tells them elsewhere.
    Drop,
}

/// What becomes of a body with a command or script that may not run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum OnRefusal {
    /// It is rendered, with a note behind the directive.
    #[default]
    Note,
    /// It is not rendered.
    Abort,
}

/// What is shown of a command or script that ended well.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum OnSuccess {
    /// Its standard output. Of one that failed, standard error is shown in any case.
    #[default]
    Stdout,
    /// Its standard error too.
    StdoutAndStderr,
}

/// The names that only the host's facts answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BuiltIn {
    SkillDir,
    SessionId,
    ProjectDir,
    Arguments,
}

const BUILT_IN: [(&str, BuiltIn); 7] = [
    (Context::SKILL_DIR, BuiltIn::SkillDir),
    ("CLAUDE_SKILL_DIR", BuiltIn::SkillDir),
    ("SESSION_ID", BuiltIn::SessionId),
    ("CLAUDE_SESSION_ID", BuiltIn::SessionId),
    ("PROJECT_DIR", BuiltIn::ProjectDir),
    ("CLAUDE_PROJECT_DIR", BuiltIn::ProjectDir),
    (Context::ARGUMENTS, BuiltIn::Arguments),
];

impl Context {
    pub(crate) const ARGUMENTS: &str = "ARGUMENTS";
    pub(crate) const SKILL_DIR: &str = "SKILL_DIR";

    /// Nothing typed, nothing known.
    pub fn new() -> Context {
        Context::default()
    }

    /// The same context with what was typed.
    #[must_use]
    pub fn arguments(mut self, arguments: Arguments) -> Context {
        self.arguments = arguments;
        self
    }

    /// The same context with the folder of the skill.
    #[must_use]
    pub fn skill_dir(mut self, path: impl Into<String>) -> Context {
        self.skill_dir = Some(path.into());
        self
    }

    /// The same context with the id of the conversation.
    #[must_use]
    pub fn session_id(mut self, id: impl Into<String>) -> Context {
        self.session_id = Some(id.into());
        self
    }

    /// The same context with the folder of the project.
    #[must_use]
    pub fn project_dir(mut self, path: impl Into<String>) -> Context {
        self.project_dir = Some(path.into());
        self
    }

    /// The same context with a variable for this skill alone: the root of its plugin, say.
    #[must_use]
    pub fn skill_variable(mut self, name: impl Into<String>, value: impl Into<String>) -> Context {
        self.skill.insert(name.into(), value.into());
        self
    }

    /// The same context with a variable of the host, for every skill.
    #[must_use]
    pub fn variable(mut self, name: impl Into<String>, value: impl Into<String>) -> Context {
        self.host.insert(name.into(), value.into());
        self
    }

    /// The same context with another answer to unknown names.
    #[must_use]
    pub fn unknown(mut self, unknown: Unknown) -> Context {
        self.unknown = unknown;
        self
    }

    /// The same context with another fate of arguments that no placeholder took.
    #[must_use]
    pub fn unplaced(mut self, unplaced: Unplaced) -> Context {
        self.unplaced = unplaced;
        self
    }

    /// The same context with another answer to refused directives.
    #[must_use]
    pub fn on_refusal(mut self, on_refusal: OnRefusal) -> Context {
        self.on_refusal = on_refusal;
        self
    }

    /// The same context, showing something else of what ended well.
    #[must_use]
    pub fn on_success(mut self, on_success: OnSuccess) -> Context {
        self.on_success = on_success;
        self
    }

    /// The value of `${name}`.
    pub fn get(&self, name: &str) -> Option<&str> {
        match BUILT_IN.iter().find(|(known, _)| *known == name) {
            Some((_, built_in)) => self.fact(*built_in),
            None => self.set(name),
        }
    }

    /// The value that the host or the skill sets.
    pub(crate) fn set(&self, name: &str) -> Option<&str> {
        self.host.get(name).or_else(|| self.skill.get(name)).map(String::as_str)
    }

    /// Whether only the host's facts answer `${name}`, so that no variable of this name is ever looked at.
    pub fn is_built_in(name: &str) -> bool {
        BUILT_IN.iter().any(|(known, _)| *known == name)
    }

    fn fact(&self, built_in: BuiltIn) -> Option<&str> {
        match built_in {
            BuiltIn::SkillDir => self.skill_dir.as_deref(),
            BuiltIn::SessionId => self.session_id.as_deref(),
            BuiltIn::ProjectDir => self.project_dir.as_deref(),
            BuiltIn::Arguments => Some(self.arguments.raw()),
        }
    }

    /// Every variable that has a value, by name.
    pub fn variables(&self) -> BTreeMap<&str, &str> {
        let skill = self.skill.keys().chain(self.host.keys()).map(String::as_str);
        let names = skill.chain(BUILT_IN.iter().map(|(name, _)| *name));
        names.filter_map(|name| Some((name, self.get(name)?))).collect()
    }
}
