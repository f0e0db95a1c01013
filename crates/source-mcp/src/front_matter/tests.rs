use repertoire_core::skill_md::parse;
use serde_json::json;

use super::*;

fn fields(value: Json) -> Fields {
    match value {
        Json::Object(fields) => fields,
        other => panic!("{other} is no front matter"),
    }
}

fn file(yaml: &str) -> Skill {
    let text = format!("---\nname: tidy\ndescription: Sorts.\n{yaml}---\n");
    parse(
        text.as_bytes(),
        FileContext::new("SKILL.md").in_directory("tidy"),
    )
    .skill
    .unwrap()
}

fn fields_with(more: Json) -> Fields {
    let mut all = fields(json!({ "name": "tidy", "description": "Sorts." }));
    all.extend(fields(more));
    all
}

#[test]
fn json_front_matter_parses_like_a_file() {
    let fields = fields_with(json!({
        "allowed-tools": ["Read", "Bash(git:*)"],
        "disable-model-invocation": true,
        "metadata": { "version": 1.5, "note": "a \"b\" \\ c\n\u{1}\u{feff}\u{2028}", "none": null, "list": [[], {}] },
    }));
    let (skill, diagnostics) = read(&fields, "acme:skill://tidy/SKILL.md", "tidy");
    let skill = skill.unwrap();
    assert_eq!(diagnostics, []);
    assert_eq!(skill.id.as_str(), "tidy");
    assert_eq!(
        skill.location.as_deref(),
        Some("acme:skill://tidy/SKILL.md")
    );
    assert!(skill.disable_model_invocation);
    assert_eq!(skill.allowed_tools.as_ref().unwrap().len(), 2);
    let back: Fields = skill
        .fields
        .iter()
        .map(|(key, value)| (key.to_string(), value.json()))
        .collect();
    assert_eq!(back, fields);
    assert_eq!(difference(&fields, &skill), None);
}

#[test]
fn typed_values_match_their_yaml() {
    for (yaml, more) in [
        ("v: 1.10\n", json!({ "v": 1.1 })),
        ("v: 1.10\n", json!({ "v": "1.10" })),
        ("v: 1.0\n", json!({ "v": 1 })),
        ("v: .5\n", json!({ "v": 0.5 })),
        ("v: 0x1F\n", json!({ "v": 31 })),
        ("v: 0o17\n", json!({ "v": 15 })),
        ("v: True\n", json!({ "v": true })),
        ("v: 1_000\n", json!({ "v": 1000 })),
        ("v: 1.5e3\n", json!({ "v": 1500 })),
        ("v: 18446744073709551615\n", json!({ "v": u64::MAX })),
        ("v: -7\n", json!({ "v": -7 })),
        ("v: no\n", json!({ "v": false })),
        ("v: no\n", json!({ "v": "no" })),
        ("v: ~\n", json!({ "v": null })),
        ("v:\n", json!({ "v": null })),
        ("v: 2026-01-02\n", json!({ "v": "2026-01-02" })),
        ("v: |\n  a\n  b\n", json!({ "v": "a\nb\n" })),
        (
            "v: {b: [1, x], a: {}}\n",
            json!({ "v": { "a": {}, "b": [1, "x"] } }),
        ),
    ] {
        assert_eq!(difference(&fields_with(more), &file(yaml)), None, "{yaml}");
    }
    for (yaml, more, field) in [
        ("v: 1\n", json!({ "v": 2 }), "v"),
        ("v: 1\n", json!({ "v": true }), "v"),
        (
            "v: 9007199254740993\n",
            json!({ "v": 9_007_199_254_740_992_u64 }),
            "v",
        ),
        ("v: 1.10\n", json!({ "v": "1.1" }), "v"),
        ("v: \"1.10\"\n", json!({ "v": 1.1 }), "v"),
        ("v: \"no\"\n", json!({ "v": false }), "v"),
        ("v: \"1\"\n", json!({ "v": 1 }), "v"),
        ("v: [a]\n", json!({ "v": ["a", "b"] }), "v"),
        ("v: {a: 1}\n", json!({ "v": { "a": 1, "b": 2 } }), "v"),
        ("v: a\n", json!({ "v": ["a"] }), "v"),
        ("allowed-tools: Bash\n", json!({}), "allowed-tools"),
        (
            "",
            json!({ "disable-model-invocation": true }),
            "disable-model-invocation",
        ),
        ("", json!({ "description": "Sorts more." }), "description"),
        ("", json!({ "name": "other" }), "name"),
    ] {
        assert_eq!(
            difference(&fields_with(more), &file(yaml)),
            Some(field),
            "{yaml}"
        );
    }
}

#[test]
fn limits_of_files_hold_for_servers() {
    let deep = (0..100).fold(json!(1), |inner, _| json!([inner]));
    let wide: Vec<u32> = (0..20_000).collect();
    for more in [json!({ "deep": deep }), json!({ "wide": wide })] {
        let (skill, diagnostics) = read(&fields_with(more), "acme:x", "tidy");
        let is_limit = |code| {
            [
                Code::TOO_LARGE,
                Code::INVALID_YAML,
                Code::INVALID_DESCRIPTION,
            ]
            .contains(&code)
        };
        assert!(
            diagnostics
                .iter()
                .any(|diagnostic| is_limit(diagnostic.code)),
            "{diagnostics:?}"
        );
        assert!(skill.is_none_or(|skill| skill.fields.len() <= 3));
    }
    let (skill, diagnostics) = read(&fields(json!({ "name": "tidy" })), "acme:x", "tidy");
    assert_eq!(skill, None);
    assert_eq!(diagnostics[0].code, Code::MISSING_DESCRIPTION);
}
