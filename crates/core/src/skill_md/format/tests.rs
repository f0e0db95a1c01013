use proptest::prelude::*;

use super::*;
use crate::Skill;
use crate::skill_md::body;

fn site() -> FileContext<'static> {
    FileContext::new("some-skill/SKILL.md").in_directory("some-skill")
}

#[track_caller]
fn check(file: &str, canonical: &str) {
    let formatted = format(file.as_bytes(), site());
    assert_eq!(formatted.diagnostics, [], "{file}");
    let text = formatted.text.expect("a text or a diagnostic");
    assert_eq!(String::from_utf8_lossy(&text), canonical);
    assert_laws(file.as_bytes());
}

/// The front matter of a file with these lines in it.
#[track_caller]
fn check_lines(lines: &str, canonical: &str) {
    check(
        &format!("---\n{lines}---\nBody.\n"),
        &format!("---\n{canonical}---\nBody.\n"),
    );
}

#[track_caller]
fn check_left(lines: &str, reason: &str) {
    let file = format!("---\n{lines}---\nBody.\n");
    let formatted = format(file.as_bytes(), site());
    assert_eq!(formatted.text, None, "{file}");
    let shown: Vec<_> = formatted
        .diagnostics
        .iter()
        .map(|one| format!("{} {one}", one.place().unwrap_or_default()))
        .collect();
    assert_eq!(shown, [format!("some-skill/SKILL.md:{reason}")]);
    assert_laws(file.as_bytes());
}

/// Checks the laws of every file.
fn assert_laws(file: &[u8]) {
    let formatted = format(file, site());
    let Some(text) = formatted.text else {
        assert_ne!(formatted.diagnostics, [], "no diagnostic has the reason");
        return;
    };
    assert_eq!(
        format(&text, site()).text,
        Some(Cow::Borrowed(&*text)),
        "twice is once"
    );
    assert_eq!(body(&text), body(file), "the body");
    let (before, after) = (parse(file, site()), parse(&text, site()));
    assert_eq!(values(&after), values(&before), "the values");
    assert_eq!(comments(&text), comments(file), "the comments");
    let old = |diagnostic: &&Diagnostic| {
        before
            .diagnostics
            .iter()
            .any(|other| other.code == diagnostic.code)
    };
    assert_eq!(
        after.diagnostics.iter().find(|diagnostic| !old(diagnostic)),
        None,
        "a new diagnostic"
    );
}

/// Everything a skill says, by key.
fn values(parsed: &Parsed) -> Option<(Skill, Vec<[String; 3]>)> {
    let mut skill = parsed.skill.clone()?;
    let fields = std::mem::take(&mut skill.fields);
    let value = |(key, value): (Arc<str>, Value)| {
        [
            key.to_string(),
            value.json().to_string(),
            format!("{:?}", value.as_text()),
        ]
    };
    let mut fields: Vec<_> = fields.into_iter().map(value).collect();
    fields.sort();
    Some((skill, fields))
}

/// The lines that are comments whatever stands around them.
fn comments(file: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(file);
    let mut lines: Vec<_> = text
        .split(['\n', '\r'])
        .filter(|line| line.starts_with('#'))
        .map(str::to_owned)
        .collect();
    lines.sort();
    lines
}

#[test]
fn fields_get_the_order_of_the_standard() {
    check_lines(
        "zeta: 1\nmetadata:\n  b: 1\n  a: 2\nallowed-tools:\n- Read\nid: some-skill\ncompatibility: Any.\nlicense: MIT\ndescription: >\n  Does\n  it.\nname: some-skill\nalpha: [x, y]\n",
        "name: some-skill\ndescription: >\n  Does\n  it.\nlicense: MIT\ncompatibility: Any.\nallowed-tools:\n- Read\nmetadata:\n  b: 1\n  a: 2\nzeta: 1\nid: some-skill\nalpha: [x, y]\n",
    );
}

#[test]
fn comments_go_where_their_field_goes() {
    check_lines(
        "# On top.\n\n# About what.\ndescription: D. # here\n  # deeper\n# About who.\n\n# More of it.\nname: some-skill\n# The end.\n",
        "# On top.\n\n# About who.\n\n# More of it.\nname: some-skill\n# About what.\ndescription: D. # here\n  # deeper\n# The end.\n",
    );
}

