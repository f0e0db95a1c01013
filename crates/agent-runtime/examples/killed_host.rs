//! A host that runs agents until it kills itself: at the call of its clock with the number `at`, or never for 0.
//!
//! The arguments are the database, the repository, the folder for worktrees, the state folder, the program of agents, the first
//! number of a task, the count of tasks, and `at`. A second number after a comma kills the host after so many started processes instead.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a program for tests"
)]

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::SystemTime;

use repertoire_agent_runtime::{
    AgentHost, AgentProgram, AgentRunner, KnownSkill, Launch, ProcessRuntime, RunnerEventKind,
    RunnerOptions, RunningAgent, Runtime, SkillCheck, SkillRef, SpawnRequest, Worktrees,
};
use repertoire_agents::{AgentPool, AllocationRequest, SqliteAgentStore};
use repertoire_core::Digest;
use serde_json::json;

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build();
    runtime.unwrap().block_on(run());
}

async fn run() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [database, repository, root, state, agent, first, count, at] = &arguments[..] else {
        panic!("expected eight arguments");
    };
    let (at, started) = at.split_once(',').unwrap_or((at, "0"));
    let calls = Countdown::new(at);
    let mut options = RunnerOptions::new(state, root);
    options.supervisor = vec![agent.into(), "supervise".into()];
    let variables: Arc<[_]> = std::env::vars_os().collect();
    options.worktrees = Some(Worktrees::new(repository, root).with_variables(variables));
    options.clock = Arc::new(move || {
        calls.count();
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        u64::try_from(since.unwrap().as_millis()).unwrap()
    });
    let host = Arc::new(KilledHost {
        agent: agent.into(),
        runtime: Arc::new(KillingRuntime(Countdown::new(started))),
    });
    let store = Arc::new(SqliteAgentStore::open(database).unwrap());
    let runner = AgentRunner::start(store, host, options).await.unwrap();
    println!("recovered {}", runner.recovered().failed.len());
    let mut events = runner.events();
    let first: u32 = first.parse().unwrap();
    let count: u32 = count.parse().unwrap();
    for number in first..first + count {
        let allocation = AllocationRequest::new(
            format!("T-{number}"),
            AgentPool::Implementation,
            format!("K-{number}"),
        );
        let mut request = SpawnRequest::new(allocation);
        request.skills.push(SkillRef::new("review"));
        let fork = ["child", "session", "double", "naked"][number as usize % 4];
        request.context = json!([
            "ready",
            "phase=GATHER",
            format!("fork={fork}"),
            "phase=APPLY",
            "task=done",
            "thought",
            "done"
        ]);
        println!("spawned {}", runner.spawn(request).await.is_ok());
    }
    let mut open = count;
    while open > 0 {
        if let RunnerEventKind::State { state, .. } = events.recv().await.unwrap().kind {
            println!("{state}");
            open -= u32::from(state.is_final());
        }
    }
}

/// Kills this process when it reaches zero.
#[derive(Debug)]
struct Countdown(AtomicU32);

impl Countdown {
    fn new(text: &str) -> Self {
        Self(AtomicU32::new(text.parse().unwrap()))
    }

    fn count(&self) {
        if self.0.load(Ordering::SeqCst) > 0 && self.0.fetch_sub(1, Ordering::SeqCst) == 1 {
            let this = rustix::process::getpid();
            rustix::process::kill_process(this, rustix::process::Signal::KILL).unwrap();
        }
    }
}

/// Starts a process, and may kill the host right after.
#[derive(Debug)]
struct KillingRuntime(Countdown);

#[repertoire_core::async_trait]
impl Runtime for KillingRuntime {
    async fn start(&self, agent: Launch<'_>) -> io::Result<Box<dyn RunningAgent>> {
        let started = ProcessRuntime::default().start(agent).await;
        self.0.count();
        started
    }
}

struct KilledHost {
    agent: PathBuf,
    runtime: Arc<KillingRuntime>,
}

#[repertoire_core::async_trait]
impl AgentHost for KilledHost {
    async fn program(&self, _profile: &str) -> Result<AgentProgram, String> {
        let runtime: Arc<dyn Runtime> = Arc::clone(&self.runtime) as _;
        let mut program = AgentProgram::new(&self.agent, runtime);
        program.environment = vec![("PATH".into(), "/usr/bin:/bin".into())];
        Ok(program)
    }

    async fn skill(&self, _name: &str) -> Option<KnownSkill> {
        Some(KnownSkill::new(Digest::of(b"review")))
    }

    async fn tools(&self) -> Vec<String> {
        Vec::new()
    }

    async fn verify(&self, _skill: &SkillRef, _folder: &Path) -> Vec<SkillCheck> {
        Vec::new()
    }
}
