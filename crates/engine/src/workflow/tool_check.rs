//! Whether the tools that a skill needs are there.

use std::sync::Arc;

use repertoire_core::Skill;
use serde::Serialize;

use crate::globs::ToolGlobs;
use crate::permission::{Access, Authorizer, ruling};

/// Whether the tools that a skill needs are there, and may be used: each [required](Skill::required_tools) one as the skill
/// writes it, in its order, in one of three lists.
///
/// A pattern such as `mcp__github__*` needs one tool that it matches.
///
/// ```
/// use std::sync::Arc;
///
/// use repertoire_core::skill_md::{Site, parse};
/// use repertoire_engine::{PermissionPolicy, ToolCheck};
///
/// let text = b"---\nname: a\ndescription: A.\nrequired_tools: [Bash, mcp__github__*, Write]\n---\n";
/// let skill = parse(text, Site::new("SKILL.md")).skill.ok_or("a skill")?;
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

    /// Whether nothing is missing or denied.
    pub fn is_ok(&self) -> bool {
        self.missing.is_empty() && self.denied.is_empty()
    }
}
