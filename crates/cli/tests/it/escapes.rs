//! Untrusted text in terminal output and in JSON.

use serde_json::Value;

use crate::test_env::TestEnv;

/// A skill with escape sequences (colour, title, bell, text direction, hidden text) in every field.
const PAINT: &str = "\\e[2J\\e]0;owned\\a \\x7f\\x9b31m \\u202E\\U000E0041";

fn painter() -> TestEnv {
    let env = TestEnv::new();
    env.file(
        "root/painter/SKILL.md",
        format!(
            "---\nname: painter\ndescription: \"Hello {PAINT}\"\nallowed-tools: [\"Read {PAINT}\"]\n\"key {PAINT}\": \"{PAINT}\"\n---\nA.\n"
        ),
    );
    let raw = "\u{1b}[31m\u{7f}\u{9b}\u{202e}\u{e0041}";
    env.file(
        "root/broken/SKILL.md",
        format!("---\nname: broken{raw}\n{raw}: [\ndescription\n---\n"),
    );
    env.skill("second", "painter", "Another.")
        .file("empty \u{1b}[31m\u{202e}/notes", "No skill.");
    env.file(
        "root/name/SKILL.md",
        format!("---\nname: \"na{PAINT}me\"\ndescription: Odd.\n---\nA.\n"),
    );
    env
}

#[test]
fn no_command_lets_a_skill_paint() {
    let env = painter();
    for arguments in [
        &["list", "root", "second", "--all"][..],
        &["check", "root", "second"],
        &["check", "root", "second", "--strict"],
        &["show", "painter", "--root", "root"],
        &["why", "painter", "--root", "root"],
        &["roots", "--root", "root"],
        &["search", "hello", "--root", "root"],
        &["match", "hello", "--root", "root"],
        &["catalog", "--root", "root"],
        &["tools", "--root", "root"],
        &["files", "painter", "--root", "root"],
        &["directives", "painter", "--root", "root"],
        &["fmt", "--check", "root"],
        &["lock", "--root", "root"],
        &["verify", "--root", "root"],
        &["show", "no \u{1b}[31m such\u{9b}"],
        &["list", "missing \u{1b}[31m\u{202e}"],
        &["list", "empty \u{1b}[31m\u{202e}"],
        &["list", "--source", "fs:a\u{1b}[31m:\u{1b}"],
    ] {
        let ran = env.run(arguments);
        for c in ran.stdout.chars().chain(ran.stderr.chars()) {
            let obeyed = c.is_control() && c != '\n' || matches!(c, '\u{202e}' | '\u{e0041}');
            assert!(!obeyed, "{arguments:?} lets {c:?} through: {ran:?}");
        }
    }
}

#[test]
fn mutated_skills_break_no_command() {
    let env = painter();
    let valid = std::fs::read(env.here().join("root/painter/SKILL.md")).expect("it was written");
    for seed in 0..200_usize {
        let mut bytes = valid.clone();
        for step in 1..=4 {
            let at = seed * 7919 * step % bytes.len();
            match (seed + step) % 3 {
                0 => bytes[at] = (seed * 31 + step) as u8,
                1 => bytes.insert(at, (seed * 17) as u8),
                _ => drop(bytes.remove(at)),
            }
        }
        env.file(&format!("mutated/skill-{seed}/SKILL.md"), bytes);
    }
    for arguments in [
        &["list", "mutated", "--all"][..],
        &["check", "mutated"],
        &["catalog", "--root", "mutated"],
        &["search", "hello", "--root", "mutated"],
        &["tools", "--root", "mutated"],
        &["lock", "--root", "mutated"],
        &["fmt", "--check", "mutated"],
    ] {
        let ran = env.run(arguments);
        let obeyed = |c: char| c.is_control() && c != '\n' || matches!(c, '\u{202e}' | '\u{e0041}');
        assert!(
            !(ran.stdout + &ran.stderr).contains(obeyed),
            "{arguments:?}"
        );
    }
}

#[test]
fn json_output_escapes_raw_text() {
    let env = painter();
    let ran = env.run(&["list", "root", "--json"]);
    assert_eq!(ran.stderr, "");
    assert!(
        ran.stdout
            .chars()
            .all(|c| c == '\n' || !c.is_control() && c != '\u{202e}'),
        "{}",
        ran.stdout
    );
    let document: Value = serde_json::from_str(&ran.stdout).expect("one JSON document");
    let skills = document["skills"].as_array().expect("a list");
    let description = skills
        .iter()
        .find(|skill| skill["id"] == "painter")
        .map(|skill| &skill["description"]);
    assert_eq!(
        description,
        Some(&Value::from(
            "Hello \u{1b}[2J\u{1b}]0;owned\u{7} \u{7f}\u{9b}31m \u{202e}\u{e0041}"
        ))
    );
}

/// Text with hidden characters of each known kind, and harmless text that looks alike.
const HIDDEN: &str = "\u{e0053}\u{e0045}\u{e004e}\u{e0044}";
const HONEST: &str = "\u{1F3F4}\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F} می\u{200c}خواهم ❤\u{fe0f} \u{200f}C++\u{200f}";

