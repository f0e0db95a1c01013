//! A client that wants no skill but of the standard.

use repertoire::Skill;
use repertoire::registry::Claim;
use rmcp::model::SkillFrontmatter;
use serde_json::Value;

use crate::composed::front_matter;

/// How the client of FastMCP calls itself, unless its user says otherwise: as the SDK for Python below it does, which has no
/// skills extension of its own.
///
/// It refuses a whole list for one entry that the Agent Skills standard would not have (`SkillFrontmatter` in its
/// `skills/models.py`, version 4.1).
const STRICT: &str = "mcp";

/// Whether a client that calls itself `name` is one of these.
pub(crate) fn is_strict(name: &str) -> bool {
    name == STRICT
}

/// Whether every field of the standard has the type and the length that the standard gives it.
pub(crate) fn is_conforming(front: &SkillFrontmatter) -> bool {
    let is_text = |key: &str| front.extra.get(key).is_none_or(Value::is_string);
    let fits = |text: &str, most: usize| (1..=most).contains(&text.chars().count());
    let compatibility = front.extra.get("compatibility").and_then(Value::as_str);
    let metadata = front.extra.get("metadata");
    front.name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
        && !front.description.trim().is_empty()
        && fits(&front.description, 1024)
        && ["license", "compatibility", "allowed-tools"].into_iter().all(is_text)
        && compatibility.is_none_or(|text| fits(text, 500))
        && metadata.is_none_or(|map| map.as_object().is_some_and(|rows| rows.values().all(Value::is_string)))
}

/// Returns whether a client of this kind gets the skill of `claim` in a list. A skill without a location has no file.
pub(crate) fn is_listed(claim: &Claim<Skill>) -> bool {
    let mut fields = front_matter(&claim.item, claim.item.location.is_none());
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
mod tests {
    use serde_json::json;

    use super::*;

    fn front(name: &str, description: &str, more: Value) -> SkillFrontmatter {
        let mut front = SkillFrontmatter::new(name, description);
        front.extra = more.as_object().cloned().unwrap_or_default();
        front
    }

    #[test]
    fn what_the_standard_has_conforms_and_nothing_else() {
        let all = json!({
            "license": "MIT", "compatibility": "é".repeat(500), "allowed-tools": "Read Grep",
            "metadata": {"version": "1.10"}, "hooks": {"PreToolUse": [1]},
        });
        assert!(is_conforming(&front("tidy-2", &"é".repeat(1024), all)));
        for more in [
            json!({"metadata": {"version": 1.1}}),
            json!({"metadata": {"draft": true}}),
            json!({"metadata": {"tags": ["a"]}}),
            json!({"metadata": "v1"}),
            json!({"allowed-tools": ["Read"]}),
            json!({"license": null}),
            json!({"compatibility": ""}),
            json!({"compatibility": "a".repeat(501)}),
        ] {
            assert!(!is_conforming(&front("tidy", "Sorts.", more.clone())), "{more}");
        }
        assert!(!is_conforming(&front("tidy", &"a".repeat(1025), json!({}))));
        assert!(!is_conforming(&front("tidy", " ", json!({}))));
        assert!(!is_conforming(&front("größe", "Sorts.", json!({}))));
    }
}
