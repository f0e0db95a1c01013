//! The hooks for pre-commit and the GitHub action name what there is, and do what they say.

use std::fs;

use repertoire::skill::skill_md::{self, FileContext};
use repertoire_cli::Exit;
use serde_json::Value;

use crate::test_env::{TestEnv, checkout};

/// A YAML file of this checkout.
fn yaml(path: &str) -> Value {
    let text = fs::read_to_string(checkout(path)).expect("the file is there");
    let lines: String = text.lines().map(|line| format!("  {line}\n")).collect();
    let front = format!("---\nname: a\ndescription: The file as a field.\nfile:\n{lines}---\n");
    let parsed = skill_md::parse(front.as_bytes(), FileContext::new(path));
    assert_eq!(parsed.diagnostics, [], "{path}");
    parsed
        .skill
        .and_then(|skill| skill.field("file").map(|value| value.json()))
        .expect("the file has content")
}

#[test]
fn hooks_run_on_committed_files() {
    let env = TestEnv::new();
    env.skill("root", "one", "One.")
        .skill("root", "two", "Two.");
    let hooks = yaml(".pre-commit-hooks.yaml");
    let hooks = hooks.as_array().expect("a list of hooks");
    assert_eq!(
        hooks
            .iter()
            .map(|hook| hook["id"].clone())
            .collect::<Vec<_>>(),
        ["repertoire-check", "repertoire-fmt"]
    );
    for hook in hooks {
        let entry: Vec<_> = hook["entry"]
            .as_str()
            .expect("a hook has an entry")
            .split(' ')
            .collect();
        let (script, arguments) = entry.split_first().expect("an entry has words");
        assert!(checkout(script).is_file(), "{script}");
        assert_eq!(hook["language"], "script");
        assert_eq!(hook["files"], r"(^|/)SKILL\.md$");
        let ran = env.run(&[arguments, &["root/one/SKILL.md", "root/two/SKILL.md"]].concat());
        assert_eq!(
            (ran.exit, ran.stderr.as_str()),
            (Exit::Success, ""),
            "{}",
            ran.stdout
        );
    }
}

/// Runs the last step of the action as a runner would, in a folder with a broken skill and a warning.
#[cfg(unix)]
fn act(env: &TestEnv, strict: &str, paths: &str, sarif: &str) -> (Option<i32>, String) {
    let action = yaml("action.yml");
    let steps = action["runs"]["steps"]
        .as_array()
        .expect("the action has steps");
    let step = steps.last().expect("the action has a step");
    let input = |name: &str| format!("${{{{ inputs.{name} }}}}");
    assert_eq!(
        step["env"],
        serde_json::json!({ "PATHS": input("paths"), "STRICT": input("strict"), "SARIF": input("sarif") })
    );
    let binary = std::path::Path::new(env!("CARGO_BIN_EXE_repertoire"));
    let folder = binary
        .parent()
        .expect("a binary lies in a folder")
        .to_string_lossy();
    let output = std::process::Command::new("bash")
        .args([
            "--noprofile",
            "--norc",
            "-eo",
            "pipefail",
            "-c",
            step["run"].as_str().expect("a step runs something"),
        ])
        .current_dir(env.here())
        .env("PATH", format!("{folder}:/usr/bin:/bin"))
        .envs([("PATHS", paths), ("STRICT", strict), ("SARIF", sarif)])
        .output()
        .expect("there is a bash");
    (
        output.status.code(),
        String::from_utf8(output.stdout).expect("answers for people are UTF-8"),
    )
}

#[test]
#[cfg(unix)]
fn the_action_fails_and_writes_a_log() {
    let env = TestEnv::new();
    env.skill("good", "one", "One.").file(
        "odd/two/SKILL.md",
        "---\nname: Two\ndescription: D.\n---\nA.\n",
    );
    env.file("bad/three/SKILL.md", "---\nname: three\n");
    let clean = "1 skill checked: no problems\n".to_owned();
    assert_eq!(act(&env, "true", "good", ""), (Some(0), clean));
    let (code, said) = act(&env, "false", "good\nodd\n", "");
    assert_eq!(
        (code, said.lines().last()),
        (Some(0), Some("2 skills checked: 2 warnings"))
    );
    assert_eq!(act(&env, "true", "good\nodd\n", "").0, Some(1));
    let (code, said) = act(&env, "false", "bad", "log.sarif");
    assert_eq!(
        (code, said.lines().last()),
        (Some(1), Some("0 skills checked: 1 error"))
    );
    let log: Value =
        serde_json::from_slice(&fs::read(env.here().join("log.sarif")).expect("the log is there"))
            .expect("it is JSON");
    assert_eq!(
        log["runs"][0]["results"][0]["ruleId"],
        "unclosed-front-matter"
    );
    assert_eq!(
        act(&env, "false", "missing", "log.sarif"),
        (Some(2), String::new())
    );
}
