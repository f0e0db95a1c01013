//! Checks before and after the work of a skill.

use std::sync::Arc;

use repertoire_core::{Check, Skill, Trust, Value, async_trait};
use repertoire_registry::Candidate;
use serde::Serialize;

use crate::globs::ToolGlobs;
use crate::permission::{Access, Authorizer, ruling};

/// Runs typed checks for [`verify`]: the host, behind its own gate.
#[async_trait]
pub trait Checker: Send + Sync {
    /// Runs a check of this kind, `command`, `tool`, `file-exists`, `regex` or the host's own; `item` is all that the skill
    /// says of it. What the host does not know, or does not allow, is [`CheckOutcome::Skipped`].
    async fn check(&self, kind: &str, item: &Value) -> CheckOutcome;
}

/// The outcome of a check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CheckOutcome {
    /// It holds.
    Passed,
    /// It does not hold, for this reason.
    Failed(String),
    /// The check was not run, for this reason.
    Skipped(String),
    /// It is a statement that a model or a person has to judge.
    NeedsJudgement,
}

/// A check of a skill, and what came of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CheckResult {
    /// The check.
    pub check: Check,
    /// The outcome.
    pub outcome: CheckOutcome,
}

/// Goes through the `verification` of `candidate` in its order. Typed checks are for `checker`, and are skipped for a source that
/// is not [`Trusted`](Trust::Trusted); texts need judgement. An invalid item is reported
/// as skipped.
///
/// # Cancel safety
/// May be dropped: the check that runs is dropped with it, and no later one is begun.
pub async fn verify(candidate: &Candidate<Skill>, checker: &dyn Checker) -> Vec<CheckResult> {
    let mut checked = Vec::new();
    for item in candidate.item.extension(&["verification"]).map_or(&[][..], Check::items) {
        let (check, outcome) = match Check::read(item) {
            None => {
                let why = "expected a text or a map with `kind`".to_owned();
                (Check::Text(item.json().to_string().into()), CheckOutcome::Skipped(why))
            }
            Some(check @ Check::Typed { .. }) if candidate.trust != Trust::Trusted => {
                (check, CheckOutcome::Skipped(format!("its source is {}", candidate.trust)))
            }
            Some(Check::Typed { id, kind, item }) => {
                let outcome = checker.check(&kind, &item).await;
                (Check::Typed { id, kind, item }, outcome)
            }
            Some(check) => (check, CheckOutcome::NeedsJudgement),
        };
        checked.push(CheckResult { check, outcome });
    }
    checked
}

/// The availability of each tool that a skill [requires](Skill::required_tools), as the skill writes it, in one of three lists.
///
/// A pattern such as `mcp__github__*` needs one tool that it matches.
///
/// ```
/// use std::sync::Arc;
///
/// use repertoire_core::skill_md::{FileContext, parse};
/// use repertoire_engine::permission::PermissionPolicy;
/// use repertoire_engine::workflow::ToolCheck;
///
/// let text = b"---\nname: a\ndescription: A.\nrequired_tools: [Bash, mcp__github__*, Write]\n---\n";
/// let skill = parse(text, FileContext::new("SKILL.md")).skill.ok_or("a skill")?;
/// let policy = PermissionPolicy::from_roles([("reader", vec!["mcp__github__list"])], "reader")?;
/// let check = ToolCheck::of(&skill, &["Write", "mcp__github__list"], &[Arc::new(policy)]);
/// assert_eq!((check.missing, check.denied), (vec!["Bash".to_owned()], vec!["Write".to_owned()]));
/// assert_eq!(check.ok, ["mcp__github__*"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[non_exhaustive]
pub struct ToolCheck {
    /// No tool that is there answers to it.
    pub missing: Vec<String>,
    /// Every tool that answers to it is denied.
    pub denied: Vec<String>,
    /// There is one that may be used.
    pub ok: Vec<String>,
}

impl ToolCheck {
    /// Compares what `skill` requires with the tools `available` and with what `authorizers`, none or several, say of them. A
    /// tool that a person is asked about may be called.
    pub fn of(skill: &Skill, available: &[&str], authorizers: &[Arc<dyn Authorizer>]) -> ToolCheck {
        let required: Vec<String> = skill.required_tools().into_iter().map(str::to_owned).collect();
        let globs = ToolGlobs::new(required.clone());
        // For each, whether the best tool that answers to it is allowed.
        let mut allowed: Vec<Option<bool>> = vec![None; required.len()];
        for tool in available {
            let is_allowed = !ruling(authorizers, &Access::Tool(tool)).is_some_and(|ruling| ruling.is_refused());
            for number in globs.matches(tool) {
                allowed[number] = allowed[number].max(Some(is_allowed));
            }
        }
        let mut check = ToolCheck::default();
        for (tool, allowed) in required.into_iter().zip(allowed) {
            match allowed {
                None => check.missing.push(tool),
                Some(false) => check.denied.push(tool),
                Some(true) => check.ok.push(tool),
            }
        }
        check
    }

    /// Returns whether nothing is missing or denied.
    pub fn is_ok(&self) -> bool {
        self.missing.is_empty() && self.denied.is_empty()
    }
}
