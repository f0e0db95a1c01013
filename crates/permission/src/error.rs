//! The error of permissions.

use std::sync::Arc;

use repertoire_core::Id;
use repertoire_core::text::terminal_line;

/// The error returned when a policy, or a set of tools, cannot be built as requested.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PermissionError {
    /// Two different tools have one name.
    #[error("{}", clash(tool, skills))]
    ToolClash {
        /// The name.
        tool: Arc<str>,
        /// The skills that bring them; the host brings each tool without a skill.
        skills: Vec<Id>,
    },
    /// A policy does not have this role.
    #[error("unknown role `{}`: expected {}", terminal_line(role), listed(roles))]
    UnknownRole {
        /// The role.
        role: String,
        /// The roles of the policy.
        roles: Vec<Arc<str>>,
    },
    /// A text does not name an [`Exposure`](crate::Exposure).
    #[error("unknown mode `{}`: expected `pinned`, `auto`, `name-only`, `manual-only` or `off`", terminal_line(.0))]
    UnknownExposure(String),
}

fn clash(tool: &str, skills: &[Id]) -> String {
    match skills {
        [] => format!("two tools are called `{tool}`"),
        [skill] => format!(
            "the skill `{skill}` brings a tool `{tool}`, which is the name of a tool of the host"
        ),
        [first, second, ..] if first == second => {
            format!("the skill `{first}` brings two tools called `{tool}`")
        }
        [first, second, ..] => {
            format!("the skills `{first}` and `{second}` bring different tools called `{tool}`")
        }
    }
}

fn listed(roles: &[Arc<str>]) -> String {
    match roles {
        [] => "one, but the policy has none".to_owned(),
        roles => roles
            .iter()
            .map(|role| format!("`{role}`"))
            .collect::<Vec<_>>()
            .join(", "),
    }
}
