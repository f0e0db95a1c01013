//! Servers behind servers: the same skills, with every origin.

use std::path::Path;

use serde_json::{Value, json};

use crate::test_env::TestEnv;

/// A configuration with one source: what `repertoire serve` of `arguments` serves.
fn source(name: &str, arguments: &[&str]) -> String {
    let binary = Path::new(env!("CARGO_BIN_EXE_repertoire")).display();
    format!(
        "[[source]]\nkind = \"mcp\"\nname = \"{name}\"\ncommand = \"{binary}\"\nargs = {}\n",
        json!(arguments)
    )
}

fn env() -> TestEnv {
    let env = TestEnv::new();
    env
        .file("skills/tidy/SKILL.md", "---\nname: tidy\ndescription: Sorts a folder.\nlicense: MIT\nmetadata:\n  version: \"1.10\"\n---\n\nSort it.\n")
        .file("skills/tidy/scripts/a b.sh", "ls\n")
        .file("skills/tidy/logo.bin", [0, 159, 146, 150])
        .file("skills/greet/SKILL.md", "---\nname: greet\ndescription: >\n  Greets people,\n  by name.\nallowed-tools: Read, Grep\n---\nSay hello.\n")
        .file("first.toml", source("first", &["serve", "skills"]))
        .file("second.toml", source("second", &["serve", "--config", "first.toml"]));
    env
}

fn answer(env: &TestEnv, arguments: &[&str]) -> Value {
    serde_json::from_str(&env.run(&[arguments, &["--json"]].concat()).data())
        .expect("an answer in JSON")
}

/// Returns the details of a skill, and its files.
fn shown(env: &TestEnv, places: &[&str], name: &str) -> (Value, Value) {
    (
        answer(env, &[&["show"], places, &[name]].concat()),
        answer(env, &[&["files"], places, &[name]].concat()),
    )
}

#[test]
fn two_chained_servers_give_the_same_skills() {
    let env = env();
    let chained = ["--config", "second.toml"];
    let listed = env
        .run(&[&["list", "--connect"][..], &chained].concat())
        .data();
    let ids: Vec<&str> = listed
        .lines()
        .skip(1)
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    // Each server passes the origin of its skills on to its clients.
    assert_eq!(ids, ["second:greet", "second:tidy"]);
    for (name, uri) in [
        ("tidy", "skill://first/tidy/SKILL.md"),
        ("greet", "skill://first/greet/SKILL.md"),
    ] {
        let (direct, direct_files) = shown(&env, &["--root", "skills"], name);
        let (remote, remote_files) = shown(&env, &chained, &format!("second:{name}"));
        for key in [
            "/skill/description",
            "/skill/digest",
            "/fields",
            "/allowed_tools",
        ] {
            let value = direct.pointer(key).expect("every skill has it");
            assert_eq!(remote.pointer(key), Some(value), "`{key}` of `{name}`");
        }
        assert_eq!(
            remote_files["files"], direct_files["files"],
            "the files of `{name}`"
        );
        let remote = &remote["skill"];
        assert_eq!(remote["location"], json!(format!("second:{uri}")));
        assert_eq!(
            (&remote["tier"], &remote["trust"]),
            (&json!("plugin"), &json!("restricted"))
        );
        let body =
            |places: &[&str], name: &str| env.run(&[&["body"], places, &[name]].concat()).data();
        assert_eq!(
            body(&chained, &format!("second:{name}")),
            body(&["--root", "skills"], name)
        );
    }
}

#[test]
fn a_failing_chained_server_is_reported() {
    let env = TestEnv::new();
    env.file(
        "first.toml",
        "[[source]]\nkind = \"mcp\"\nname = \"first\"\ncommand = \"/no/such/program\"\n",
    );
    let ran = env.run(&["list", "--connect", "--config", "first.toml"]);
    assert!(ran.stderr.contains("1 error"), "{ran:?}");
    let checked = env
        .run(&["check", "--connect", "--config", "first.toml"])
        .stdout;
    assert!(
        checked.contains("`/no/such/program` cannot be started"),
        "{checked}"
    );
}

#[test]
fn invalid_server_options_are_located() {
    let env = TestEnv::new();
    for (options, expected) in [
        ("", "expected the `command` of a server, or its `url`"),
        (
            "command = \"a\"\nurl = \"https://a.test/\"",
            "a server is a `command` or a `url`, and not both",
        ),
        (
            "url = \"http://a.test/\"\ntoken-file = \"t\"",
            "a token is sent over `https://` only, or to this machine",
        ),
        (
            "url = \"https://a.test/\"\ntoken-env = \"NOT_SET\"",
            "the variable is not set or does not contain a token",
        ),
        (
            "url = \"https://a.test/\"\ntier = \"builtin\"",
            "a source of the kind `mcp` loads content of other people",
        ),
    ] {
        env.file(
            "a.toml",
            format!("[[source]]\nkind = \"mcp\"\nname = \"a\"\n{options}\n"),
        );
        let failure = env
            .run(&["list", "--connect", "--config", "a.toml"])
            .failure();
        assert!(failure.contains(expected), "{options}: {failure}");
    }
}
