//! The commands and scripts of a body.

use std::fmt;
use std::ops::Range;

use repertoire_core::ResourcePath;
use serde::Serialize;
use serde_json::{Map, Value};

/// A command or script that a body asks to run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Directive {
    /// The command or script.
    #[serde(flatten)]
    pub action: DirectiveAction,
    /// The line of the body that it starts in, from 1.
    pub line: usize,
    /// Its bytes in the body.
    pub range: Range<usize>,
}

/// A command or script.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum DirectiveAction {
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

impl Directive {
    /// Creates a directive of a command that is not in a body.
    #[doc(hidden)]
    pub fn command(text: impl Into<String>) -> Directive {
        Directive {
            action: DirectiveAction::Command {
                command: text.into(),
            },
            line: 0,
            range: 0..0,
        }
    }
}

impl fmt::Display for Directive {
    /// Writes the command or script, for a person who decides about its approval.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.action {
            DirectiveAction::Command { command } => f.write_str(command),
            DirectiveAction::Script { path, arguments } if arguments.is_empty() => {
                write!(f, "script {path}")
            }
            DirectiveAction::Script { path, arguments } => {
                write!(f, "script {path} {}", Value::Object(arguments.clone()))
            }
        }
    }
}