#[test]
fn a_number_sign_in_a_block_is_text() {
    check_lines(
        "description: |+\n  # Heading\n\n  # Text\n\nname: some-skill\n",
        "name: some-skill\ndescription: |+\n  # Heading\n\n  # Text\n\n",
    );
}

#[test]
fn formatting_retains_only_necessary_quotes() {
    let kept = [
        "\"1.0\"",
        "'yes'",
        "\"\"",
        "\" a\"",
        "'a: b'",
        "\"a #b\"",
        "'[a]'",
        "\"a\\tb\"",
        "'*a'",
        "\"2026-01-02\"",
        "'a:'",
        "\"Null\"",
        "\"é\\u202e\"",
        "'- a'",
        "'@a'",
        "\"a\" # why",
    ];
    for value in kept {
        let lines = format!("name: some-skill\ndescription: D.\nx: {value}\n");
        check_lines(&lines, &lines);
    }
    for (value, plain) in [
        ("\"a b\"", "a b"),
        ("'it''s'", "it's"),
        ("\"größe, [x]\"", "größe, [x]"),
        ("'a:b#c'", "a:b#c"),
    ] {
        check_lines(
            &format!("name: some-skill\ndescription: D.\n\"x\" :\t{value}  \n"),
            &format!("name: some-skill\ndescription: D.\nx: {plain}\n"),
        );
    }
}

#[test]
fn comments_behind_blocks_stay() {
    let lines =
        "name: some-skill\ndescription: \"D.\n  More.\"\na: !!str 1\nb: &c d\ng:\nh: |\n  i\n";
    check_lines(lines, lines);
}

#[test]
fn invalid_texts_are_quoted() {
    check_lines(
        "description: Use when: a \"word\" or \\ comes # now\nname: some-skill\n",
        "name: some-skill\ndescription: \"Use when: a \\\"word\\\" or \\\\ comes # now\"\n",
    );
    check_lines(
        "name: some-skill\ndescription: @home\n",
        "name: some-skill\ndescription: \"@home\"\n",
    );
    check_lines(
        "name: some-skill\ndescription: D.\nnote: one: two\n  three\n# A comment.\n   four\nlast: x\n",
        "name: some-skill\ndescription: D.\n# A comment.\nnote: |-\n  one: two\n  three\n   four\nlast: x\n",
    );
    check_lines(
        "name: some-skill\ndescription: D.\nmetadata:\n\ta: b\n",
        "name: some-skill\ndescription: D.\nmetadata:\n  a: b\n",
    );
}

#[test]
fn indented_fields_move_to_the_margin() {
    check_lines(
        "  name: some-skill\n  description: |\n    D.\n",
        "name: some-skill\ndescription: |\n  D.\n",
    );
    check_lines(
        "  name: some-skill\ndescription: D.\n",
        "name: some-skill\ndescription: D.\n",
    );
}

#[test]
fn fences_are_bare_and_first() {
    check(
        "\u{FEFF}\n \n---  \nname: some-skill\ndescription: D.\n...\n\n  Body.\n",
        "---\nname: some-skill\ndescription: D.\n---\n\n  Body.\n",
    );
    check(
        "\n<!-- Kept. -->\n\n---\ndescription: D.\nname: some-skill\n---",
        "<!-- Kept. -->\n\n---\nname: some-skill\ndescription: D.\n---",
    );
}

#[test]
fn line_ends_stay() {
    check(
        "---\r\ndescription: a: b\r\nname: 'some-skill'\r\n---\r\nBody.\nMore.\r\n",
        "---\r\nname: some-skill\r\ndescription: \"a: b\"\r\n---\r\nBody.\nMore.\r\n",
    );
}

#[test]
fn binary_bodies_stay_byte_for_byte() {
    let file = b"---\ndescription: D.\nname: some-skill\n---\n\xff\xfe\n";
    let formatted = format(file, site());
    assert_eq!(
        formatted.text.as_deref(),
        Some(b"---\nname: some-skill\ndescription: D.\n---\n\xff\xfe\n".as_slice())
    );
}

