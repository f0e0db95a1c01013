//! The error of this crate.

use repertoire_core::text::terminal_line;
use repertoire_core::{Flavor, Id};
use repertoire_registry::RegistryError;

use crate::session::Notice;
use repertoire_permission::HiddenReason;

/// The error returned when the engine refuses a request of the host. It never holds a body.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// No skill has the name.
    #[error("no skill `{name}`{}", did_you_mean(suggestions))]
    UnknownSkill {
        /// The name, control characters escaped.
        name: String,
        /// At most three skills with a similar name, which the audience sees.
        suggestions: Vec<Id>,
    },
    /// A name is ambiguous.
    #[error(transparent)]
    Lookup(#[from] RegistryError),
    /// A skill is hidden from the audience that asks for it.
    #[error("skill `{id}` cannot be activated: {reason}")]
    Hidden {
        /// The skill.
        id: Id,
        /// The reason.
        reason: HiddenReason,
    },
    /// An injection of the host is not valid.
    #[error("{flavor} `{id}` is not valid: {why}")]
    InvalidInjection {
        /// The injection.
        id: Id,
        /// Its flavor.
        flavor: Flavor,
        /// The reason.
        why: String,
    },
    /// A model call cannot carry these injections of the host, in the order of the evaluation.
    #[error("a model call cannot carry injections of the host: {}", undeliverable(.0))]
    Undeliverable(Vec<Notice>),
    /// A provider accepts no tool or parameter of this name: expected [`ToolSpec::is_name`](repertoire_core::ToolSpec::is_name).
    #[error("`{}` is not the name of a tool: expected at most 64 ASCII letters, digits, `_` and `-`", terminal_line(.0))]
    InvalidToolName(String),
    /// The declared workflow of a skill is not valid.
    #[error("the workflow of `{skill}` is not valid: {}", faults.join("; "))]
    InvalidWorkflow {
        /// The skill.
        skill: Id,
        /// All its faults, in the order of the steps.
        faults: Vec<String>,
    },
}

fn did_you_mean(suggestions: &[Id]) -> String {
    let names: Vec<_> = suggestions.iter().map(|id| format!("`{id}`")).collect();
    match names.as_slice() {
        [] => String::new(),
        names => format!("; did you mean {}?", names.join(" or ")),
    }
}

fn undeliverable(notices: &[Notice]) -> String {
    let each = notices.iter().map(
        |Notice {
             id, flavor, why, ..
         }| format!("{flavor} `{id}`: {why}"),
    );
    each.collect::<Vec<_>>().join("; ")
}
