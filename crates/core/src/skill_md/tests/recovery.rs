//! Front matter that is no YAML.

use super::*;

/// Every row is a description that YAML refuses, and what is read.
#[test]
fn invalid_descriptions_are_read_from_their_lines() {
    let rows = [
        (
            "V-7 P21 L-1 a colon",
            "Draft it: collect, group, write.",
            "Draft it: collect, group, write.",
        ),
        (
            "L-2 colons",
            "Tasks like: a. Keywords: b, c",
            "Tasks like: a. Keywords: b, c",
        ),
        (
            "L-4 continuation",
            "\n  Use \"this\": when asked,\n  and later.",
            "Use \"this\": when asked, and later.",
        ),
        ("L-14 a bracket", "[WIP] does it", "[WIP] does it"),
        ("L-14 V-45 an at sign", "@acme does it", "@acme does it"),
        (
            "L-14 V-45 text after quotes",
            "\"Fast\" and \"small\"",
            "\"Fast\" and \"small\"",
        ),
        ("L-14 an asterisk", "*this* does it", "*this* does it"),
        (
            "Markdown bold",
            "**Does it.** Always.",
            "**Does it.** Always.",
        ),
        ("L-14 an ampersand", "& more", "& more"),
        ("L-14 a percent sign", "%d files", "%d files"),
        ("L-14 a backtick", "`ls` for people", "`ls` for people"),
        (
            "inner quotes",
            "\"Says \"hello\" twice\"",
            "Says \"hello\" twice",
        ),
        ("an inner apostrophe", "'It's done: now'", "It's done: now"),
        (
            "unindented continuation",
            "Does it.\n1. One\n2. Two",
            "Does it. 1. One 2. Two",
        ),
        (
            "a list at key level",
            "Does it:\n- one\n- two",
            "Does it: - one - two",
        ),
        ("an unclosed quote", "\"Does it", "\"Does it"),
        ("a bad escape", "\"C:\\dir: x\"", "C:\\dir: x"),
        (
            "a block without indentation",
            ">-\nDoes it:\nnow",
            "Does it: now",
        ),
        (
            "a paragraph",
            "Does it: now\n\n  and later",
            "Does it: now\nand later",
        ),
    ];
    for (label, written, expected) in rows {
        let lines = format!("name: some-skill\ndescription: {written}\nlicense: MIT");
        let skill = skill(&lines);
        assert_eq!(&*skill.description, expected, "{label}");
        assert_eq!(
            (skill.id.as_str(), skill.text("license")),
            ("some-skill", Some("MIT")),
            "{label}"
        );
        let found = found_in(&lines);
        assert!(
            found.len() == 1 && found[0].starts_with("warning invalid-description"),
            "{label}: {found:?}"
        );
    }
}

#[test]
fn a_broken_field_costs_no_other() {
    let skill = skill_with(
        "package: @acme/client\nentry: `src/main.rs`\nlicense: MIT\ntags:\n  - a\n  - b",
    );
    assert_eq!(skill.text("package"), Some("@acme/client"));
    assert_eq!(skill.text("entry"), Some("`src/main.rs`"));
    assert_eq!(
        skill.field("tags"),
        Some(&Value::List(vec![Value::plain("a"), Value::plain("b")]))
    );
    assert_eq!(
        found_in(&beside("package: @acme/client\nentry: `src/main.rs`")),
        ["warning invalid-yaml 4:10", "warning invalid-yaml 5:8"]
    );
}

#[test]
fn both_broken_fields_are_read() {
    let parsed = parse_text("---\nname: [b-bad\ndescription: {unclosed\n---\nB.\n");
    let skill = parsed.skill.as_ref().unwrap();
    assert_eq!(
        (skill.id.as_str(), &*skill.description),
        ("[b-bad", "{unclosed")
    );
    assert!(
        found(&parsed)
            .iter()
            .all(|diagnostic| diagnostic.starts_with("warning"))
    );
}

