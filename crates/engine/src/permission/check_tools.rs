//! Whether a skill gets the tools that it cannot work without.

use std::sync::Arc;

use repertoire_core::Skill;

use super::access::Access;
use super::authorizer::{Authorizer, ruling};
use crate::ToolCheck;

/// Holds the [required tools](Skill::required_tools) of `skill` against those that are `available` and what `authorizers`, none
/// or several, say of them. A tool that a person is asked about may be called.
pub fn check_tools(skill: &Skill, available: &[&str], authorizers: &[Arc<dyn Authorizer>]) -> ToolCheck {
    ToolCheck::of(skill, available, |tool| {
        ruling(authorizers, &Access::Tool(tool)).is_some_and(|ruling| ruling.is_refused())
    })
}
