use repertoire_core::skill_md;

use super::*;

const PLAIN: StaticSkill = StaticSkill::new("plain", "  Says little.\n", "Say little.\n");

const FULL: StaticSkill = StaticSkill::new("full", "Says everything.", "Say everything.\n")
    .with_fields(&[
        ("license", StaticValue::Text("MIT")),
        ("surface", StaticValue::Text("both")),
        ("allowed-tools", StaticValue::List(&["Bash(git:*)", "Read"])),
        ("triggers", StaticValue::List(&["tell all", "/all"])),
        ("arguments", StaticValue::List(&["topic"])),
        ("disable-model-invocation", StaticValue::Flag(true)),
        ("user-invocable", StaticValue::Flag(false)),
        ("allowedWorkflows", StaticValue::List(&["nightly"])),
        (
            "metadata",
            StaticValue::Map(&[("author", "acme"), ("version", "1.0")]),
        ),
    ])
    .with_resources(&[("how to.md", b"So.\n"), ("a.txt", b"a")]);

#[test]
fn a_skill_in_code_equals_its_file() {
    let check = |skill: StaticSkill, file: &str| {
        let parsed = skill_md::parse(file.as_bytes(), skill_md::FileContext::new("SKILL.md"));
        let mut parsed = parsed.skill.expect("the file is sound");
        // A compiled-in skill has no place.
        parsed.location = None;
        assert_eq!(*skill.listed().item, parsed);
    };
    check(
        PLAIN,
        "---\nname: \"plain\"\ndescription: \"Says little.\"\n---\nSay little.\n",
    );
    check(
        FULL,
        r#"---
name: "full"
description: "Says everything."
license: "MIT"
surface: "both"
allowed-tools: ["Bash(git:*)", "Read"]
triggers: ["tell all", "/all"]
arguments: ["topic"]
disable-model-invocation: true
user-invocable: false
allowedWorkflows: ["nightly"]
metadata:
  author: "acme"
  version: "1.0"
references: ["how to.md", "a.txt"]
---
Say everything.
"#,
    );
}

#[test]
fn instructions_lose_leading_blank_lines() {
    let check = |body, text: &str| {
        assert_eq!(
            StaticSkill::new("greet", "Greets.", body).text().as_ref(),
            text,
            "{body:?}"
        );
    };
    check("Say hello.", "Say hello.");
    check("\n  \n\n  Say hello.\n\n", "  Say hello.\n\n");
    check("\r\nSay hello.\r\nTwice.\r\n", "Say hello.\nTwice.\n");
}

#[test]
fn everything_behind_a_skill_is_in_its_stamp() {
    let stamp = |skill: StaticSkill| skill.listed().stamp;
    let same = StaticSkill::new("plain", "  Says little.\n", "Say little.\n");
    assert_eq!(stamp(PLAIN), stamp(same));
    assert_ne!(
        stamp(PLAIN),
        stamp(StaticSkill::new("plain", "  Says little.\n", "Say less.\n"))
    );
    assert_ne!(
        stamp(PLAIN),
        stamp(PLAIN.with_resources(&[("a.txt", b"a")]))
    );
}

#[test]
#[should_panic(expected = "an embedded skill has its fields in its file")]
fn an_embedded_skill_refuses_fields() {
    let file = b"---\nname: plain\ndescription: Says little.\n---\nSay little.\n";
    let _ = StaticSkill::__embedded("plain", "Says little.", file, &[]).with_fields(&[]);
}