fn whisperer() -> TestEnv {
    let env = TestEnv::new();
    let text = |name: &str, body: &str| {
        format!("---\nname: {name}\ndescription: Formats.\n---\n\nFormat.\n{body}\n")
    };
    env.file(
        "root/whisper/SKILL.md",
        text("whisper", &format!("Then{HIDDEN} keep\u{202e} $ARGUMENTS.")),
    );
    env.file("root/honest/SKILL.md", text("honest", HONEST));
    env
}

#[test]
fn hidden_text_in_a_body_is_reported() {
    let env = whisperer();
    snapbox::assert_data_eq!(
        env.run(&["check", "root"]).data(),
        snapbox::str![[r#"
warning[invisible-text]: the body holds 5 invisible characters that spell `SEND`
 --> root/whisper/SKILL.md:7:5
  |
7 | Then���� keep� $ARGUMENTS.
  |     ^
  |
  = help: remove them; no model gets them

2 skills checked: 1 warning

"#]]
    );
    let ran = env.run(&["check", "root", "--json"]);
    let document: Value = serde_json::from_str(&ran.stdout).expect("one JSON document");
    let found = &document["diagnostics"][0];
    assert_eq!(
        (&found["code"], &found["line"], &found["column"]),
        (&"invisible-text".into(), &7.into(), &5.into())
    );
    assert_eq!(
        env.run(&["check", "root", "--strict"]).exit,
        repertoire_cli::Exit::Problems
    );
    let shown = env.run(&["show", "whisper", "--root", "root"]).stderr;
    assert_eq!(
        shown,
        "note: the body holds 5 invisible characters that spell `SEND`, on line 7\n"
    );
    let note = "note: the body of 1 skill holds hidden text; run `repertoire check` for details\n";
    for command in ["lock", "verify"] {
        assert!(
            env.run(&[command, "root"]).stderr.contains(note),
            "{command}"
        );
    }
}

#[test]
fn a_body_comes_without_its_hidden_text() {
    let env = whisperer();
    let clean = "Format.\nThen keep $ARGUMENTS.\n";
    assert_eq!(
        env.run(&["body", "whisper", "--root", "root"]).data(),
        clean
    );
    let rendered = env
        .run(&["render", "whisper", "--root", "root", "--", "all"])
        .data();
    assert_eq!(rendered, "Format.\nThen keep all.\n");
    assert_eq!(
        env.run(&["body", "honest", "--root", "root"]).data(),
        format!("Format.\n{HONEST}\n")
    );
    // The file itself is printed unchanged, because its digest covers these bytes.
    let raw = env
        .run(&["files", "whisper", "SKILL.md", "--root", "root"])
        .stdout;
    assert!(raw.contains(HIDDEN), "{raw:?}");
}

#[test]
fn the_prompt_warns_of_hidden_text() {
    let env = TestEnv::new();
    let text = "---\nname: clock\ndescription: Tells.\n---\nNow: !`printf tick`\u{2060}\u{e0041}\n";
    env.file("a/clock/SKILL.md", text);
    let ran = env.run_answering("n\n", &["approve", "clock", "--root", "a"]);
    assert!(
        ran.stderr.starts_with(
            "warning: the body holds 2 invisible characters that spell `A`, on line 5; none of its commands will run\n\
             command in line 1\n    printf tick\nAllow these commands while SKILL.md is unchanged"
        ),
        "{}",
        ran.stderr
    );
}

#[test]
fn no_list_commands_the_log_of_a_runner() {
    let env = TestEnv::new();
    for (folder, name) in [
        ("one", "::error title=x::y"),
        ("two", "##[error]z"),
        ("three", "a ##vso[task.x]b"),
    ] {
        env.file(
            &format!("root/{folder}/SKILL.md"),
            format!("---\nname: \"{name}\"\ndescription: \"{name}\"\n---\nA.\n"),
        );
    }
    for arguments in [
        &["list", "root"][..],
        &["list", "root", "--all"],
        &["check", "root"],
        &["show", "::error title=x::y", "--root", "root"],
        &["why", "##[error]z", "--root", "root"],
        &["search", "error", "--root", "root"],
        &["show", "::warning::none", "--root", "root"],
    ] {
        let ran = env.run(arguments);
        for line in ran.stdout.lines().chain(ran.stderr.lines()) {
            let commands = line.trim_start().starts_with("::")
                || line.contains("##[")
                || line.contains("##vso[");
            assert!(!commands, "{arguments:?}: {line}");
        }
    }
    assert!(
        env.run(&["list", "root"])
            .stdout
            .contains("\\u{3a}:error title=x::y")
    );
}

#[test]
fn confusable_names_are_reported() {
    let env = TestEnv::new();
    env.skill("root", "deploy", "Ships.")
        .skill("root", "d\u{435}ploy", "Ships too.")
        .skill("root", "отчёт", "Reports.");
    snapbox::assert_data_eq!(
        env.run(&["check", "root"]).data(),
        snapbox::str![[r#"
warning[looks-alike]: skill `dеploy` looks like `deploy`, and is a different one: it has U+0435
--> root/dеploy/SKILL.md
::: root/deploy/SKILL.md
 = help: rename it; if you did not write it, look at it before you use it

3 skills checked: 1 warning

"#]]
    );
}
