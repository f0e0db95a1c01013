//! What was decided, and by which rule.

use std::sync::Arc;

use repertoire_core::ToolPolicy;
use serde::Serialize;

/// What a ruling lets happen. Later ones are stricter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Effect {
    /// It goes through.
    Allow,
    /// A person is asked first.
    Ask,
    /// It is refused.
    Deny,
    /// It is refused, and the run ends.
    Halt,
}

/// What was decided, and by which rule: for the host and its records, never for the model.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[non_exhaustive]
pub struct Ruling {
    /// What happens.
    pub effect: Effect,
    /// The rule that decided: `support.allowlist.miss`.
    pub rule: Arc<str>,
    /// Why, for people.
    pub rationale: Arc<str>,
}

impl Ruling {
    /// A ruling.
    pub fn new(effect: Effect, rule: impl Into<Arc<str>>, rationale: impl Into<Arc<str>>) -> Ruling {
        Ruling { effect, rule: rule.into(), rationale: rationale.into() }
    }

    /// Whether it goes through without a question.
    pub fn is_allowed(&self) -> bool {
        self.effect == Effect::Allow
    }

    /// Whether it is refused, whoever is asked.
    pub fn is_refused(&self) -> bool {
        self.effect >= Effect::Deny
    }

    /// The stricter of both; of equal ones the first.
    pub(crate) fn and(self, other: Ruling) -> Ruling {
        if other.effect > self.effect { other } else { self }
    }
}

impl From<ToolPolicy> for Effect {
    fn from(policy: ToolPolicy) -> Effect {
        match policy {
            ToolPolicy::Safe => Effect::Allow,
            ToolPolicy::RequiresApproval => Effect::Ask,
            ToolPolicy::Blocked => Effect::Deny,
        }
    }
}
