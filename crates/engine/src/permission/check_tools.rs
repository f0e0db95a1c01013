//! Whether a skill gets the tools that it cannot work without.

use std::sync::Arc;

use repertoire_core::Skill;
use serde::Serialize;

use super::access::Access;
use super::checker::{Checker, ruling};

/// What keeps a skill from the tools that it cannot work without.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[non_exhaustive]
pub struct ToolCheck {
    /// Required tools that are not there, as the skill writes them.
    pub missing: Vec<Arc<str>>,
    /// Required tools that are there and may not be called.
    pub denied: Vec<Arc<str>>,
}

impl ToolCheck {
    /// Whether nothing is missing or denied.
    pub fn is_ok(&self) -> bool {
        self.missing.is_empty() && self.denied.is_empty()
    }
}

/// Checks the [required tools](Skill::required_tools) of `skill` against those that are `available` and what `checkers`, none or
/// several, say of them. A tool that a person is asked about may be called.
///
/// A name that ends in `*` needs one tool that begins so.
pub fn check_tools<'a>(
    skill: &Skill,
    available: impl IntoIterator<Item = &'a str>,
    checkers: &[Arc<dyn Checker>],
) -> ToolCheck {
    let available: Vec<&str> = available.into_iter().collect();
    let mut check = ToolCheck::default();
    for required in skill.required_tools() {
        let is_meant = |tool: &&str| match required.strip_suffix('*') {
            Some(beginning) => tool.starts_with(beginning),
            None => *tool == required,
        };
        let mut found = available.iter().copied().filter(is_meant).peekable();
        let may_be_called =
            |tool: &str| ruling(checkers, &Access::Tool(tool)).is_none_or(|ruling| !ruling.is_refused());
        if found.peek().is_none() {
            check.missing.push(required.into());
        } else if !found.any(may_be_called) {
            check.denied.push(required.into());
        }
    }
    check
}
