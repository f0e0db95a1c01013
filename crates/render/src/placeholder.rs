//! The parts of a body that are replaced, and the directives among them.

use std::fmt;
use std::ops::Range;

use repertoire_core::ResourcePath;
use serde::Serialize;
use serde_json::{Map, Value};

/// A part of a body that is replaced. Everything outside of placeholders is rendered unchanged.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Placeholder {
    /// The bytes of the body that it replaces.
    pub range: Range<usize>,
    /// The kind of its replacement.
    pub kind: PlaceholderKind,
}

/// The kind of a [`Placeholder`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlaceholderKind {
    /// The text itself, without the backslash at its start.
    Escaped,
    /// The arguments as typed: `$ARGUMENTS`.
    Arguments,
    /// One argument, counted from 0 in each dialect: `$ARGUMENTS[N]`, `$N`, `${N}`.
    Argument(usize),
    /// The argument of this number, counted from 0, by its declared name: `$name`.
    Named(usize),
    /// The variable in the braces: `${NAME}`.
    Variable,
    /// The folder of the skill, by the word that the [dialect](crate::Dialect::skill_dir) has for it.
    SkillDir,
    /// The output of the directive of this number, counted from 0.
    Directive(usize),
}

/// A command or script that a body asks to run.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Directive {
    /// The command or script.
    #[serde(flatten)]
    pub action: Action,
    /// The line of the body that it starts in, from 1.
    pub line: usize,
    /// Its bytes in the body.
    pub range: Range<usize>,
}

/// A command or script.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Action {
    /// A line or a block of shell.
    Command {
        /// The text for the shell, as written.
        command: String,
    },
    /// A file of the skill.
    Script {
        /// The path of the file.
        path: ResourcePath,
        /// The arguments, in the order written.
        arguments: Map<String, Value>,
    },
}

impl fmt::Display for Directive {
    /// Writes the command or script, for a person who decides about its approval.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.action {
            Action::Command { command } => f.write_str(command),
            Action::Script { path, arguments } if arguments.is_empty() => write!(f, "script {path}"),
            Action::Script { path, arguments } => {
                write!(f, "script {path} {}", Value::Object(arguments.clone()))
            }
        }
    }
}

/// Returns every command and script of a body, in order, without running any.
///
/// Arguments and variables have no effect on the result.
///
/// ````
/// use repertoire_render::{Action, directives};
///
/// let body = "Now: !`date`\n\nAn example: ``!`rm -r x` ``\n\n```sh\n!`echo no`\n```\n";
/// let found = directives(body);
/// assert_eq!(found.len(), 1);
/// assert_eq!(found[0].action, Action::Command { command: "date".to_owned() });
/// ````
pub fn directives(body: &str) -> Vec<Directive> {
    crate::Plan::new(body, &crate::Syntax::default()).into_directives()
}
