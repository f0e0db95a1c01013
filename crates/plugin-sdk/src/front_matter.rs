//! Writes a skill as the front matter from which a host reads it.

use std::sync::Arc;

use repertoire_core::{Skill, Value, skill_md};

/// The keys that the typed fields of a skill are written and read under.
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

/// Returns a `SKILL.md` without a body that reads as `skill`.
pub(crate) fn front_matter(skill: &Skill) -> String {
    let names = |names: &Vec<Arc<str>>| Value::List(names.iter().map(|name| Value::text(name.clone())).collect());
    let typed = [
        ("name", Some(Value::text(skill.id.as_str()))),
        ("description", Some(Value::text(skill.description.clone()))),
        ("surface", skill.surface.map(|mode| Value::plain(mode.to_string()))),
        ("allowed-tools", skill.allowed_tools.as_ref().map(names)),
        ("disable-model-invocation", skill.disable_model_invocation.then(|| Value::plain("true"))),
        ("user-invocable", (!skill.user_invocable).then(|| Value::plain("false"))),
        ("allowedWorkflows", skill.allowed_workflows.as_ref().map(names)),
    ];
    let typed = typed.iter().filter_map(|(key, value)| Some((*key, value.as_ref()?)));
    let others = skill.fields.iter().filter(|(key, _)| !TYPED.contains(&key.as_ref()));
    skill_md::write(typed.chain(others.map(|(key, value)| (key.as_ref(), value))))
}

#[cfg(test)]
mod tests;
