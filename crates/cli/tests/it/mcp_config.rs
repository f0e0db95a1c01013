//! `mcp config`.

use std::fs;

use repertoire_cli::Exit;
use serde_json::{Value, json};

use crate::test_env::TestEnv;

#[test]
fn source_options_become_arguments_of_the_server() {
    let env = TestEnv::new();
    let ran = env.run(&[
        "mcp",
        "config",
        "--agent",
        "codex",
        "--root",
        "a b",
        "--trust-project",
        "--",
        "--any-client",
    ]);
    let expected = "[mcp_servers.repertoire]\ncommand = \"repertoire\"\nargs = [\n    \"serve\",\n    \"--root\",\n    \
        \"[WORLD]/here/a b\",\n    \"--trust-project\",\n    \"--any-client\",\n]\n";
    assert_eq!(ran.stdout, expected);
    assert_eq!(
        ran.stderr,
        "note: add this to `~/.codex/config.toml`, keeping the existing entries, or pass --write\n"
    );
    let url = ["--root", "a", "--url", "http://127.0.0.1:1/mcp"];
    let failure = env
        .run(&[&["mcp", "config", "--agent", "codex"][..], &url].concat())
        .failure();
    assert!(
        failure.starts_with("error: `--root` has no effect with `--url`\n"),
        "{failure}"
    );
}

#[test]
fn the_agent_is_named_or_installed() {
    let env = TestEnv::new();
    let failure = env.run(&["mcp", "config"]).failure();
    assert!(
        failure.starts_with("error: expected `--agent`"),
        "{failure}"
    );
    let failure = env.run(&["mcp", "config", "--agent", "nobody"]).failure();
    assert!(
        failure.contains("claude-desktop, claude-code, cursor"),
        "{failure}"
    );
    env.file("../home/.codex/auth.json", "{}");
    let ran = env.run(&["mcp", "config", "--json"]);
    let found: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    assert_eq!(found["configurations"][0]["agent"], "codex");
    assert_eq!(found["configurations"][0]["written"], Value::Null);
}

#[test]
fn a_configuration_is_merged_with_a_backup() {
    let env = TestEnv::new();
    let before = "{\n  // Mine.\n  \"theme\": \"One\"\n}\n";
    env.file("../home/.config/zed/settings.json", before);
    let file = env.here().join("../home/.config/zed/settings.json");
    let typed = ["mcp", "config", "--agent", "zed", "--write"];
    let path = "[WORLD]/home/.config/zed/settings.json";
    assert_eq!(
        env.run(&typed).data(),
        format!("changed `{path}`; the file before is `{path}.bak`\n")
    );
    let after = fs::read_to_string(&file).expect("the file");
    let start = "{\n  // Mine.\n  \"theme\": \"One\",\n  \"context_servers\": {";
    assert!(after.starts_with(start), "{after}");
    let backup = file.with_extension("json.bak");
    assert_eq!(fs::read_to_string(backup).expect("a backup"), before);
    assert_eq!(
        env.run(&typed).data(),
        format!("`{path}` has this server already\n")
    );
    env.file("../home/.config/zed/settings.json", "{ \"theme\": ");
    let failure = env.run(&typed).failure();
    assert!(
        failure.starts_with(&format!("error: cannot change `{path}`: ")),
        "{failure}"
    );
    assert_eq!(
        fs::read_to_string(&file).expect("the file"),
        "{ \"theme\": "
    );
}

#[test]
fn a_missing_configuration_is_created() {
    let env = TestEnv::new();
    let ran = env.run(&[
        "mcp",
        "config",
        "--agent",
        "claude",
        "--write",
        "--program",
        "/bin/x",
    ]);
    assert_eq!(ran.data(), "created `[WORLD]/here/.mcp.json`\n");
    let text = fs::read_to_string(env.here().join(".mcp.json")).expect("the file");
    let found: Value = serde_json::from_str(&text).expect("JSON");
    let server = json!({"type": "stdio", "command": "/bin/x", "args": ["serve"]});
    assert_eq!(found, json!({"mcpServers": {"repertoire": server}}));
}

#[test]
fn a_check_starts_the_server() {
    let env = TestEnv::new();
    env.skill("skills", "tidy", "Sorts.");
    let run = |more: &[&str]| {
        let typed = [
            "mcp",
            "config",
            "--agent",
            "cursor",
            "--root",
            "skills",
            "--no-defaults",
            "--check",
        ];
        env.run(&[&typed[..], more].concat())
    };
    let ran = run(&["--program", env!("CARGO_BIN_EXE_repertoire")]);
    assert_eq!(ran.exit, Exit::Success, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("note: the server lists 1 skill: "),
        "{}",
        ran.stderr
    );
    let failure = run(&["--write", "--program", "/bin/false"]).failure();
    assert!(
        failure.starts_with("error: the server does not work: "),
        "{failure}"
    );
    assert!(!env.here().join("../home/.cursor/mcp.json").exists());
}

#[cfg(unix)]
#[test]
fn the_program_has_an_absolute_path() {
    let env = TestEnv::new();
    let bin = env.here().join("bin");
    fs::create_dir(&bin).expect("a fresh folder");
    let link = bin.join("repertoire");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_repertoire"), &link).expect("a fresh link");
    let mut command = env.command(&["mcp", "config", "--agent", "cursor"]);
    let output = command
        .env("PATH", &bin)
        .output()
        .expect("the program runs");
    let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(found["mcpServers"]["repertoire"]["command"], json!(link));
}
