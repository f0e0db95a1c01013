//! Checks before and after a skill is used.

use std::sync::Arc;

use repertoire_core::{Check, Skill, Trust, Value, async_trait};
use repertoire_registry::Candidate;
use serde::Serialize;

use crate::globs::ToolGlobs;
use repertoire_permission::{Access, Authorizer, decide};

/// A runner of typed checks: the host, with its own permissions.
#[async_trait]
pub trait Checker: Send + Sync {
    /// Runs a check of this kind: `command`, `tool`, `file-exists`, `regex`, or one that only this host knows. `item` is the
    /// whole declaration. Returns [`CheckOutcome::Skipped`] for a kind that is unknown or not allowed.
    async fn check(&self, kind: &str, item: &Value) -> CheckOutcome;
}

/// The outcome of a check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
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

/// Runs the `verification` of `candidate` in order. Typed checks of a source that is not trusted, and invalid items, are
/// skipped. Texts need judgement.
pub(crate) async fn verify(
    candidate: &Candidate<Skill>,
    checker: &dyn Checker,
) -> Vec<(Check, CheckOutcome)> {
    let mut checked = Vec::new();
    for item in candidate
        .item
        .extension(&["verification"])
        .map_or(&[][..], Check::items)
    {
        checked.push(match Check::read(item) {
            None => {
                let why = "expected a text or a map with `kind`".to_owned();
                (
                    Check::Text(item.json().to_string().into()),
                    CheckOutcome::Skipped(why),
                )
            }
            Some(check @ Check::Typed { .. }) if candidate.trust != Trust::Trusted => (
                check,
                CheckOutcome::Skipped(format!("its source is {}", candidate.trust)),
            ),
            Some(Check::Typed { id, kind, item }) => {
                let outcome = checker.check(&kind, &item).await;
                (Check::Typed { id, kind, item }, outcome)
            }
            Some(check) => (check, CheckOutcome::NeedsJudgement),
        });
    }
    checked
}

/// The availability of each tool that a skill [requires](Skill::required_tools), by its name in the skill.
///
/// A pattern such as `mcp__github__*` needs one matching tool.
///
/// ```
/// use std::sync::Arc;
///
/// use repertoire_core::skill_md::{FileContext, parse};
/// use repertoire_permission::PermissionPolicy;
/// use repertoire_engine::workflow::ToolCheck;
///
/// let text = b"---\nname: a\ndescription: A.\nrequired_tools: [Bash, mcp__github__*, Write]\n---\n";
/// let skill = parse(text, FileContext::new("SKILL.md")).skill.ok_or("a skill")?;
/// let policy = PermissionPolicy::new([("reader", vec!["mcp__github__list"])], "reader")?;
/// let check = ToolCheck::new(&skill, &["Write", "mcp__github__list"], &[Arc::new(policy)]);
/// assert_eq!((check.missing, check.denied), (vec!["Bash".to_owned()], vec!["Write".to_owned()]));
/// assert_eq!(check.ok, ["mcp__github__*"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[non_exhaustive]
pub struct ToolCheck {
    /// No available tool matches.
    pub missing: Vec<String>,
    /// Every matching tool is denied.
    pub denied: Vec<String>,
    /// A matching tool is allowed.
    pub ok: Vec<String>,
}

impl ToolCheck {
    /// Compares the required tools of `skill` with the `available` ones and the decisions of `authorizers`. A tool for which a
    /// person is asked counts as allowed.
    pub fn new(
        skill: &Skill,
        available: &[&str],
        authorizers: &[Arc<dyn Authorizer>],
    ) -> ToolCheck {
        let required: Vec<String> = skill
            .required_tools()
            .into_iter()
            .map(str::to_owned)
            .collect();
        let globs = ToolGlobs::new(required.clone());
        // For each, whether any matching tool is allowed.
        let mut allowed: Vec<Option<bool>> = vec![None; required.len()];
        for tool in available {
            let is_allowed = !decide(authorizers, &Access::offer(tool))
                .is_some_and(|decision| decision.is_refused());
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
}
