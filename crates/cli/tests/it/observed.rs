//! `observed`: lists that agents left, beside the predictions.

use serde_json::json;

use crate::test_env::TestEnv;

const CANARY: &str = "canary-7f3a";

fn env() -> TestEnv {
    let env = TestEnv::new();
    for name in ["tidy", "sort"] {
        env.skill("../home/.claude/skills", name, "Sorts.");
    }
    let records = [
        json!({"type": "user", "cwd": env.here(), "message": {"content": CANARY}}),
        json!({"type": "attachment", "timestamp": "2026-11-01T10:00:00Z", "attachment": {
            "type": "skill_listing", "content": "- tidy: Sorts.\n- own: Built in.", "names": ["tidy", "own"], "isInitial": true,
        }}),
        json!({"type": "assistant", "message": {"content": [
            {"type": "tool_use", "name": "Skill", "input": {"skill": "tidy", "args": CANARY}},
        ]}}),
    ];
    let text = records.map(|record| record.to_string() + "\n").concat();
    env.file("../home/.claude/projects/here/a.jsonl", text);
    env
}

#[test]
fn an_agent_is_compared_with_its_transcript() {
    let printed = env().run(&["observed", "--agent", "claude"]).data();
    let expected = "claude-code: lists 2 skills on 2026-11-01T10:00:00Z, in `[WORLD]/home/.claude/projects/here/a.jsonl`
  own: listed, not predicted: no file of this name was found: it is built in, or was removed
  sort: predicted, not listed: it was added or changed after the list, or the profile is wrong
  not used in the last 30 days: `sort`
";
    assert_eq!(printed, expected);
}

#[test]
fn only_skills_leave_a_transcript() {
    let printed = env()
        .run(&["observed", "--agent", "claude", "--json"])
        .data();
    assert!(
        printed.contains("\"Sorts.\"") && !printed.contains(CANARY),
        "{printed}"
    );
}

#[test]
fn commands_find_the_same_agents() {
    let env = TestEnv::new();
    env.file("../home/.codex/auth.json", "{}")
        .file("../home/.cursor/skills/.keep", "");
    let hint = "note: left out, as only a folder hints at them: cursor; `--agent NAME` shows one\n";
    for command in ["status", "observed"] {
        let ran = env.run(&[command, "--json"]);
        let found: serde_json::Value = serde_json::from_str(&ran.stdout).expect("JSON");
        let agents = found["agents"].as_array().expect("a list").iter();
        let names: Vec<_> = agents.map(|agent| &agent["agent"]).collect();
        assert_eq!(names, ["codex"], "{command}");
        assert!(env.run(&[command]).stderr.contains(hint), "{command}");
    }
}

#[cfg(unix)]
#[test]
fn an_agent_is_started_only_if_asked() {
    use std::os::unix::fs::PermissionsExt;
    let env = TestEnv::new();
    let list = json!([{"name": "tidy", "description": "Sorts.", "path": "/x", "enabled": true}]);
    env.file(
        "bin/copilot",
        format!("#!/bin/sh\ntouch started\necho '{list}'\n"),
    );
    let program = env.here().join("bin/copilot");
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&program, mode).expect("an own file");
    let run = |more: &[&str]| {
        let mut command = env.command(&[&["observed", "--agent", "copilot-cli"], more].concat());
        let path = format!("{}:/usr/bin:/bin", env.here().join("bin").display());
        let output = command
            .env("PATH", path)
            .output()
            .expect("the program runs");
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    assert_eq!(run(&[]), "copilot-cli: no list for this folder was found\n");
    assert!(!env.here().join("started").exists());
    let asked = run(&["--ask"]);
    assert!(
        asked.starts_with("copilot-cli: lists 1 skill, in `copilot skill list --json`\n"),
        "{asked}"
    );
}
