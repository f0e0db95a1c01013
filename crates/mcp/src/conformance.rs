//! Front matter as the Agent Skills standard demands it.

use repertoire::Skill;
use repertoire::registry::Candidate;
use rmcp::model::SkillFrontmatter;
use serde_json::{Map, Value};

use crate::synthesize::front_matter;

pub(crate) fn standard_fields(
    skill: &Skill,
    is_synthesized: bool,
) -> Result<SkillFrontmatter, Box<str>> {
    let mut fields = front_matter(skill, is_synthesized);
    let (name, description) = (
        take_text(&mut fields, "name")?,
        take_text(&mut fields, "description")?,
    );
    let mut front = SkillFrontmatter::new(name, description);
    front.extra = fields;
    Ok(front)
}

fn take_text(fields: &mut Map<String, Value>, key: &str) -> Result<String, Box<str>> {
    match fields.shift_remove(key) {
        Some(Value::String(text)) => Ok(text),
        Some(_) => Err(format!("its `{key}` is not a text").into()),
        None => Err(format!("its front matter has no `{key}`").into()),
    }
}

/// The name of FastMCP's client, which rejects a whole list with one skill outside of the Agent Skills standard.
const STRICT: &str = "mcp";

pub(crate) fn is_strict(name: &str) -> bool {
    name == STRICT
}

pub(crate) fn is_conforming(front: &SkillFrontmatter) -> bool {
    let compatibility = front.extra.get("compatibility").and_then(Value::as_str);
    let metadata = front.extra.get("metadata");
    front
        .name
        .bytes()
        .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
        && !front.description.trim().is_empty()
        && (1..=1024).contains(&front.description.chars().count())
        && ["license", "compatibility", "allowed-tools"]
            .iter()
            .all(|key| front.extra.get(*key).is_none_or(Value::is_string))
        && compatibility.is_none_or(|text| (1..=500).contains(&text.chars().count()))
        && metadata.is_none_or(|map| {
            map.as_object()
                .is_some_and(|rows| rows.values().all(Value::is_string))
        })
}

pub(crate) fn is_listed(candidate: &Candidate<Skill>) -> bool {
    let is_synthesized = candidate.item.location.is_none();
    standard_fields(&candidate.item, is_synthesized).is_ok_and(|front| is_conforming(&front))
}

#[cfg(test)]
mod tests;
