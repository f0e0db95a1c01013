//! What came of reading a body.

use std::fmt;

use repertoire_core::Id;
use repertoire_render::{Outcome, Warning};

use crate::Instructions;

/// What came of reading a body, beside its text. For the host: never tell a model.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Remarks {
    /// The skill: the id that a model reaches it by.
    pub id: Id,
    /// What became of its commands and scripts, in their order.
    pub outcomes: Vec<Outcome>,
    /// What its author should know.
    pub warnings: Vec<Warning>,
}

impl Remarks {
    /// Nothing where nothing came of it.
    pub(super) fn of(id: &Id, read: &mut Instructions) -> Option<Remarks> {
        let (outcomes, warnings) = (std::mem::take(&mut read.outcomes), std::mem::take(&mut read.warnings));
        (!outcomes.is_empty() || !warnings.is_empty()).then(|| Remarks { id: id.clone(), outcomes, warnings })
    }
}

/// For people: how many ran, why others did not, and the warnings.
impl fmt::Display for Remarks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ran = self.outcomes.iter().filter(|outcome| matches!(outcome, Outcome::Ran(_))).count();
        let mut parts = Vec::new();
        if !self.outcomes.is_empty() {
            parts.push(format!("{ran} of {} commands and scripts ran", self.outcomes.len()));
        }
        for outcome in &self.outcomes {
            let why = match outcome {
                Outcome::Refused { by } => by.to_string(),
                Outcome::Failed { reason } => reason.to_string(),
                _ => continue,
            };
            if !parts.contains(&why) {
                parts.push(why);
            }
        }
        parts.extend(self.warnings.iter().map(ToString::to_string));
        write!(f, "skill `{}`: {}", self.id, parts.join("; "))
    }
}
