//! The beginning and the end of front matter.

use super::*;

const FIELDS: &str = "name: some-skill\ndescription: Does it.\n";

#[test]
fn fences_are_whole_lines() {
    let rows = [
        ("plain", format!("---\n{FIELDS}---\nBody.\n")),
        (
            "P8 byte-order mark",
            format!("\u{feff}---\n{FIELDS}---\nBody.\n"),
        ),
        (
            "P9 CRLF",
            format!("---\n{FIELDS}---\nBody.\n").replace('\n', "\r\n"),
        ),
        (
            "CR only",
            format!("---\n{FIELDS}---\nBody.\n").replace('\n', "\r"),
        ),
        (
            "V-4 blanks after a fence",
            format!("--- \n{FIELDS}---\t \nBody.\n"),
        ),
        ("V-31 P16 no final newline", format!("---\n{FIELDS}---")),
        ("P15 no body", format!("---\n{FIELDS}---\n")),
        (
            "P26 a rule in the body",
            format!("---\n{FIELDS}---\nBody.\n\n---\nname: other\n---\n"),
        ),
    ];
    for (label, text) in rows {
        let parsed = parse_text(&text);
        let skill = parsed
            .skill
            .as_ref()
            .unwrap_or_else(|| panic!("{label}: {:?}", parsed.diagnostics));
        assert_eq!(
            (skill.id.as_str(), &*skill.description),
            ("some-skill", "Does it."),
            "{label}"
        );
        assert_eq!(found(&parsed), [""; 0], "{label}");
    }
}

#[test]
fn no_carriage_return_survives_in_a_field() {
    let text = "---\r\nname: some-skill\r\ndescription: |\r\n  One.\r\n  Two.\r\nlicense: MIT\r\nallowed-tools:\r\n  - Read\r\n---\r\n";
    let skill = parse_text(text).skill.unwrap();
    assert_eq!(&*skill.description, "One.\nTwo.");
    assert_eq!(skill.text("license"), Some("MIT"));
    assert!(!format!("{:?}", skill.fields).contains("\\r"));
}

#[test]
fn unusual_fences_are_warnings() {
    let rows = [
        (
            "V-3 P18 blank line",
            format!("\n{FIELDS}"),
            "warning not-first-line 2:1",
        ),
        (
            "comment",
            format!("<!-- made by a tool -->\n<!--\n two\n-->\n\n{FIELDS}"),
            "warning not-first-line 6:1",
        ),
    ];
    for (label, text, diagnostic) in rows {
        let text = format!("{}---\n", text.replace("name:", "---\nname:"));
        let parsed = parse_text(text);
        assert!(parsed.skill.is_some(), "{label}");
        assert_eq!(found(&parsed), [diagnostic], "{label}");
    }
    let dots = parse_text(format!("---\n{FIELDS}...\nBody.\n"));
    assert!(dots.skill.is_some(), "V-32");
    assert_eq!(found(&dots), ["warning closed-by-dots 4:1"]);
}

#[test]
fn no_block_is_guessed() {
    let rows = [
        ("V-30 empty", String::new(), "error empty-file 1:1"),
        ("blank", "   \n\n \n".to_owned(), "error empty-file 1:1"),
        (
            "T2 P10 prose",
            "# Just prose\n".to_owned(),
            "error no-front-matter 1:1",
        ),
        (
            "code block",
            format!("# Boxed\n\n```yaml\n{FIELDS}```\n"),
            "error no-front-matter 1:1",
        ),
        (
            "later block",
            format!("# Heading\n\n---\n{FIELDS}---\nBody.\n"),
            "error no-front-matter 3:1",
        ),
        (
            "T3 unclosed",
            format!("---\n{FIELDS}\n# Heading\n\nallowed-tools: Bash\n"),
            "error unclosed-front-matter 1:1",
        ),
        (
            "closing line of four dashes",
            format!("---\n{FIELDS}----\nBody.\n"),
            "error unclosed-front-matter 1:1",
        ),
        (
            "closing line with text",
            format!("---\n{FIELDS}---foo\nBody.\n"),
            "error unclosed-front-matter 1:1",
        ),
        (
            "V-5 four dashes",
            format!("----\n{FIELDS}---\n"),
            "error no-front-matter 1:1",
        ),
        (
            "indented fence",
            format!(" ---\n{FIELDS}---\n"),
            "error no-front-matter 1:1",
        ),
        (
            "two byte-order marks",
            format!("\u{feff}\u{feff}---\n{FIELDS}---\n"),
            "error no-front-matter 1:1",
        ),
        (
            "comment without end",
            format!("<!-- \n---\n{FIELDS}---\n"),
            "error no-front-matter 1:1",
        ),
        (
            "P17 empty block",
            format!("---\n---\n\n---\n{FIELDS}---\n"),
            "error not-a-mapping 1:1",
        ),
        (
            "P28 comments only",
            "---\n# nothing\n---\n".to_owned(),
            "error not-a-mapping 1:1",
        ),
        (
            "T5 P28 list",
            "---\n- a\n- b\n---\n".to_owned(),
            "error not-a-mapping 2:1",
        ),
        (
            "P12 P28 text",
            "---\njust text\n---\n".to_owned(),
            "error not-a-mapping 2:1",
        ),
    ];
    for (label, text, diagnostic) in rows {
        let parsed = parse_text(&text);
        assert_eq!(parsed.skill, None, "{label}");
        assert_eq!(found(&parsed), [diagnostic], "{label}");
    }
}