#[test]
fn canonical_files_are_borrowed() {
    let file = b"---\nname: some-skill\ndescription: D.\n---\nBody.\n";
    assert!(matches!(format(file, site()).text, Some(Cow::Borrowed(_))));
}

#[test]
fn ambiguous_front_matter_is_not_formatted() {
    let kept = "error[not-formatted]: the front matter was left as it is:";
    check_left(
        "name: a\ndescription: D.\nname: some-skill\n",
        &format!("4:1 {kept} `name` is written twice"),
    );
    check_left(
        "name: some-skill\ndescription: D.\nallowed-tools: [Read\n",
        &format!("4:16 {kept} YAML cannot read `allowed-tools`, which limits"),
    );
    check_left(
        "name: some-skill\ndescription: a: b\n  user-invocable: false\n",
        &format!("4:3 {kept} YAML cannot read `user-invocable`, which limits"),
    );
    check_left(
        "name: some-skill\nlost # words\ndescription: D.\n",
        &format!("3:1 {kept} YAML cannot read `name`, and no other spelling means the same"),
    );
    check_left(
        "{name: some-skill, description: D.}\n",
        &format!("2:2 {kept} each field must begin a line of its own"),
    );
    check_left(
        "name: some-skill\n? description\n: D.\n",
        &format!("3:3 {kept} each field must begin a line of its own"),
    );
}

#[test]
fn files_without_a_skill_are_not_formatted() {
    check_left(
        "name: some-skill\n",
        "1:1 error[missing-description]: missing required field in frontmatter: `description`; agents choose a skill by its description",
    );
    let formatted = format(b"# Notes\n", site());
    assert_eq!((formatted.text, formatted.diagnostics.len()), (None, 1));
}

fn key() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(vec![
            "name",
            "description",
            "license",
            "compatibility",
            "allowed-tools",
            "metadata",
            "id",
            "version",
            "user-invocable",
            "\"name\"",
            "a b",
            "x/y",
            "null",
        ])
        .prop_map(str::to_owned),
        "[a-z]{1,3}",
    ]
}

fn value() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-zA-Zé0-9 .,:#'\"\\[\\]{}*&!|>%@`?-]{0,12}",
        "\"[a-z0-9 .:#-]{0,8}\"( #c)?",
        "'[a-z0-9 .:#-]{0,8}'",
        "[|>][+-]?\n  [a-z#:]{1,5}\n\n   [a-z]{0,3}\n?",
        "\n  [a-z]: [a-z\"]{1,4}\n  # in\n  [a-z]: 1",
        "\n- [a-z]{1,4}\n# between\n- b",
        "\"a\n  b\"",
        "\t?\\[a, b\\]",
    ]
}

fn file() -> impl Strategy<Value = String> {
    let field = (
        "( {0,2}|\t)?",
        prop::option::of("(#[a-z: ]{0,6}\n|\n)"),
        key(),
        " ?:[ \t]{0,2}",
        value(),
    );
    let field = field.prop_map(|(indent, lead, key, colon, value)| {
        format!("{}{indent}{key}{colon}{value}\n", lead.unwrap_or_default())
    });
    let eol = prop::sample::select(vec!["\n", "\n", "\r\n", "\r"]);
    let ahead = prop::sample::select(vec!["", "", "\u{FEFF}", "\n \n", "<!-- a -->\n"]);
    (
        ahead,
        prop::collection::vec(field, 0..6),
        any::<bool>(),
        eol,
        "[a-z#\n-]{0,12}",
    )
        .prop_map(|(ahead, fields, whole, eol, body)| {
            let whole = if whole { "description: D.\n" } else { "" };
            format!("{ahead}---\n{}{whole}---\n{body}", fields.concat()).replace('\n', eol)
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn the_laws_hold_for_any_front_matter(file in file()) {
        assert_laws(file.as_bytes());
    }

    #[test]
    fn the_laws_hold_for_any_text(text in "(---\n)?[a-z:#'\" \t\n|>\\[\\]{}-]{0,60}(\n---\n)?.{0,10}") {
        assert_laws(text.as_bytes());
    }
}
