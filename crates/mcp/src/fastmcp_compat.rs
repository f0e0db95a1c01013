//! Compatibility with the client of FastMCP, which rejects a list with one skill outside of the Agent Skills standard.

use repertoire::Skill;
use repertoire::registry::Candidate;
use rmcp::model::SkillFrontmatter;
use serde_json::Value;

use crate::synthesize::front_matter;

const STRICT: &str = "mcp";

pub(crate) fn is_strict(name: &str) -> bool {
    name == STRICT
}

pub(crate) fn is_conforming(front: &SkillFrontmatter) -> bool {
    let compatibility = front.extra.get("compatibility").and_then(Value::as_str);
    let metadata = front.extra.get("metadata");
    front.name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
        && !front.description.trim().is_empty()
        && (1..=1024).contains(&front.description.chars().count())
        && ["license", "compatibility", "allowed-tools"]
            .iter()
            .all(|key| front.extra.get(*key).is_none_or(Value::is_string))
        && compatibility.is_none_or(|text| (1..=500).contains(&text.chars().count()))
        && metadata.is_none_or(|map| map.as_object().is_some_and(|rows| rows.values().all(Value::is_string)))
}

pub(crate) fn is_listed(candidate: &Candidate<Skill>) -> bool {
    let mut fields = front_matter(&candidate.item, candidate.item.location.is_none());
    let (Some(Value::String(name)), Some(Value::String(description))) =
        (fields.shift_remove("name"), fields.shift_remove("description"))
    else {
        return false;
    };
    let mut front = SkillFrontmatter::new(name, description);
    front.extra = fields;
    is_conforming(&front)
}

#[cfg(test)]
mod tests;
