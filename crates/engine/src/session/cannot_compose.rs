//! Injections that a model call cannot carry.

use std::fmt;

use repertoire_core::{Flavor, Id, Role, Surface};
use serde::Serialize;

/// The injections of the host that a model call cannot carry: all of them, in the order of the evaluation. Never holds a body.
///
/// What a skill or the user brought never makes a call impossible: it is [left out](crate::Notice::Undelivered).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("these injections of the host would reach the model nowhere: {}", list(.offenders))]
#[non_exhaustive]
pub struct CannotCompose {
    /// Each with the reason; one whose messages have several roles, once for each role.
    pub offenders: Vec<Undelivered>,
}

/// An injection that would reach the model nowhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Undelivered {
    /// The injection.
    pub id: Id,
    /// Its flavor.
    pub flavor: Flavor,
    /// The cause of its activation, in words.
    pub by: String,
    /// The reason.
    pub why: WhyUndelivered,
}

/// The reason why an injection would reach the model nowhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum WhyUndelivered {
    /// It is for the result of a tool only, and no tool read it.
    NoToolRead(Surface),
    /// It was not read.
    NotRead,
    /// The provider carries no message of this role.
    Role {
        /// The provider.
        provider: String,
        /// The role.
        role: Role,
    },
}

impl fmt::Display for Undelivered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} `{}` ({}): {}", self.flavor, self.id, self.by, self.why)
    }
}

impl fmt::Display for WhyUndelivered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WhyUndelivered::NoToolRead(surface) => write!(
                f,
                "`{}`, decided by {}, and no tool read it; declare `both` or `system-prompt`",
                surface.mode, surface.decided_by
            ),
            WhyUndelivered::NotRead => f.write_str("its body is missing; hand the evaluation to `Session::read` first"),
            WhyUndelivered::Role { provider, role } => {
                let role = format!("{role:?}").to_lowercase();
                write!(f, "provider `{provider}` carries no message of the role `{role}`")
            }
        }
    }
}

fn list(offenders: &[Undelivered]) -> String {
    offenders.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
