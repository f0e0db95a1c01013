//! The verdicts of the reference validator.

use super::*;

fn strict_in(text: impl AsRef<[u8]>, directory: &str) -> Parsed {
    let site = FileContext::new("SKILL.md").in_directory(directory);
    parse_with(text.as_ref(), site, &Limits::default(), Strictness::Strict)
}

/// The errors of a file, in order.
fn errors(text: impl AsRef<[u8]>, directory: &str) -> Vec<String> {
    let diagnostics = strict_in(text, directory).diagnostics.into_iter();
    diagnostics
        .filter(|diagnostic| diagnostic.severity == Severity::Error)
        .map(|diagnostic| diagnostic.message)
        .collect()
}

/// Asserts the words of the errors, in order and letter case aside.
#[track_caller]
fn check(label: &str, text: impl AsRef<[u8]>, expected: &[&str]) {
    check_in(label, text, "some-skill", expected);
}

#[track_caller]
fn check_in(label: &str, text: impl AsRef<[u8]>, directory: &str, expected: &[&str]) {
    let found = errors(text, directory);
    assert_eq!(found.len(), expected.len(), "{label}: {found:#?}");
    for (found, expected) in found.iter().zip(expected) {
        assert!(
            found.to_lowercase().contains(&expected.to_lowercase()),
            "{label}: {found:?} has {expected:?}"
        );
    }
}

#[track_caller]
fn check_name(label: &str, name: &str, directory: &str, expected: &[&str]) {
    check_in(
        label,
        front(&format!("name: {name}\ndescription: Does it.")),
        directory,
        expected,
    );
}

#[test]
fn parsing() {
    check("T1 T20", front(&beside("")), &[]);
    check(
        "T2",
        "# No frontmatter\n",
        &["must start with YAML frontmatter"],
    );
    check(
        "T3",
        "---\nname: some-skill\ndescription: x\n",
        &["not properly closed"],
    );
    check(
        "T4",
        "---\nname: [invalid\ndescription: x\n---\n",
        &["Invalid YAML", "invalid characters", "must match"],
    );
    check("T5", "---\n- a\n- b\n---\n", &["must be a YAML mapping"]);
    check("T6", front(&beside("license: MIT")), &[]);
    check(
        "T7",
        front(&beside("metadata:\n  author: Test Author\n  version: 1.0")),
        &[],
    );
    check(
        "T9",
        front("description: x"),
        &["missing required field in frontmatter: `name`"],
    );
    check(
        "T10",
        front("name: some-skill"),
        &["missing required field in frontmatter: `description`"],
    );
    check(
        "T15",
        front(&beside("allowed-tools: Bash(jq:*) Bash(git:*)")),
        &[],
    );
}

#[test]
fn validation() {
    check_name("T24", "MySkill", "MySkill", &["lowercase"]);
    check_name(
        "T25",
        &"a".repeat(70),
        &"a".repeat(70),
        &["exceeds the limit of 64"],
    );
    check_name(
        "T26",
        "-my-skill",
        "-my-skill",
        &["cannot start or end with a hyphen"],
    );
    check_name("T27", "my--skill", "my--skill", &["consecutive hyphens"]);
    check_name("T28", "my_skill", "my_skill", &["invalid characters"]);
    check_name("T29", "right-name", "wrong-name", &["must match"]);
    check(
        "T30",
        front(&beside("unknown_field: x")),
        &["Unexpected fields"],
    );
    let all = "license: MIT\ncompatibility: Any\nmetadata:\n  a: b\nallowed-tools: Read";
    check("T31 T32 T38", front(&beside(all)), &[]);
    for (label, name) in [("T33", "技能"), ("T34", "мой-навык"), ("T35", "навык")] {
        check_name(label, name, name, &[]);
    }
    check_name("T36", "НАВЫК", "НАВЫК", &["lowercase"]);
    check(
        "T37",
        front(&format!(
            "name: some-skill\ndescription: {}",
            "x".repeat(1100)
        )),
        &["1024"],
    );
    check(
        "T39",
        front(&beside(&format!("compatibility: {}", "x".repeat(550)))),
        &["500"],
    );
    check_name("T40", "cafe\u{301}", "café", &[]);
}

#[test]
fn probed_fences() {
    let file = front(&beside(""));
    check("V-1", format!("\u{feff}{file}"), &["must start"]);
    check("V-2", file.replace('\n', "\r\n"), &[]);
    check("V-3", format!("\n{file}"), &["must start"]);
    check("V-4", file.replace("---\n", "---  \n"), &[]);
    check("V-5", file.replacen("---", "----", 1), &["must start"]);
    check(
        "V-6, its fault R-3 aside",
        front("name: some-skill\ndescription: a --- b"),
        &[],
    );
    check("V-29", "---\n---\n", &["must be a YAML mapping"]);
    check("V-30", "", &["must start"]);
    check("V-31", file.trim_end_matches("\nBody.\n"), &[]);
    check(
        "V-32",
        file.replace("---\nBody", "...\nBody"),
        &["not properly closed"],
    );
    check(
        "V-33",
        b"---\nname: some-skill\ndescription: caf\xe9\n---\n",
        &["UTF-8"],
    );
    check(
        "V-33 in the body",
        b"---\nname: some-skill\ndescription: x\n---\ncaf\xe9\n",
        &["UTF-8"],
    );
}

