//! Commands that change agents.

use std::fs;

use repertoire_cli::Exit;
use serde_json::{Value, json};

use crate::test_env::TestEnv;

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
