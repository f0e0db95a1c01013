//! Two gateways of the real binary on one Postgres database, one of which is killed again and again.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use repertoire_agents::{AgentState, AgentStore, FailReason, PostgresAgentStore};
use repertoire_cli::Exit;
use rustix::process::{Signal, kill_process};
use serde_json::Value;

use crate::gateway::{Running, gateway};
use crate::test_env::TestEnv;

const PLACES: usize = 2;
const KILLS: usize = 10;

/// No request waits, so that every place is contended.
const FILE: &str = r#"
[gateway]
watch = false

[gateway.agents]
store = "[STORE]"

[gateway.agents.pools.research]
max = 2
queue-max = 0

[[registries.agents]]
id = "worker"
command = "/bin/sh"
args = ["agent.sh"]
limits = { max-concurrent-tasks = 64 }
"#;

/// An agent that has its place for a moment, and writes back what the task `T` owes.
const SCRIPT: &str = r#"read -r ticket
echo '{"type":"ready"}'
read -r assigned
sleep 0.05
echo '{"type":"writeback","kind":"task_update","record":{"status":"done","progress":100,"summary":"Done."}}'
read -r answer
echo '{"type":"writeback","kind":"thought_record","record":{"task_id":"T","type":"reflection","branch":"feature/t","commit_sha":"none","tests_run":[],"blockers":[]}}'
read -r answer
echo '{"type":"done"}'
read -r answer
"#;

/// A database of the server whose socket is in `REPERTOIRE_TEST_POSTGRES`, dropped at the end.
struct Database {
    server: [String; 6],
    name: String,
}

impl Database {
    /// Creates an empty database; `None` if the tests have no server.
    fn create() -> Option<Database> {
        let Ok(folder) = std::env::var("REPERTOIRE_TEST_POSTGRES") else {
            eprintln!(
                "SKIPPED, not checked: `REPERTOIRE_TEST_POSTGRES` names no folder of a server's socket"
            );
            return None;
        };
        let port = std::env::var("REPERTOIRE_TEST_POSTGRES_PORT");
        let port = port.unwrap_or_else(|_| "5432".to_owned());
        let server = ["-h", &folder, "-p", &port, "-U", "agents"].map(str::to_owned);
        let name = format!("gateways_{}", std::process::id());
        let database = Database { server, name };
        database.call("createdb", &[]);
        Some(database)
    }

    fn address(&self) -> String {
        let [_, folder, _, port, ..] = &self.server;
        format!(
            "postgres:///{}?host={folder}&port={port}&user=agents",
            self.name
        )
    }

    fn call(&self, program: &str, options: &[&str]) {
        let mut command = Command::new(program);
        command.args(&self.server).args(options).arg(&self.name);
        let status = command.status().expect("Postgres has this program");
        assert!(status.success(), "`{program}` failed");
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        self.call("dropdb", &["--force"]);
    }
}

/// Asks for agents until the end; returns the agent of each key that got one.
fn ask_for_agents(
    env: &TestEnv,
    next: &AtomicUsize,
    is_over: &AtomicBool,
) -> BTreeMap<usize, String> {
    let mut got = BTreeMap::new();
    while !is_over.load(Ordering::Relaxed) {
        // Both gateways are asked for the same keys.
        let number = next.fetch_add(1, Ordering::Relaxed) / 2;
        let key = format!("k{number}");
        let spawn = ["agents", "spawn", "research", "T", "--key", &key];
        let ran = env.run(&[&spawn[..], &["--state-dir", "state", "--json"]].concat());
        // The pool is full, or the gateway was killed.
        if ran.exit != Exit::Success {
            continue;
        }
        let answer: Value = serde_json::from_str(&ran.stdout).expect("a document");
        if let Some(id) = answer["agent"]["id"].as_str() {
            got.insert(number, id.to_owned());
        }
    }
    got
}

#[test]
fn a_killed_gateway_gives_no_place_twice() {
    let Some(database) = Database::create() else {
        return;
    };
    let file = FILE.replace("[STORE]", &database.address());
    let envs = [TestEnv::new(), TestEnv::new()];
    for env in &envs {
        env.file("repertoire.toml", &file).file("agent.sh", SCRIPT);
    }
    let store = PostgresAgentStore::connect(&database.address()).expect("the server runs");
    let (next, is_over) = (AtomicUsize::new(0), AtomicBool::new(false));
    let survivor = Running::start(&envs[1], &[]);
    let got = std::thread::scope(|scope| {
        let asking = [0, 1].map(|at| {
            let (env, next, is_over) = (&envs[at], &next, &is_over);
            scope.spawn(move || ask_for_agents(env, next, is_over))
        });
        for kill in 0..KILLS {
            let killed = Running::start(&envs[0], &[]);
            let count = || store.agents().expect("the server runs").len();
            let before = count();
            while count() < before + 10 + kill {
                std::thread::yield_now();
            }
            kill_process(killed.process(), Signal::KILL).expect("it is ours");
            killed.end();
        }
        let last = Running::start(&envs[0], &[]);
        is_over.store(true, Ordering::Relaxed);
        let got = asking.map(|asking| asking.join().expect("no panic"));
        assert_eq!(gateway(&envs[0], "stop").0, Exit::Success);
        assert_eq!(last.end().0, Some(0));
        got
    });
    assert_eq!(gateway(&envs[1], "stop").0, Exit::Success);
    assert_eq!(survivor.end().0, Some(0));

    for (number, id) in &got[0] {
        let other = got[1].get(number);
        assert!(other.is_none_or(|other| other == id), "key {number}");
    }
    store.verify_audit().expect("the log is intact");
    let agents = store.agents().expect("the server runs");
    let mut rows = BTreeSet::new();
    for agent in &agents {
        assert!(agent.state.is_final(), "{agent:?}");
        let audit = store.audit(&agent.id).expect("the server runs");
        let starts = audit
            .iter()
            .filter(|row| row.to.as_deref() == Some("INITIALIZING"));
        assert!(starts.count() <= 1, "{agent:?}");
        rows.extend(audit.into_iter().map(|row| (row.seq, row.to, &agent.id)));
    }
    let mut living = BTreeSet::new();
    for (seq, to, id) in rows {
        match to.as_deref() {
            Some("TERMINATED" | "FAILED") => living.remove(id),
            Some(_) => living.insert(id),
            None => false,
        };
        assert!(living.len() <= PLACES, "at row {seq}: {living:?}");
    }
    let count = |reason| {
        agents
            .iter()
            .filter(|one| one.fail_reason == reason)
            .count()
    };
    let lost = count(Some(FailReason::LeaseExpired));
    let done = agents
        .iter()
        .filter(|one| one.state == AgentState::Terminated);
    let done = done.count();
    println!(
        "{KILLS} kills, {} agents, {done} done, {lost} lost with their gateway",
        agents.len()
    );
    assert!(done > 0 && lost > 0);
}