#[test]
fn probed_values() {
    let described = |value: &str| front(&format!("name: some-skill\ndescription: {value}"));
    check(
        "V-7",
        described("Use this skill when: the user asks"),
        &["Invalid YAML"],
    );
    check(
        "V-8",
        described("\"Use this skill when: the user asks\""),
        &[],
    );
    check_name("V-9", "123", "123", &[]);
    check("V-10", described("true"), &[]);
    check(
        "V-11",
        front("name:\ndescription: x"),
        &["`name` must be a non-empty string"],
    );
    check_name("V-12", "\"  my-skill  \"", "my-skill", &[]);
    check(
        "V-13",
        described("\"   \""),
        &["`description` must be a non-empty string"],
    );
    check(
        "V-14",
        described(&format!("\"{}   \"", "x".repeat(1023))),
        &["1024"],
    );
    check("V-15", described(&"x".repeat(1024)), &[]);
    check("V-15", described(&"x".repeat(1025)), &["1024"]);
    check(
        "V-16",
        front(&beside(&format!("compatibility: {}", "x".repeat(500)))),
        &[],
    );
    check(
        "V-16",
        front(&beside(&format!("compatibility: {}", "x".repeat(501)))),
        &["500"],
    );
    check("V-17", front(&beside("compatibility: ''")), &[]);
    check("V-17", front(&beside("compatibility:")), &[]);
    check(
        "V-17",
        front(&beside("compatibility:\n- a")),
        &["must be a string"],
    );
    check(
        "V-18",
        front(&beside("allowed-tools:\n- Read\n- Grep")),
        &[],
    );
    check(
        "V-19",
        front(&beside("allowed-tools: [Read, Grep]")),
        &["Invalid YAML"],
    );
    check("V-20", front(&beside("metadata:\n  a:\n    b: c")), &[]);
    check(
        "V-21",
        front(&beside("metadata: {\"a\": \"b\"}")),
        &["Invalid YAML"],
    );
    check("V-22", front(&beside("metadata: text")), &[]);
    check("V-22", front(&beside("metadata:\n- a")), &[]);
    check(
        "V-23",
        front(&beside(
            "metadata:\n  version: 1.0\n  flag: true\n  day: 2026-01-02",
        )),
        &[],
    );
    check(
        "V-24",
        front(&beside("license: a\nlicense: b")),
        &["written on line 4 and again on line 5"],
    );
    check("V-25", described(">\n  a\n  b"), &[]);
    check("V-25", described("|\n  a\n  b"), &[]);
    check("V-26", front(&beside("# a comment")), &[]);
    check("V-27", front(&beside("license: &a MIT")), &["Invalid YAML"]);
    check(
        "V-27",
        front(&beside("license: !!str MIT")),
        &["Invalid YAML"],
    );
    check(
        "V-28",
        front(&beside("user-invocable: true\nmodel: x")),
        &["Unexpected fields in frontmatter: `model`, `user-invocable`;"],
    );
    check(
        "V-43",
        front("name:\tsome-skill\ndescription: x"),
        &["Invalid YAML"],
    );
    check("V-44", described("off"), &[]);
    for value in ["@foo", "[WIP] does", "\"a\" b"] {
        check("V-45", described(value), &["Invalid YAML"]);
    }
    check("V-46", described("use C # now"), &[]);
    check("V-47", front(&beside("license:\n- MIT")), &[]);
}

#[test]
fn probed_names() {
    check_name("V-34", &"a".repeat(64), &"a".repeat(64), &[]);
    check_name(
        "V-34",
        &"a".repeat(65),
        &"a".repeat(65),
        &["exceeds the limit of 64"],
    );
    check_name("V-35", "\"-\"", "-", &["cannot start or end with a hyphen"]);
    check_name("V-36", "ａｂｃ", "abc", &[]);
    check_name("V-37", "ǅ", "ǅ", &["lowercase"]);
    for name in ["\u{663}", "²", "ⅳ"] {
        check_name("V-38", name, name, &[]);
    }
    check_name("V-39", "हिन्दी", "हिन्दी", &["invalid characters"]);
    for name in ["🦀", "a.b", "a:b", "a b"] {
        check_name("V-40", name, name, &["invalid characters"]);
    }
    check_name("V-41", "some-skill", "Some-Skill", &["must match"]);
}

#[test]
fn messages_come_in_the_validators_order() {
    check_in(
        "V-48",
        front("zeta: 1\nname: \"-My--Skill_\"\nalpha: 2"),
        "other",
        &[
            "unexpected fields in frontmatter: `alpha`, `zeta`;",
            "lowercase",
            "cannot start or end with a hyphen",
            "consecutive hyphens",
            "invalid characters",
            "must match",
            "missing required field in frontmatter: `description`",
        ],
    );
}

#[test]
fn strict_only_codes_are_silent_when_lenient() {
    for lines in [
        "unknown: x",
        "metadata: {a: [b]}",
        "license: &a MIT",
        "license:\tMIT",
    ] {
        assert_eq!(parse_text(front(&beside(lines))).diagnostics, [], "{lines}");
        assert_eq!(
            errors(front(&beside(lines)), "some-skill").len(),
            1,
            "{lines}"
        );
    }
    assert_eq!(
        parse_text(format!("\u{feff}{}", front(&beside("")))).diagnostics,
        []
    );
}
