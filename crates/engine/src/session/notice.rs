//! Notices of a session for the host.

use std::fmt;
use std::sync::Arc;

use repertoire_core::{Flavor, Id, Role, Surface};
use repertoire_render::{DirectiveOutcome, Warning};

use super::messages::role_name;
use repertoire_permission::HiddenReason;

/// A notice for the host about a skill or an injection. It is not for a model.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Notice {
    /// The injection, or the skill: by its id for models, or by its full name if models cannot reach it.
    pub id: Id,
    /// Its flavor.
    pub flavor: Flavor,
    /// The reason.
    pub why: NoticeReason,
}

/// The reason for a notice.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoticeReason {
    /// It is skipped because its trigger, or its template, cannot be evaluated.
    Invalid(Arc<str>),
    /// It is skipped because an injection of the host is a skill of its id.
    Overridden,
    /// It is skipped because its source does not list it any more.
    Gone,
    /// It is skipped because it is hidden.
    Hidden(HiddenReason),
    /// It is skipped because a trigger activated it, and its source is not trusted.
    Untrusted,
    /// It is skipped because the user named several skills: these are their full names.
    Ambiguous(Vec<Id>),
    /// It is skipped because it was deactivated since the user's message.
    Deactivated,
    /// It is skipped because triggers reached a limit for one message.
    OverLimit(Arc<str>),
    /// It is skipped because its source could not return its body.
    Unreadable(Arc<str>),
    /// It is left out because its body is for a tool result only, and no tool read it.
    NoToolRead(Surface),
    /// It is left out because its body was not [read](super::Session::read).
    NotRead,
    /// It is left out because the provider accepts no message of this role.
    UnsupportedRole {
        /// The provider.
        provider: String,
        /// The role.
        role: Role,
    },
    /// Its body is in the system prompt, because the cascade placed it in a tool result and no tool read it.
    Raised(Surface),
    /// Its body has a different place than in the last call.
    Moved {
        /// The surface of the last call.
        from: Surface,
        /// The surface of this call.
        to: Surface,
    },
    /// A message of this role waits for a later call.
    Deferred {
        /// The role.
        role: Role,
        /// The cause.
        cause: &'static str,
    },
    /// Its body is delivered again.
    Redelivered {
        /// The tokens of the delivered part; 0 if the budget had no room.
        tokens: usize,
        /// The tokens of the whole body.
        of: usize,
    },
    /// This tool of it is not offered, because a different tool has the name.
    ToolTaken(Arc<str>),
    /// Its body is different from the one before the session was stored.
    Changed,
    /// Its body was rendered with these outcomes of commands, and these warnings for its author.
    Rendered {
        /// The outcomes, in their order.
        outcomes: Vec<DirectiveOutcome>,
        /// The warnings.
        warnings: Vec<Warning>,
    },
}

impl Notice {
    pub(crate) fn new(id: Id, flavor: Flavor, why: NoticeReason) -> Notice {
        Notice { id, flavor, why }
    }

    pub(crate) fn of_skill(id: Id, why: NoticeReason) -> Notice {
        Notice::new(id, Flavor::Skill, why)
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Notice { id, flavor, why } = self;
        match why {
            NoticeReason::ToolTaken(tool) => write!(f, "tool `{tool}` of {flavor} `{id}` {why}"),
            NoticeReason::Deferred { .. } => write!(f, "a message of {flavor} `{id}` {why}"),
            NoticeReason::Raised(_)
            | NoticeReason::Moved { .. }
            | NoticeReason::Redelivered { .. }
            | NoticeReason::Changed => write!(f, "{flavor} `{id}` {why}"),
            NoticeReason::Rendered { .. } => write!(f, "{flavor} `{id}`: {why}"),
            _ => write!(f, "{flavor} `{id}` is left out: {why}"),
        }
    }
}

impl fmt::Display for NoticeReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoticeReason::Invalid(why) | NoticeReason::OverLimit(why) => f.write_str(why),
            NoticeReason::Overridden => {
                f.write_str("an injection of the host is a skill of its id")
            }
            NoticeReason::Gone => f.write_str("its source does not list it any more"),
            NoticeReason::Hidden(hidden) => hidden.fmt(f),
            NoticeReason::Untrusted => {
                f.write_str("a trigger activated it, and its source is not trusted")
            }
            NoticeReason::Ambiguous(names) => write!(
                f,
                "several skills have the name; use a full name: {}",
                quoted(names)
            ),
            NoticeReason::Deactivated => f.write_str("it was deactivated since the user's message"),
            NoticeReason::Unreadable(why) => write!(f, "it cannot be read: {why}"),
            NoticeReason::NoToolRead(surface) => write!(
                f,
                "`{}`, decided by {}, and no tool read it; declare `both` or `system-prompt`",
                surface.mode, surface.decided_by
            ),
            NoticeReason::NotRead => {
                f.write_str("its body is missing; pass the evaluation to `Session::read` first")
            }
            NoticeReason::UnsupportedRole { provider, role } => {
                write!(
                    f,
                    "provider `{provider}` accepts no message of the role `{}`",
                    role_name(*role)
                )
            }
            NoticeReason::Raised(surface) => write!(
                f,
                "is in the system prompt: no tool read it, and `{}` was decided by {}",
                surface.mode, surface.decided_by
            ),
            NoticeReason::Moved { from, to } => {
                write!(
                    f,
                    "moved from `{}` ({}) to `{}` ({})",
                    from.mode, from.decided_by, to.mode, to.decided_by
                )
            }
            NoticeReason::Deferred { role, cause } => {
                write!(f, "in the role `{}` waits: {cause}", role_name(*role))
            }
            NoticeReason::Redelivered { tokens, of } => {
                write!(f, "is delivered again with {tokens} of its {of} tokens")
            }
            NoticeReason::ToolTaken(_) => {
                f.write_str("is not offered: a different tool has its name")
            }
            NoticeReason::Changed => f.write_str("has a different body than before"),
            NoticeReason::Rendered { outcomes, warnings } => {
                f.write_str(&rendering(outcomes, warnings))
            }
        }
    }
}

fn quoted(names: &[Id]) -> String {
    let names: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    names.join(", ")
}

fn rendering(outcomes: &[DirectiveOutcome], warnings: &[Warning]) -> String {
    let ran = outcomes
        .iter()
        .filter(|outcome| matches!(outcome, DirectiveOutcome::Ran(_)))
        .count();
    let mut parts = Vec::new();
    if !outcomes.is_empty() {
        parts.push(format!(
            "{ran} of {} commands and scripts ran",
            outcomes.len()
        ));
    }
    for outcome in outcomes {
        let why = match outcome {
            DirectiveOutcome::Refused { by } => by.to_string(),
            DirectiveOutcome::Failed { reason } => reason.to_string(),
            _ => continue,
        };
        if !parts.contains(&why) {
            parts.push(why);
        }
    }
    parts.extend(warnings.iter().map(ToString::to_string));
    parts.join("; ")
}
