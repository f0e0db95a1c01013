//! The messages that people read.

use snapbox::{IntoData, assert_data_eq, str};

use super::*;

/// Every diagnostic with its place (P13) and its advice.
fn report(text: &str) -> String {
    let mut lines = Vec::new();
    for diagnostic in parse_text(text).diagnostics {
        lines.push(format!(
            "{} {diagnostic}",
            diagnostic.place().unwrap_or_default()
        ));
        lines.extend(diagnostic.help.map(|help| format!("  help: {help}")));
    }
    lines.join("\n")
}

#[test]
fn colons_in_text_are_reported_with_a_fix() {
    let text = front("name: some-skill\ndescription: Collects run data: progress, \"errors\".");
    assert_data_eq!(
        report(&text),
        str![[r#"
some-skill/SKILL.md:3:31 warning[invalid-description]: invalid YAML in `description`: an unquoted value cannot contain a colon followed by a space; it was read as plain text
  help: quote this value: `description: "Collects run data: progress, \"errors\"."`
"#]].raw()
    );
}

#[test]
fn a_long_value_is_not_repeated() {
    let text = front(&format!(
        "name: some-skill\ndescription: Note: {}",
        "very long words ".repeat(20)
    ));
    assert_data_eq!(
        report(&text),
        str![[r#"
some-skill/SKILL.md:3:18 warning[invalid-description]: invalid YAML in `description`: an unquoted value cannot contain a colon followed by a space; it was read as plain text
  help: quote this value: put it between `"`, or write `description: |-` and indent the text below it
"#]]
    );
}

#[test]
fn a_late_block_is_named_by_its_line() {
    assert_data_eq!(
        report("# Heading first\n\n---\nname: a\ndescription: b\n---\n"),
        str![[r#"
some-skill/SKILL.md:3:1 error[no-front-matter]: the file must start with YAML frontmatter, found it on line 3
  help: move the block between the `---` lines to the top of the file
"#]]
    );
}

#[test]
fn a_wrong_start_is_quoted() {
    assert_data_eq!(
        report("# Boxed\n\n```yaml\nname: boxed\n```\n"),
        str![[r#"
some-skill/SKILL.md:1:1 error[no-front-matter]: the file must start with YAML frontmatter, found `# Boxed`
  help: start the file with front matter: a `---` line, `name:`, `description:`, and another `---` line
"#]]
    );
}

#[test]
fn path_names_report_the_fallback() {
    assert_data_eq!(
        report(&front("name: ../../outside\ndescription: Climbs.")),
        str![[r#"
some-skill/SKILL.md:2:7 warning[unusable-name]: name `../../outside` contains invalid characters: a name is not a path; the directory's name `some-skill` is taken
  help: write `name: some-skill`
"#]]
    );
}

#[test]
fn misplaced_limits_report_where_they_belong() {
    let text = front("name: some-skill\ndescription: a: b\n  user-invocable: false");
    assert_data_eq!(
        report(&text),
        str![[r#"
some-skill/SKILL.md:3:15 warning[invalid-description]: invalid YAML in `description`: an unquoted value cannot contain a colon followed by a space; it was read as plain text
  help: quote this value: `description: "a: b user-invocable: false"`
some-skill/SKILL.md:4:3 warning[invalid-yaml]: invalid YAML in `user-invocable`: it stands inside a field that could not be read; it counts as limiting
  help: put `user-invocable` at the start of a line
some-skill/SKILL.md:4:3 warning[unreadable-limit]: `user-invocable` must be `true` or `false`; it counts as `false`, which limits
"#]]
    );
}

#[test]
fn columns_count_characters_of_the_file() {
    let parsed =
        parse_text("\u{feff}---\r\nname: some-skill\r\ndescription: Größe: é: x\r\n---\r\n");
    assert_eq!(found(&parsed), ["warning invalid-description 3:19"]);
}

#[test]
fn missing_fields_name_a_similar_key() {
    for (lines, expected) in [
        (
            "name: some-skill\nDescription: Does it.",
            "3:1 on line 3 `Description` is not `description` | write `description: Does it.` at the start of a line",
        ),
        (
            "name: some-skill\n\u{A0}description: Does it.",
            "3:1 on line 3 a character that is not seen stands at `description` | write `description: Does it.` at the start of a line",
        ),
        (
            "name: some-skill\n  description: Does it.",
            "3:3 on line 3 `description` does not begin its line | write `description: Does it.` at the start of a line",
        ),
        (
            "name: some-skill\ndescripton: 'Does it: now'",
            "3:1 on line 3 `descripton` is not `description` | write `description: \"Does it: now\"` at the start of a line",
        ),
        ("name: some-skill\n# description: Does it.", "1:1"),
    ] {
        let parsed = parse_text(front(lines));
        assert_eq!(parsed.skill, None, "{lines}");
        let diagnostic = parsed
            .diagnostics
            .iter()
            .find(|diagnostic| diagnostic.code == Code::MISSING_DESCRIPTION)
            .unwrap();
        let (line, column) = (diagnostic.line.unwrap(), diagnostic.column.unwrap());
        let found = match diagnostic.message.split_once("; on") {
            Some((_, rest)) => format!(
                "{line}:{column} on{rest} | {}",
                diagnostic.help.as_deref().unwrap_or_default()
            ),
            None => format!("{line}:{column}"),
        };
        assert_eq!(found, expected, "{lines}");
    }
    let parsed = parse_text(front("Name: other\ndescription: Does it."));
    let name = parsed
        .diagnostics
        .iter()
        .find(|diagnostic| diagnostic.code == Code::MISSING_NAME)
        .unwrap();
    assert_eq!(
        (name.line, parsed.skill.unwrap().id.as_str()),
        (Some(2), "some-skill")
    );
}

#[test]
fn a_full_width_colon_is_read_and_named() {
    let text = front(
        "name：some-skill\ndescription：把合同翻译成英文。\ndisable-model-invocation：true\nallowed-tools： [Read]",
    );
    let parsed = parse_text(&text);
    let skill = parsed.skill.as_ref().unwrap();
    assert_eq!(
        (skill.id.as_str(), &*skill.description),
        ("some-skill", "把合同翻译成英文。")
    );
    assert_eq!(
        (skill.disable_model_invocation, names(&skill.allowed_tools)),
        (true, Some(vec!["Read"]))
    );
    assert_data_eq!(
        report(&text),
        str![[r#"
some-skill/SKILL.md:2:5 warning[invalid-yaml]: invalid YAML in `name`: the full-width `：` stands for the colon; it was read as plain text
  help: quote this value: `name: some-skill`
some-skill/SKILL.md:3:12 warning[invalid-description]: invalid YAML in `description`: the full-width `：` stands for the colon; it was read as plain text
  help: quote this value: `description: 把合同翻译成英文。`
some-skill/SKILL.md:4:25 warning[invalid-yaml]: invalid YAML in `disable-model-invocation`: the full-width `：` stands for the colon; it was read as a colon
  help: write `:` and a blank behind `disable-model-invocation`
some-skill/SKILL.md:5:14 warning[invalid-yaml]: invalid YAML in `allowed-tools`: the full-width `：` stands for the colon; it was read as a colon
  help: write `:` and a blank behind `allowed-tools`
"#]]
    );
    assert_eq!(
        found_in("名称：some-skill\n说明：做"),
        ["error not-a-mapping 2:1"]
    );
}

#[test]
fn a_tag_that_eats_a_word_is_named() {
    for (value, read, word) in [
        ("!important Ask first.", "Ask first.", "!important"),
        ("&fast Runs.", "Runs.", "&fast"),
        ("&a !b Runs.", "Runs.", "&a !b"),
    ] {
        let parsed = parse_text(front(&format!("name: some-skill\ndescription: {value}")));
        assert_eq!(&*parsed.skill.unwrap().description, read);
        let [diagnostic] = parsed.diagnostics.as_slice() else {
            panic!("one: {:?}", parsed.diagnostics)
        };
        assert_eq!(
            (diagnostic.code, diagnostic.line, diagnostic.column),
            (Code::CUT_BY_TAG, Some(3), Some(14))
        );
        assert!(
            diagnostic
                .message
                .starts_with(&format!("`{word}` is a tag")),
            "{}",
            diagnostic.message
        );
        assert_eq!(
            diagnostic.help.as_deref(),
            Some(&*format!(
                "quote this value if it is text: `description: \"{value}\"`"
            ))
        );
    }
    for lines in [
        "description: !!str Runs.",
        "description: !x 'Runs.'",
        "license: &a MIT\ndescription: Runs.",
    ] {
        assert_eq!(
            found_in(&format!("name: some-skill\n{lines}")),
            [""; 0],
            "{lines}"
        );
    }
}

#[test]
fn other_encodings_and_empty_blocks_have_a_remedy() {
    let utf16 = |text: &str, bytes: fn(u16) -> [u8; 2]| {
        text.encode_utf16().flat_map(bytes).collect::<Vec<u8>>()
    };
    let file = front(&beside(""));
    let marked = format!("\u{FEFF}{file}");
    for (bytes, order) in [
        (utf16(&marked, u16::to_le_bytes), "little-endian"),
        (utf16(&marked, u16::to_be_bytes), "big-endian"),
        (utf16(&file, u16::to_le_bytes), "little-endian"),
        (utf16(&file, u16::to_be_bytes), "big-endian"),
    ] {
        let parsed = parse_text(bytes);
        let [diagnostic] = parsed.diagnostics.as_slice() else {
            panic!("one: {:?}", parsed.diagnostics)
        };
        assert_eq!((diagnostic.code, parsed.skill), (Code::NOT_UTF8, None));
        assert!(
            diagnostic
                .message
                .ends_with(&format!("it looks like UTF-16, {order}")),
            "{}",
            diagnostic.message
        );
        assert!(
            diagnostic
                .help
                .as_ref()
                .is_some_and(|help| help.contains("PowerShell"))
        );
    }
    assert_data_eq!(
        report("---\n---\nBody.\n"),
        str![[r#"
some-skill/SKILL.md:1:1 error[not-a-mapping]: frontmatter must be a YAML mapping, but is empty
  help: write `name` and `description` between the `---` lines
"#]]
    );
}

#[test]
fn misspelt_fields_are_kept_and_named() {
    let parsed = parse_text(front(&beside(
        "allowed_tools: Read\nuser-invokable: false\nlicence: MIT\ncatagory: raw",
    )));
    let fixes: Vec<_> = parsed
        .diagnostics
        .iter()
        .map(|diagnostic| {
            (
                diagnostic.code,
                diagnostic.line.unwrap(),
                diagnostic.help.as_deref().unwrap_or_default(),
            )
        })
        .collect();
    assert_eq!(
        fixes,
        [
            (
                Code::MISSPELT_LIMIT,
                4,
                "write `allowed-tools` if that is meant"
            ),
            (
                Code::MISSPELT_LIMIT,
                5,
                "write `user-invocable` if that is meant"
            ),
            (Code::MISSPELT_FIELD, 6, "write `license` if that is meant"),
            (Code::MISSPELT_LIMIT, 7, "write `category` if that is meant"),
        ]
    );
    let skill = parsed.skill.unwrap();
    assert_eq!(
        (
            skill.allowed_tools.as_ref(),
            skill.user_invocable,
            skill.is_raw()
        ),
        (None, true, false)
    );
    assert_eq!(skill.field("allowed_tools"), Some(&Value::plain("Read")));
}

#[test]
fn nested_limits_are_reported() {
    for (fields, limit) in [
        (
            "<<: {disable-model-invocation: true}",
            "disable-model-invocation",
        ),
        ("<<:\n  allowed-tools: Read", "allowed-tools"),
        ("metadata:\n  user-invocable: false", "user-invocable"),
    ] {
        let parsed = parse_text(front(&beside(fields)));
        let found: Vec<_> = parsed
            .diagnostics
            .iter()
            .map(|found| (found.code, found.help.as_deref()))
            .collect();
        let help = format!("write `{limit}` at the start of a line if that is meant");
        assert_eq!(
            found,
            [(Code::MISSPELT_LIMIT, Some(help.as_str()))],
            "{fields}"
        );
    }
    assert_eq!(
        found_in(&beside("metadata: {category: design, author: me}")),
        [""; 0]
    );
}

#[test]
fn unreachable_skills_are_reported() {
    let both = beside("user-invocable: false\ndisable-model-invocation: true");
    assert_eq!(found_in(&both), ["warning unreachable 5:1"]);
    for one in ["user-invocable: false", "disable-model-invocation: true"] {
        assert_eq!(found_in(&beside(one)), [""; 0], "{one}");
    }
}
