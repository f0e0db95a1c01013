//! A scripted conversation.

mod host;
mod injected;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::str;
use std::sync::Arc;

use repertoire::{PermissionPolicy, SkillTools, Survival, Tail, Toolset};
use serde::Deserialize;
use serde_json::{Map, Value};
use serde_saphyr::Error;

pub(super) use self::host::Working;
use self::host::{Declared, Role};
pub(super) use self::injected::Injected;
use crate::failure::Failure;
use crate::report::Excerpt;
use crate::session::Session;

/// A scripted conversation: what the host has and says, and what each turn brings.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Script {
    /// How the session works.
    #[serde(default)]
    pub(super) session: Working,
    /// What each role may do.
    #[serde(default)]
    roles: BTreeMap<String, Role>,
    /// The role of whoever speaks.
    role: Option<String>,
    /// Tools beside those for skills.
    #[serde(default)]
    tools: Vec<Declared>,
    /// What the host puts before the model beside its skills.
    #[serde(default)]
    pub(super) injections: Vec<Injected>,
    /// Each a call of the model.
    pub(super) turns: Vec<Step>,
}

/// One call of the model: what it gets to see anew, and what it does.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Step {
    /// The conversation was shortened, and what was in it is lost.
    pub(super) compact: Option<Compact>,
    /// A message of the user.
    pub(super) user: Option<String>,
    /// The type of the task at hand.
    pub(super) task: Option<String>,
    /// The files that are worked on.
    #[serde(default)]
    pub(super) paths: Vec<String>,
    /// The command that the user gave.
    pub(super) command: Option<String>,
    /// The names of the host's rules that hold.
    #[serde(default)]
    pub(super) rules: Vec<String>,
    /// Skills that the user puts in force by their names, and injections of the host that wait for it.
    #[serde(default)]
    pub(super) activate: Vec<String>,
    /// What is ended.
    #[serde(default)]
    pub(super) deactivate: Vec<String>,
    /// How the conversation ends, where it is not as the results tell.
    pub(super) ends_with: Option<End>,
    /// What the model says.
    pub(super) says: Option<String>,
    /// The tools that it calls.
    #[serde(default)]
    pub(super) calls: Vec<Called>,
}

/// How much is given again after the conversation was shortened.
#[derive(Debug, Default, Clone, Copy, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Compact {
    per_skill: Option<usize>,
    total: Option<usize>,
}

/// How a conversation ends.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum End {
    Nothing,
    User,
    Assistant,
    Calls,
    Results,
}

/// A call of a tool.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Called {
    /// Its name.
    pub(super) tool: String,
    /// What the model gives it.
    #[serde(default)]
    pub(super) arguments: Map<String, Value>,
    /// What `allowed-tools` holds against its patterns: the command of a shell, the path of a file.
    #[serde(default)]
    pub(super) about: String,
    /// What it answers; tools for skills answer for themselves.
    pub(super) result: Option<String>,
    /// Whether it failed.
    #[serde(default)]
    pub(super) failed: bool,
}

/// A script is written by a person.
const MOST_BYTES: u64 = 1 << 20;

impl Script {
    /// Reads the file at `path`, which people call `name`.
    pub(super) fn read(path: &Path, name: &str) -> Result<Script, Failure> {
        let mut bytes = Vec::new();
        File::open(path)
            .and_then(|file| file.take(MOST_BYTES + 1).read_to_end(&mut bytes))
            .map_err(|error| Failure::io(format!("cannot read `{name}`"), &error))?;
        if bytes.len() as u64 > MOST_BYTES {
            return Err(Failure::new(format!("`{name}` is too long: expected at most {MOST_BYTES} bytes")));
        }
        let text = str::from_utf8(&bytes).map_err(|error| Failure::new(format!("cannot read `{name}`: {error}")))?;
        let script: Script = serde_saphyr::from_str(text).map_err(|error| blame(&error, name, text))?;
        if script.turns.is_empty() {
            return Err(Failure::new(format!("`{name}` has no turn")));
        }
        Ok(script)
    }

    /// Who may do what, if the script says anything of it.
    pub(super) fn policy(&self) -> Result<Option<Arc<PermissionPolicy>>, Failure> {
        match &self.role {
            Some(role) => host::policy(&self.roles, role).map(|policy| Some(Arc::new(policy))),
            None if self.roles.is_empty() => Ok(None),
            None => Err(Failure::new("there are `roles`, and nobody has one").help("name one under `role`")),
        }
    }

    /// The names of the tools that there are, if the script has any.
    pub(super) fn available(&self, tools: &Toolset) -> Vec<String> {
        let own = self.tools.iter().map(Declared::name);
        let discovery = tools.tools().iter().map(|tool| &*tool.name).filter(|_| !self.tools.is_empty());
        discovery.chain(own).map(str::to_owned).collect()
    }

    /// The tools for skills, those of the script, and who may call them.
    pub(super) fn gate(
        &self,
        tools: &Toolset,
        policy: Option<&Arc<PermissionPolicy>>,
        composed: &Session<'_>,
    ) -> Result<SkillTools, Failure> {
        host::gate(tools.tools(), &self.tools, policy.map(|policy| policy.clone() as _), composed)
    }
}

impl Compact {
    pub(super) fn survival(self) -> Survival {
        let usual = Survival::default();
        Survival::new(self.per_skill.unwrap_or(usual.per_skill), self.total.unwrap_or(usual.total))
    }
}

impl From<End> for Tail {
    fn from(end: End) -> Tail {
        match end {
            End::Nothing => Tail::Nothing,
            End::User => Tail::User,
            End::Assistant => Tail::Assistant,
            End::Calls => Tail::Calls,
            End::Results => Tail::Results,
        }
    }
}

/// What is wrong, and where.
fn blame(error: &Error, name: &str, text: &str) -> Failure {
    const PLAINER: [(&str, &str); 4] = [
        ("expected mapping start", "expected a map"),
        ("expected sequence start", "expected a list"),
        ("expected string scalar", "expected a text"),
        (", set DuplicateKeyPolicy in Options if acceptable", ""),
    ];
    let error = error.without_snippet();
    let mut message = PLAINER.iter().fold(error.to_string(), |message, (from, to)| message.replace(from, to));
    let place = error.location().and_then(|place| {
        let (line, column) = (place.line(), place.column());
        // The excerpt says it better.
        if let Some(at) = message.find(&format!(" at line {line}, column {column}")) {
            message.truncate(at);
        }
        Excerpt::at(text, u32::try_from(line).ok()?, u32::try_from(column).ok()?)
    });
    let failure = Failure::new(message);
    match place {
        Some(excerpt) => failure.at(name, excerpt),
        None => failure,
    }
}
