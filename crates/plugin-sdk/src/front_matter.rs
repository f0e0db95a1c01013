//! The front matter of a skill.

use std::sync::Arc;

use repertoire_core::{Skill, Value, skill_md};

/// The fields that are written from the typed values of a skill.
const TYPED: [&str; 10] = [
    "name",
    "id",
    "description",
    "surface",
    "surface-mode",
    "surfaceMode",
    "allowed-tools",
    "disable-model-invocation",
    "user-invocable",
    "allowedWorkflows",
];

/// Returns a `SKILL.md` without a body that parses to `skill`.
pub(crate) fn front_matter(skill: &Skill) -> String {
    let mut typed = vec![
        ("name", Value::text(skill.id.as_str())),
        ("description", Value::text(&*skill.description)),
    ];
    if let Some(mode) = skill.surface {
        typed.push(("surface", Value::plain(mode.to_string())));
    }
    if let Some(tools) = &skill.allowed_tools {
        typed.push(("allowed-tools", list(tools)));
    }
    if skill.disable_model_invocation {
        typed.push(("disable-model-invocation", Value::plain("true")));
    }
    if !skill.user_invocable {
        typed.push(("user-invocable", Value::plain("false")));
    }
    if let Some(workflows) = &skill.allowed_workflows {
        typed.push(("allowedWorkflows", list(workflows)));
    }
    let others = skill
        .fields
        .iter()
        .map(|(key, value)| (key.as_ref(), value));
    let others = others.filter(|(key, _)| !TYPED.contains(key));
    skill_md::write(typed.iter().map(|(key, value)| (*key, value)).chain(others))
}

fn list(names: &[Arc<str>]) -> Value {
    Value::List(names.iter().cloned().map(Value::text).collect())
}

#[cfg(test)]
mod tests;
