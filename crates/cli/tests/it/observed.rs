//! `observed`: lists that agents left, beside the predictions.

use serde_json::json;
use snapbox::{assert_data_eq, file};

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
    let expected =
        "claude-code: lists 2 skills on 2026-11-01T10:00:00Z, in `~/.claude/projects/here/a.jsonl`
  own: listed, not predicted: no file of this name was found: it is built in, or was removed
  sort: predicted, not listed: it was added or changed after the list, or the profile is wrong
  not used in the last 30 days: `sort`
";
    assert_eq!(printed, expected);
}

#[test]
fn only_skills_leave_a_transcript() {
    for command in [
        &["observed"][..],
        &["status", "--observed"],
        &["why", "tidy", "--observed"],
    ] {
        let arguments = [command, &["--agent", "claude", "--json"]].concat();
        let printed = env().run(&arguments).data();
        assert!(
            printed.contains("Sorts.") && !printed.contains(CANARY),
            "{printed}"
        );
    }
}

#[test]
fn status_and_why_show_the_list() {
    let env = env();
    let status = env
        .run(&["status", "--observed", "--agent", "claude"])
        .data();
    assert_data_eq!(status, file!["screens/status-observed.txt"]);
    let why = |name| {
        env.run(&["why", name, "--observed", "--agent", "claude"])
            .data()
    };
    let shown = ["tidy", "sort", "own"].map(why).join("---\n");
    assert_data_eq!(shown, file!["screens/why-observed.txt"]);
    let failure = env.run(&["status", "--ask", "--agent", "claude"]).failure();
    assert_eq!(
        failure,
        "error: `--ask` has no effect without `--observed`\n |\n = help: add `--observed`\n"
    );
}

/// Answers one request of HTTP, and returns the address and the request.
fn served(answer: String) -> (String, std::thread::JoinHandle<String>) {
    use std::io::{BufRead, BufReader, Write};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address");
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a client");
        let mut lines = BufReader::new(&stream).lines().map_while(Result::ok);
        let request = lines.next().expect("a request");
        lines
            .by_ref()
            .take_while(|line| !line.is_empty())
            .for_each(drop);
        stream.write_all(answer.as_bytes()).expect("a reader");
        request
    });
    (format!("http://{address}"), server)
}

#[test]
fn a_running_server_of_opencode_is_asked() {
    let env = TestEnv::new();
    env.skill(".opencode/skills", "tidy", "Sorts.")
        .skill(".opencode/skills", "late", "Is new.");
    let path = env.here().join(".opencode/skills/tidy/SKILL.md");
    let list = json!([
        {"name": "tidy", "description": "Sorts.", "location": path, "content": CANARY},
        {"name": "own", "description": "Built in.", "location": "/own/SKILL.md", "content": CANARY},
    ])
    .to_string();
    let (first, rest) = list.split_at(20);
    let (address, server) = served(format!(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{:x}\r\n{first}\r\n{:x}\r\n{rest}\r\n0\r\n\r\n",
        first.len(),
        rest.len()
    ));
    let ask = format!("--ask={address}");
    let printed = env.run(&["observed", "--agent", "opencode", &ask]).data();
    let expected = format!(
        "opencode: lists 2 skills, in `GET {address}/skill`
  late: predicted, not listed: it was added or changed after the list, or the profile is wrong
  own: listed, not predicted: no file of this name was found: it is built in, or was removed
"
    );
    assert_eq!(printed, expected);
    let request = server.join().expect("the server answered");
    let folder = env.here().display().to_string();
    assert_eq!(request, format!("GET /skill?directory={folder} HTTP/1.1"));
    let (address, server) = served("HTTP/1.1 401 Unauthorized\r\n\r\n".to_owned());
    let ask = format!("--ask={address}");
    let refused = env
        .run(&["observed", "--agent", "opencode", &ask])
        .failure();
    assert_eq!(
        refused,
        format!(
            "error: `{address}` answered with `401`\n |\n = help: start a server with `opencode serve --pure --port 4096`\n"
        )
    );
    server.join().expect("the server answered");
    let gone = env
        .run(&["observed", "--agent", "opencode", &ask])
        .failure();
    assert_eq!(
        gone,
        format!(
            "error: no server runs at `{address}`\n |\n = help: start a server with `opencode serve --pure --port 4096`\n"
        )
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