#[test]
fn dashes_inside_values_are_text() {
    let inside = skill("name: some-skill\ndescription: Split notes with --- rules.\nlicense: MIT");
    assert_eq!(
        (&*inside.description, inside.text("license")),
        ("Split notes with --- rules.", Some("MIT")),
        "V-6"
    );
    let quoted = skill("description: \"first part\n----\nsecond part\"\nname: some-skill");
    assert_eq!(&*quoted.description, "first part ---- second part");
    let block = skill("description: |\n  Use this:\n  ---\n  then rows.\nname: some-skill");
    assert_eq!(&*block.description, "Use this:\n---\nthen rows.");
}

#[test]
fn non_utf8_files_report_the_byte() {
    let parsed =
        parse_text(b"---\nname: some-skill\ndescription: Serves caf\xe9 menus.\n---\nBody.\n");
    assert_eq!(parsed.skill, None);
    assert_eq!(found(&parsed), ["error not-utf8 3:24"]);
    assert_eq!(
        parsed.diagnostics[0].message, "the file is not UTF-8: byte 44 is 0xe9",
        "V-33"
    );
    assert_eq!(
        found(&parse_text(b"\0\x01\x02\xff\xfe")),
        ["error not-utf8 1:4"]
    );
}

#[test]
fn non_utf8_bodies_do_not_fail_parsing() {
    let bytes = b"---\nname: some-skill\ndescription: Does it.\n---\nCaf\xe9.\n";
    assert!(parse_text(bytes).skill.is_some());
    let error = InvalidValue::new("not UTF-8 at byte 50");
    assert_eq!(body(bytes), Err(error));
}

#[test]
fn the_body_is_returned_without_changes() {
    let rows = [
        ("plain", "---\nname: a\n---\nBody.\n", "Body.\n"),
        (
            "leading blank lines",
            "---\nname: a\n---\n\n \t\n# Title\n\nText\n",
            "# Title\n\nText\n",
        ),
        (
            "P27 indented code",
            "---\nname: a\n---\n\n    code\n  text\n",
            "    code\n  text\n",
        ),
        (
            "CRLF",
            "---\r\nname: a\r\n---\r\n\r\nOne\r\nTwo\r\n",
            "One\nTwo\n",
        ),
        (
            "K11 rules",
            "---\nname: a\n---\n---\nname: b\n---\nText\n",
            "---\nname: b\n---\nText\n",
        ),
        ("no body", "---\nname: a\n---", ""),
        (
            "K3 trailing blanks stay",
            "---\nname: a\n---\nText  \n\n",
            "Text  \n\n",
        ),
        ("no front matter", "\u{feff}# Title\n", "# Title\n"),
        ("unclosed", "---\nname: a\n", "---\nname: a\n"),
    ];
    for (label, text, expected) in rows {
        assert_eq!(body(text.as_bytes()).as_deref(), Ok(expected), "{label}");
    }
}

#[test]
fn front_matter_end_is_never_premature() {
    let file = b"---\nname: some-skill\n---\nBody.\n";
    for cut in 0..25 {
        assert_eq!(find_front_matter_end(&file[..cut]), None, "{cut}");
    }
    for cut in 25..=file.len() {
        assert_eq!(find_front_matter_end(&file[..cut]), Some(25), "{cut}");
    }
    assert_eq!(
        find_front_matter_end(b"---\r\nname: a\r\n---\r"),
        None,
        "a line feed may follow"
    );
    assert_eq!(
        find_front_matter_end(b"---\r\nname: a\r\n---\r\n"),
        Some(19)
    );
    assert_eq!(find_front_matter_end(b"<!-- banner"), None);
    assert_eq!(
        find_front_matter_end(b"# Title"),
        None,
        "the first line is not over"
    );
    assert_eq!(find_front_matter_end(b"# Title\n"), Some(8));
}
