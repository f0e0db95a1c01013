//! What a body asks to be run.

use std::fmt;
use std::ops::Range;

use repertoire_core::ResourcePath;
use serde::Serialize;
use serde_json::{Map, Value};

/// One thing that a body asks to be run, and where it does.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Directive {
    /// What to run.
    #[serde(flatten)]
    pub action: Action,
    /// The line of the body that it starts in, from 1.
    pub line: usize,
    /// Its bytes in the body.
    pub range: Range<usize>,
}

/// What to run.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Action {
    /// A line or a block of shell.
    Command {
        /// The text for the shell, as its author wrote it.
        command: String,
    },
    /// A file of the skill.
    Script {
        /// Where it is.
        path: ResourcePath,
        /// What is passed to it, in the order written.
        arguments: Map<String, Value>,
    },
}

impl fmt::Display for Directive {
    /// What is run, for a person who is to approve it.
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

/// Every command and script of a body, in order, without running any.
///
/// Arguments and variables have no say in it: what is listed here is what would run, whatever is typed.
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