#[test]
fn keys_are_found_where_yaml_finds_none() {
    for (label, lines) in [
        (
            "L-5 both indented",
            "  name: some-skill\n  description: Does it.",
        ),
        (
            "L-5 the first indented",
            "  name: some-skill\ndescription: Does it.",
        ),
        ("L-6 no blank", "name:some-skill\ndescription:Does it."),
        (
            "blank before the colon",
            "name : some-skill\ndescription : Does it.",
        ),
        (
            "quoted keys",
            "\"name\": some-skill\n'description': Does it.",
        ),
        (
            "quoted keys, broken neighbour",
            "\"name\": some-skill\n'description': Does it.\nx: @y",
        ),
        (
            "prose in between",
            "some words first\nname: some-skill\ndescription: Does it.",
        ),
        (
            "a second document",
            "name: some-skill\n--- text\ndescription: Does it.",
        ),
    ] {
        let skill = skill(lines);
        assert_eq!(&*skill.description, "Does it.", "{label}");
        assert_eq!(
            skill.id.as_str().split(' ').next(),
            Some("some-skill"),
            "{label}"
        );
    }
    let no_colon = found_in("name:some-skill\ndescription:Does it.");
    assert_eq!(
        no_colon,
        [
            "warning invalid-yaml 2:1",
            "warning invalid-description 3:1"
        ]
    );
}

#[test]
fn a_name_is_one_line() {
    let skill = skill("name: some-skill\n**High risk**: careful\ndescription: Does it.");
    assert_eq!(skill.id.as_str(), "some-skill");
}

#[test]
fn tabs_are_read_as_blanks() {
    let lines = beside("metadata:\n\towner: platform\n\tteam: core");
    let skill = skill(&lines);
    assert_eq!(skill.text("metadata.owner"), Some("platform"));
    assert_eq!(found_in(&lines).len(), 1);
    assert!(
        parse_text(front(&lines)).diagnostics[0]
            .message
            .contains("tab")
    );
}

#[test]
fn recovery_retains_limits() {
    let skill = skill(
        "name: some-skill\ndescription: Read only: never edit.\nallowed-tools: Read Grep\n\
         disable-model-invocation: true\nuser-invocable: no\nallowedWorkflows: [a]",
    );
    assert_eq!(names(&skill.allowed_tools), Some(vec!["Read", "Grep"]));
    assert_eq!(names(&skill.allowed_workflows), Some(vec!["a"]));
    assert!(skill.disable_model_invocation && !skill.user_invocable);
}

#[test]
fn recovery_never_widens_rights() {
    for (lines, tools) in [
        ("allowed-tools: [Read, Grep", &[] as &[&str]),
        ("allowed-tools: *", &[]),
        ("allowed-tools: {Read", &[]),
        ("allowed-tools: @tools Bash", &[]),
        ("allowed-tools: \"Read\" \"Grep\"", &[]),
        (
            "allowed-tools: Read, Bash(git log: *)",
            &["Read", "Bash(git log: *)"],
        ),
        ("allowed-tools:Read", &["Read"]),
        ("description: a: b\n  allowed-tools: Bash", &[]),
    ] {
        let skill = skill(&format!(
            "name: some-skill\ndescription: Does it.\n{lines}\nx: @y"
        ));
        assert_eq!(
            names(&skill.allowed_tools).as_deref(),
            Some(tools),
            "{lines}"
        );
    }
    for lines in [
        "disable-model-invocation: true: yes\nuser-invocable: @no\nallowedWorkflows: [a",
        "disable-model-invocation:true\nuser-invocable:false\nallowedWorkflows:",
        "license: a: b\n  disable-model-invocation: true\n  user-invocable : false\n\tallowedWorkflows: [a]",
        "license: \"open\n  disable-model-invocation: false\n  user-invocable: true\n  allowedWorkflows: [a]",
    ] {
        let skill = skill_with(lines);
        assert!(
            skill.disable_model_invocation && !skill.user_invocable,
            "{lines}"
        );
        assert_eq!(names(&skill.allowed_workflows), Some(vec![]), "{lines}");
    }
    // At the start of a line it says what it says.
    let skill = skill_with("license: a: b\n  user-invocable: false\nuser-invocable: true");
    assert!(skill.user_invocable);
}
