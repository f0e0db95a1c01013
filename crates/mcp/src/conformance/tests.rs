use serde_json::json;

use super::*;

fn front(name: &str, description: &str, more: Value) -> SkillFrontmatter {
    let mut front = SkillFrontmatter::new(name, description);
    front.extra = more.as_object().cloned().unwrap_or_default();
    front
}

#[test]
fn only_front_matter_of_the_standard_conforms() {
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
        assert!(
            !is_conforming(&front("tidy", "Sorts.", more.clone())),
            "{more}"
        );
    }
    assert!(!is_conforming(&front("tidy", &"a".repeat(1025), json!({}))));
    assert!(!is_conforming(&front("tidy", " ", json!({}))));
    assert!(!is_conforming(&front("größe", "Sorts.", json!({}))));
}
