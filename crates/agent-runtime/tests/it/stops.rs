//! Stops and drops of a runner while it starts agents.

use std::future::ready;
use std::io;
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;

use parking_lot::Mutex;
use repertoire_agent_runtime::{
    AgentHost, AgentLifetime, AgentProgram, AgentRunner, HostMessage, KnownSkill, Launch,
    LaunchError, RunningAgent, Runtime, SkillCheck, SkillRef, SpawnError, Spawned,
};
use repertoire_agents::{AgentState, AgentStore, FailReason};
use serde_json::Value;
use tokio::sync::{Semaphore, mpsc};

use crate::bed::{TestBed, TestHost, request};
use crate::fake::fake_bed;

/// A place in a start that the test lets pass.
#[derive(Debug)]
struct Gate {
    reached: mpsc::UnboundedSender<()>,
    passes: Semaphore,
}

impl Gate {
    fn new() -> (Arc<Gate>, mpsc::UnboundedReceiver<()>) {
        let (reached, starts) = mpsc::unbounded_channel();
        let passes = Semaphore::new(0);
        (Arc::new(Gate { reached, passes }), starts)
    }

    async fn wait(&self) {
        self.reached.send(()).unwrap();
        self.passes.acquire().await.unwrap().forget();
    }
}

/// A runtime with a gate before the start of the process.
#[derive(Debug)]
struct GatedRuntime(Arc<dyn Runtime>, Arc<Gate>);

#[repertoire_core::async_trait]
impl Runtime for GatedRuntime {
    async fn start(&self, agent: Launch<'_>) -> io::Result<Box<dyn RunningAgent>> {
        self.1.wait().await;
        self.0.start(agent).await
    }
}

/// A host with a gate before the first step of a start.
struct GatedHost(Arc<TestHost>, Arc<Gate>);

#[repertoire_core::async_trait]
impl AgentHost for GatedHost {
    async fn program(&self, profile: &str) -> Result<AgentProgram, String> {
        self.1.wait().await;
        self.0.program(profile).await
    }

    async fn skill(&self, name: &str) -> Option<KnownSkill> {
        self.0.skill(name).await
    }

    async fn tools(&self) -> Vec<String> {
        self.0.tools().await
    }

    async fn verify(&self, skill: &SkillRef, folder: &Path) -> Vec<SkillCheck> {
        self.0.verify(skill, folder).await
    }
}

/// A runtime that blocks its thread after the start until the test answers.
#[derive(Debug)]
struct BlockingRuntime {
    inner: Arc<dyn Runtime>,
    reached: mpsc::UnboundedSender<()>,
    answer: Mutex<std::sync::mpsc::Receiver<()>>,
}

#[repertoire_core::async_trait]
impl Runtime for BlockingRuntime {
    async fn start(&self, agent: Launch<'_>) -> io::Result<Box<dyn RunningAgent>> {
        let started = self.inner.start(agent).await;
        self.reached.send(()).unwrap();
        self.answer.lock().recv().unwrap();
        started
    }
}

fn with_runtime(bed: &mut TestBed, runtime: impl Runtime) {
    bed.host = Arc::new(TestHost {
        runtime: Arc::new(runtime),
        ..TestHost::default()
    });
}

/// Stops the runner while a start waits at the gate; returns the answer to the request.
async fn stop_at(
    runner: &AgentRunner,
    gate: &Gate,
    starts: &mut mpsc::UnboundedReceiver<()>,
) -> Result<Spawned, SpawnError> {
    let mut spawning = pin!(runner.spawn(request("T-1", Value::Null)));
    tokio::select! {
        answer = &mut spawning => panic!("{answer:?}"),
        reached = starts.recv() => reached.unwrap(),
    }
    let mut stopping = pin!(runner.stop());
    tokio::select! {
        biased;
        () = &mut stopping => panic!("the stop does not wait for the start"),
        () = ready(()) => {}
    }
    gate.passes.add_permits(1);
    stopping.await;
    spawning.await
}

fn end_of(store: &dyn AgentStore) -> (AgentState, Option<FailReason>) {
    let agents = store.agents().unwrap();
    assert_eq!(agents.len(), 1);
    (agents[0].state, agents[0].fail_reason)
}

#[tokio::test(start_paused = true)]
async fn a_stop_ends_a_start_under_way() {
    let (mut bed, mut agents) = fake_bed(AgentLifetime::Ephemeral);
    let (gate, mut starts) = Gate::new();
    let runtime = GatedRuntime(Arc::clone(&bed.host.runtime), Arc::clone(&gate));
    with_runtime(&mut bed, runtime);
    let runner = bed.start().await;
    let answer = stop_at(&runner, &gate, &mut starts).await;
    assert!(matches!(answer, Ok(Spawned::Started(_))), "{answer:?}");
    let cancelled = (AgentState::Failed, Some(FailReason::Cancelled));
    assert_eq!(end_of(&*bed.store), cancelled);
    let mut agent = agents.recv().await.unwrap();
    assert_eq!(agent.receiver.recv().await, Some(HostMessage::Cancel));
    assert_eq!(agent.receiver.recv().await, None);
}

#[tokio::test(start_paused = true)]
async fn a_stopping_runner_starts_no_process() {
    let (bed, mut agents) = fake_bed(AgentLifetime::Ephemeral);
    let (gate, mut starts) = Gate::new();
    let host = GatedHost(Arc::clone(&bed.host), Arc::clone(&gate));
    let store = Arc::clone(&bed.store);
    let started = AgentRunner::start(store, Arc::new(host), bed.options.clone()).await;
    let answer = stop_at(&started.unwrap(), &gate, &mut starts).await;
    let cause = LaunchError::Stopped.to_string();
    assert!(
        matches!(&answer, Err(SpawnError::Failed { cause: found, .. }) if found.to_string() == cause),
        "{answer:?}"
    );
    let cancelled = (AgentState::Failed, Some(FailReason::Cancelled));
    assert_eq!(end_of(&*bed.store), cancelled);
    assert!(agents.try_recv().is_err());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_that_begins_after_a_drop_ends() {
    let (mut bed, mut agents) = fake_bed(AgentLifetime::Ephemeral);
    let (reached, mut starts) = mpsc::unbounded_channel();
    let (go_on, answer) = std::sync::mpsc::channel();
    let runtime = BlockingRuntime {
        inner: Arc::clone(&bed.host.runtime),
        reached,
        answer: Mutex::new(answer),
    };
    with_runtime(&mut bed, runtime);
    let runner = bed.start().await;
    tokio::select! {
        answer = runner.spawn(request("T-1", Value::Null)) => panic!("{answer:?}"),
        reached = starts.recv() => reached.unwrap(),
    }
    drop(runner);
    go_on.send(()).unwrap();
    let mut agent = agents.recv().await.unwrap();
    assert_eq!(agent.receiver.recv().await, None);
    // The row is left to the next start; a run that goes on ends it after the lease.
    assert_eq!(end_of(&*bed.store), (AgentState::Initializing, None));
}
