//! The life of agents: `examples/agents` from allocation to writeback, through a gateway of the real binary.

use std::fs;
use std::path::Path;
use std::process::Command;

use repertoire_cli::Exit;
use serde_json::{Value, json};

use crate::gateway::{Running, gateway};
use crate::test_env::{TestEnv, checkout};

fn git(folder: &Path, arguments: &[&str]) -> String {
    let identity = ["-c", "user.name=test", "-c", "user.email=test@localhost"];
    let ran = Command::new("git")
        .current_dir(folder)
        .args(identity)
        .args(arguments)
        .output()
        .expect("git is installed");
    assert!(ran.status.success(), "{ran:?}");
    String::from_utf8_lossy(&ran.stdout).trim().to_owned()
}

/// Copies the example into a repository, with this script in place of its own. Its port may be in use.
fn example(script: Option<&str>) -> TestEnv {
    let env = TestEnv::new();
    for name in ["repertoire.toml", "agent.sh"] {
        let text = fs::read_to_string(checkout("examples/agents").join(name));
        let text = text.expect("it is in the checkout");
        let text = text.replace("127.0.0.1:8322", "127.0.0.1:0");
        env.file(name, text);
    }
    if let Some(script) = script {
        env.file("agent.sh", script);
    }
    let here = &env.here();
    git(here, &["init", "--quiet", "--initial-branch", "main"]);
    git(here, &["add", "agent.sh"]);
    git(here, &["commit", "--quiet", "--message", "first"]);
    env
}

fn agents(env: &TestEnv, arguments: &[&str]) -> (Exit, Value) {
    let ran = env.run(&[&["agents"], arguments, &["--json"]].concat());
    let document = serde_json::from_str(&ran.stdout);
    (ran.exit, document.unwrap_or_else(|_| json!(ran.stderr)))
}

const SPAWN: [&str; 6] = [
    "spawn",
    "implementation",
    "Fix a typo",
    "--needs-write",
    "--state-dir",
    "state",
];

#[test]
fn a_task_runs_from_allocation_to_writeback() {
    let env = example(None);
    let _gateway = Running::start(&env, &[]);
    let (exit, spawned) = agents(&env, &[&SPAWN[..], &["--wait"]].concat());
    assert_eq!(exit, Exit::Success, "{spawned}");
    let agent = &spawned["agent"];
    assert_eq!(
        (&agent["state"], &agent["branch"], &agent["orphaned"]),
        (
            &json!("TERMINATED"),
            &json!("feature/fix-a-typo"),
            &json!(false)
        )
    );

    let log = git(&env.here(), &["log", "--format=%s", "feature/fix-a-typo"]);
    assert_eq!(log, "Fix a typo\nfirst");
    let id = agent["id"].as_str().expect("a text");
    let (_, shown) = agents(&env, &["show", id, "--store", "state/agents.db"]);
    let phases = shown["checkpoints"].as_array().expect("a list").iter();
    let phases: Vec<_> = phases.map(|one| one["phase"].clone()).collect();
    assert_eq!(phases, ["GATHER", "ANALYZE", "PLAN", "APPLY", "VERIFY"]);
    let rows = shown["audit"].as_array().expect("a list").iter();
    let states: Vec<_> = rows.filter_map(|row| row["to"].as_str()).collect();
    let mut changes = states.clone();
    changes.dedup();
    assert_eq!(
        changes,
        ["PENDING", "INITIALIZING", "READY", "BUSY", "TERMINATED"]
    );
    let (exit, _) = agents(&env, &["audit", "verify", "--store", "state/agents.db"]);
    assert_eq!(exit, Exit::Success);
}

#[test]
fn a_request_that_waits_prints_its_key() {
    let env = example(None);
    let file = env.here().join("repertoire.toml");
    let text = fs::read_to_string(&file).expect("it was written");
    let full = text.replace("max = 2", "max = 0");
    assert_ne!(full, text);
    fs::write(&file, full).expect("it can be written");
    let _gateway = Running::start(&env, &[]);
    let ran = env.run(&[&["agents"], &SPAWN[..], &["--key", "k1"]].concat());
    assert_eq!(
        (ran.exit, ran.stdout.as_str()),
        (
            Exit::Success,
            "the pool is full; the request waits: ask again with `--key k1`\n"
        ),
        "{}",
        ran.stderr
    );
    let (exit, waiting) = agents(&env, &[&SPAWN[..], &["--key", "k2"]].concat());
    assert_eq!(
        (exit, &waiting["agent"], &waiting["key"]),
        (Exit::Success, &Value::Null, &json!("k2")),
        "{waiting}"
    );
}

#[test]
fn an_agent_that_hangs_is_cancelled() {
    let env = example(Some("read -r ticket\nsleep 600 &\nsleep 600\n"));
    let started = Running::start(&env, &[]);
    let (_, spawned) = agents(&env, &SPAWN);
    let id = spawned["agent"]["id"].as_str().expect("a text").to_owned();
    let (exit, cancelled) = agents(&env, &["cancel", &id, "--state-dir", "state"]);
    let cancelled = &cancelled["agent"];
    assert_eq!(
        (exit, &cancelled["state"], &cancelled["fail_reason"]),
        (Exit::Success, &json!("FAILED"), &json!("cancelled"))
    );
    let unknown = agents(&env, &["cancel", "none", "--state-dir", "state"]);
    assert_eq!(unknown.0, Exit::Failure);
    assert_eq!(gateway(&env, "stop").0, Exit::Success);
    assert_eq!(started.end().0, Some(0));
}

#[test]
fn lost_agents_are_ended_after_a_question() {
    let env = TestEnv::new();
    crate::agents::write_store(&env);
    let fix = ["orphans", "--fix", "--store", "agents.db"];
    let (exit, refused) = agents(&env, &fix);
    assert_eq!(exit, Exit::Failure);
    let refused = refused.as_str().expect("a message");
    assert!(refused.contains("cannot prompt"), "{refused}");
    fs::create_dir_all(env.here().join("worktrees/lost")).expect("a folder");
    let (exit, fixed) = agents(&env, &[&fix[..], &["--yes"]].concat());
    let worktrees = fixed["worktrees"].as_array().map(Vec::len);
    assert_eq!(
        (exit, &fixed["fixed"], worktrees),
        (Exit::Success, &json!(true), Some(1))
    );
    let (exit, left) = agents(&env, &["orphans", "--store", "agents.db"]);
    assert_eq!(
        (exit, &left["stale_reservations"]),
        (Exit::Problems, &json!([]))
    );
}

#[test]
fn a_command_needs_a_running_gateway() {
    let env = TestEnv::new();
    let (exit, error) = agents(&env, &SPAWN);
    assert_eq!(exit, Exit::Failure);
    let error = error.as_str().expect("a message");
    assert!(error.contains("no gateway listens at"), "{error}");
    let (exit, error) = agents(&env, &[&SPAWN[..], &["--store", "agents.db"]].concat());
    assert_eq!(exit, Exit::Failure);
    let error = error.as_str().expect("a message");
    assert!(error.contains("`--store` has no effect"), "{error}");
}
