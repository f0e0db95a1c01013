//! Bounds, and input made to hurt.

use super::*;

fn parse_within(text: &str, limits: Limits) -> Parsed {
    let site = FileContext::new("some-skill/SKILL.md").in_directory("some-skill");
    parse_with(text.as_bytes(), site, &limits, Strictness::Lenient)
}

#[test]
fn a_file_over_the_limit_is_refused() {
    let text = front(&beside(""));
    let limits = Limits {
        file_bytes: text.len() as u64 - 1,
        ..Limits::default()
    };
    assert_eq!(found(&parse_within(&text, limits)), ["error too-large 1:1"]);
    let limits = Limits {
        file_bytes: text.len() as u64,
        ..Limits::default()
    };
    assert!(parse_within(&text, limits).skill.is_some());
}

#[test]
fn too_many_fields_are_refused_whole_or_broken() {
    let fields: String = (0..300).map(|n| format!("k{n}: v\n")).collect();
    for lines in [
        beside(&fields),
        beside(&format!("x: @y\n{fields}")),
        beside(&"a: 1\n".repeat(300)),
    ] {
        let parsed = parse_text(front(&lines));
        assert_eq!(parsed.skill, None);
        assert_eq!(
            parsed.diagnostics.last().map(|diagnostic| diagnostic.code),
            Some(Code::TOO_LARGE)
        );
    }
}

#[test]
fn deep_and_wide_values_cost_their_field_only() {
    let rows = [
        (
            "deep flow",
            format!("x: {}{}", "[".repeat(10_000), "]".repeat(10_000)),
        ),
        ("deep open flow", format!("x: {}", "[".repeat(100_000))),
        ("deep maps", format!("x: {}", "{a: ".repeat(10_000))),
        ("deep lists", format!("x:\n  {}a", "- ".repeat(10_000))),
        ("deep keys", format!("x:\n  {}a", "? ".repeat(10_000))),
        ("wide", format!("x: [{}]", "a, ".repeat(20_000))),
        (
            "alias bomb",
            "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nd: [*c, *c]".to_owned(),
        ),
        (
            "merge bomb",
            "a: &a {x: y}\nb: {<<: *a}\nc: {<<: *b}".to_owned(),
        ),
        ("itself", "a: &a [*a]".to_owned()),
    ];
    for (label, lines) in rows {
        let lines = beside(&format!("{lines}\nlicense: MIT"));
        let skill = skill(&lines);
        assert_eq!(
            (&*skill.description, skill.text("license")),
            ("Does it.", Some("MIT")),
            "{label}"
        );
        let found = found_in(&lines);
        assert!(
            !found.is_empty()
                && found
                    .iter()
                    .all(|diagnostic| diagnostic.starts_with("warning invalid-yaml")),
            "{label}"
        );
    }
}

#[test]
fn limits_can_be_set() {
    let text = front(&beside("metadata: {a: [b, c]}"));
    let codes = |limits| {
        parse_within(&text, limits)
            .diagnostics
            .iter()
            .map(|diagnostic| diagnostic.code)
            .collect::<Vec<_>>()
    };
    assert_eq!(codes(Limits::default()), []);
    assert_eq!(
        codes(Limits {
            depth: 3,
            ..Limits::default()
        }),
        []
    );
    assert_eq!(
        codes(Limits {
            depth: 2,
            ..Limits::default()
        }),
        [Code::INVALID_YAML]
    );
    assert_eq!(
        codes(Limits {
            nodes: 12,
            ..Limits::default()
        }),
        []
    );
    assert_eq!(
        codes(Limits {
            keys: 2,
            ..Limits::default()
        }),
        [Code::TOO_LARGE]
    );
    assert_eq!(
        codes(Limits {
            description_chars: 7,
            ..Limits::default()
        }),
        [Code::LONG_DESCRIPTION]
    );
}

#[test]
fn long_lines_are_read_whole() {
    let long = "word ".repeat(20_000);
    let skill = skill(&format!("name: some-skill\ndescription: {long}"));
    assert_eq!(&*skill.description, long.trim());
}

#[test]
fn control_bytes_harm_nothing() {
    let skill = skill("name: some-skill\ndescription: a\0b\u{7}c\nlicense: MIT");
    assert_eq!(
        (&*skill.description, skill.text("license")),
        ("a\0b\u{7}c", Some("MIT"))
    );
}
