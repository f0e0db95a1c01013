//! Whether the work of a skill was done.

use repertoire_core::{Check, Skill, Trust, Value, async_trait};
use repertoire_registry::Claim;
use serde::Serialize;

/// Runs typed checks for [`verify`]: the host, behind its own gate.
#[async_trait]
pub trait Checker: Send + Sync {
    /// Runs a check of this kind, `command`, `tool`, `file-exists`, `regex` or the host's own; `item` is all that the skill
    /// says of it. What the host does not know, or does not allow, is [`CheckOutcome::Skipped`].
    async fn check(&self, kind: &str, item: &Value) -> CheckOutcome;
}

/// What came of a check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CheckOutcome {
    /// It holds.
    Passed,
    /// It does not hold, for this reason.
    Failed(String),
    /// Nobody looked, for this reason.
    Skipped(String),
    /// It is a statement that a model or a person has to judge.
    NeedsJudgement,
}

/// A check of a skill, and what came of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Checked {
    /// The check.
    pub check: Check,
    /// What came of it.
    pub outcome: CheckOutcome,
}

/// Goes through the `verification` of `claim` in its order. Typed checks are for `checker`, and are skipped for a source that
/// is not [`Trusted`](Trust::Trusted); texts are for whoever can judge them. What is no check is skipped too, so that nobody takes
/// what is left for all of it.
///
/// # Cancel safety
/// May be dropped: the check that runs is dropped with it, and no later one is begun.
pub async fn verify(claim: &Claim<Skill>, checker: &dyn Checker) -> Vec<Checked> {
    let mut checked = Vec::new();
    for item in claim.item.extension(&["verification"]).map_or(&[][..], Check::items) {
        let (check, outcome) = match Check::read(item) {
            None => {
                let why = "expected a text or a map with `kind`".to_owned();
                (Check::Text(item.json().to_string().into()), CheckOutcome::Skipped(why))
            }
            Some(check @ Check::Typed { .. }) if claim.trust != Trust::Trusted => {
                (check, CheckOutcome::Skipped(format!("its source is {}", claim.trust)))
            }
            Some(Check::Typed { id, kind, item }) => {
                let outcome = checker.check(&kind, &item).await;
                (Check::Typed { id, kind, item }, outcome)
            }
            Some(check) => (check, CheckOutcome::NeedsJudgement),
        };
        checked.push(Checked { check, outcome });
    }
    checked
}
