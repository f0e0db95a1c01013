//! A host for tests, with a store in memory and scripted agents.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use repertoire_agent_runtime::{
    AgentHost, AgentLifetime, AgentProgram, AgentRunner, KnownSkill, ProcessRuntime, RunnerEvent,
    RunnerEventKind, RunnerOptions, Runtime, SkillCheck, SkillRef, SpawnRequest, Spawned, Ticket,
};
use repertoire_agents::{
    AgentPool, AgentRecord, AgentStore, AllocationRequest, MemoryAgentStore, PoolSettings,
};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::broadcast;

/// The longest time for the end of an agent, also in tests that pause the clock.
pub(crate) const LONG: Duration = Duration::from_secs(400);

pub(crate) fn scripted_agent() -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    let built = tests.parent().unwrap().parent().unwrap();
    let path = built.join("examples/scripted_agent");
    assert!(path.exists(), "`{}` was not built", path.display());
    path
}

/// A host whose answers tests set.
pub(crate) struct TestHost {
    pub(crate) runtime: Arc<dyn Runtime>,
    pub(crate) lifetime: AgentLifetime,
    pub(crate) command: PathBuf,
    pub(crate) args: Vec<String>,
    pub(crate) skills: Mutex<BTreeMap<String, KnownSkill>>,
    pub(crate) tools: Mutex<Vec<String>>,
    pub(crate) checks: Mutex<Vec<SkillCheck>>,
}

impl Default for TestHost {
    fn default() -> Self {
        Self {
            runtime: Arc::new(ProcessRuntime::default()),
            lifetime: AgentLifetime::Ephemeral,
            command: scripted_agent(),
            args: Vec::new(),
            skills: Mutex::default(),
            tools: Mutex::default(),
            checks: Mutex::default(),
        }
    }
}

#[repertoire_core::async_trait]
impl AgentHost for TestHost {
    async fn program(&self, _profile: &str) -> Result<AgentProgram, String> {
        let mut program = AgentProgram::new(&self.command, Arc::clone(&self.runtime));
        program.lifetime = self.lifetime;
        program.args = self.args.iter().map(Into::into).collect();
        let path = std::env::var_os("PATH").unwrap_or_default();
        program.environment = vec![("PATH".into(), path)];
        Ok(program)
    }

    async fn skill(&self, name: &str) -> Option<KnownSkill> {
        self.skills.lock().get(name).cloned()
    }

    async fn tools(&self) -> Vec<String> {
        self.tools.lock().clone()
    }

    async fn verify(&self, _skill: &SkillRef, _folder: &Path) -> Vec<SkillCheck> {
        self.checks.lock().clone()
    }
}

/// A runner with a folder of its own.
pub(crate) struct TestBed {
    pub(crate) folder: TempDir,
    pub(crate) store: Arc<MemoryAgentStore>,
    pub(crate) host: Arc<TestHost>,
    pub(crate) options: RunnerOptions,
}

impl TestBed {
    pub(crate) fn new(host: TestHost) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().join("state");
        let work = folder.path().join("work");
        std::fs::create_dir(&work).unwrap();
        let mut options = RunnerOptions::new(state, work);
        options.supervisor = vec![scripted_agent().into(), "supervise".into()];
        let store = Arc::new(MemoryAgentStore::default());
        put_profile(&*store, json!({}));
        Self {
            folder,
            store,
            host: Arc::new(host),
            options,
        }
    }

    pub(crate) fn work(&self) -> &Path {
        &self.options.folder
    }

    pub(crate) async fn start(&self) -> AgentRunner {
        let (store, host) = (Arc::clone(&self.store), Arc::clone(&self.host));
        let started = AgentRunner::start(store, host, self.options.clone()).await;
        started.unwrap()
    }
}

/// Sets the only profile, which may do everything, with changes.
pub(crate) fn put_profile(store: &dyn AgentStore, changes: Value) {
    let mut profile = json!({
        "agent_type": "coder",
        "skills": ["*"],
        "permissions": { "tools": ["*"], "write_access": true },
        "limits": { "max_concurrent_tasks": 64, "token_budget": 1000, "timeout_ms": 300_000 },
        "reusable": true,
        // Failures of an agent with a good history do not exclude it.
        "history": { "successes": 100_000 },
    });
    for (key, value) in changes.as_object().unwrap() {
        profile[key] = value.clone();
    }
    let profile = serde_json::from_value(profile).unwrap();
    store.put_profile("coder", &profile).unwrap();
    let settings = PoolSettings {
        max: 64,
        ..PoolSettings::default()
    };
    store.put_pool(AgentPool::Implementation, settings).unwrap();
}

pub(crate) fn request(task: &str, context: Value) -> SpawnRequest {
    let key = format!("{task}/first");
    let allocation = AllocationRequest::new(task, AgentPool::Implementation, key);
    let mut request = SpawnRequest::new(allocation);
    request.context = context;
    request
}

pub(crate) async fn spawn(runner: &AgentRunner, request: SpawnRequest) -> Ticket {
    match runner.spawn(request).await.unwrap() {
        Spawned::Started(ticket) => *ticket,
        other => panic!("expected a started agent, found {other:?}"),
    }
}

/// The end of a run, with what was seen before.
#[derive(Debug)]
pub(crate) struct Seen {
    pub(crate) record: AgentRecord,
    pub(crate) detail: Option<String>,
    pub(crate) output: Vec<String>,
}

/// Waits for the end of an agent.
pub(crate) async fn until_ended(
    runner: &AgentRunner,
    events: &mut broadcast::Receiver<RunnerEvent>,
    id: &str,
) -> Seen {
    let mut output = Vec::new();
    loop {
        let event = tokio::time::timeout(LONG, events.recv()).await;
        let event = event.expect("the agent ends in time").unwrap();
        if event.agent_id != id {
            continue;
        }
        match event.kind {
            RunnerEventKind::Output { line } => output.push(line),
            RunnerEventKind::State { state, detail, .. } if state.is_final() => {
                return Seen {
                    record: runner.status(id).await.unwrap().record,
                    detail,
                    output,
                };
            }
            _ => {}
        }
    }
}

/// Runs a scripted agent to its end.
pub(crate) async fn run_script(bed: &TestBed, steps: &[&str]) -> Seen {
    let runner = bed.start().await;
    let mut events = runner.events();
    let ticket = spawn(&runner, request("T-1", json!(steps))).await;
    until_ended(&runner, &mut events, &ticket.agent_id).await
}

/// Returns whether a process lives; one that waits for its parent does not.
pub(crate) fn is_alive(process: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let state = stat
        .rsplit_once(") ")
        .and_then(|(_, rest)| rest.chars().next());
    state.is_some_and(|state| state != 'Z' && state != 'X')
}
