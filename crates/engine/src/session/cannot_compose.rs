//! Why a model call cannot be composed.

use std::fmt;

use repertoire_core::{Flavor, Id, Role, Surface};

/// Why a model call cannot be composed. Never holds a body.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CannotCompose {
    /// These bodies would reach the model nowhere.
    #[error("these would reach the model nowhere: {}", list(.0))]
    Undelivered(Vec<Undelivered>),
    /// The provider has no such roles.
    #[error("provider `{provider}` carries no message of these roles: {}", roles(.refused))]
    Roles {
        /// The provider.
        provider: String,
        /// Who would speak in which.
        refused: Vec<(Flavor, Id, Role)>,
    },
}

impl CannotCompose {
    /// Everything that stands in the way: the rest of the evaluation can be composed
    /// [without it](crate::Evaluation::without).
    pub fn offenders(&self) -> Vec<(Flavor, Id)> {
        let mut offenders: Vec<_> = match self {
            CannotCompose::Undelivered(all) => all.iter().map(|one| (one.flavor.clone(), one.id.clone())).collect(),
            CannotCompose::Roles { refused, .. } => {
                refused.iter().map(|(flavor, id, _)| (flavor.clone(), id.clone())).collect()
            }
        };
        offenders.dedup();
        offenders
    }
}

/// A body that would reach the model nowhere.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Undelivered {
    /// The injection.
    pub id: Id,
    /// Its flavor.
    pub flavor: Flavor,
    /// Why it is active, in words.
    pub by: String,
    /// Why it would.
    pub why: WhyUndelivered,
}

/// Why a body would reach the model nowhere.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum WhyUndelivered {
    /// It is for the result of a tool only, and no tool read it.
    NoToolRead(Surface),
    /// It was not read.
    NotRead,
}

impl fmt::Display for Undelivered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} `{}` ({}): ", self.flavor, self.id, self.by)?;
        match &self.why {
            WhyUndelivered::NoToolRead(surface) => write!(
                f,
                "`{}`, decided by {}, and no tool read it; declare `both` or `system-prompt`",
                surface.mode, surface.decided_by
            ),
            WhyUndelivered::NotRead => f.write_str("its body is missing; hand the evaluation to `Session::read` first"),
        }
    }
}

fn list(offenders: &[Undelivered]) -> String {
    offenders.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn roles(refused: &[(Flavor, Id, Role)]) -> String {
    let role = |role: &Role| format!("{role:?}").to_lowercase();
    let each = refused.iter().map(|(flavor, id, said)| format!("{flavor} `{id}` ({})", role(said)));
    each.collect::<Vec<_>>().join(", ")
}
