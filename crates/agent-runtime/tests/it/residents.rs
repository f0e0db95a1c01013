//! Resident agents, queues and keys.

use std::time::Duration;

use repertoire_agent_runtime::{
    AgentLifetime, AgentMessage, HostMessage, RunnerError, RunnerEventKind, Spawned,
};
use repertoire_agents::{
    AgentPool, AgentState, AgentStore, FailReason, PoolSettings, WritebackKind,
};
use serde_json::{Value, json};

use crate::bed::{request, spawn};
use crate::fake::{BusyRun, FakeAgent, fake_bed};

pub(crate) async fn complete(agent: &mut FakeAgent, task: &str) {
    let branch = format!("feature/{}", task.to_lowercase());
    let thought = json!({
        "task_id": task, "type": "reflection", "branch": branch,
        "commit_sha": "0123456", "tests_run": [], "blockers": [],
    });
    let update = json!({ "status": "done", "progress": 100, "summary": "done" });
    for (kind, record) in [
        (WritebackKind::TaskUpdate, update),
        (WritebackKind::ThoughtRecord, thought),
    ] {
        agent.send(AgentMessage::Writeback { kind, record });
        assert_eq!(agent.receiver.recv().await, Some(HostMessage::Accepted));
    }
    agent.send(AgentMessage::Done);
    assert_eq!(agent.receiver.recv().await, Some(HostMessage::Accepted));
}

#[tokio::test(start_paused = true)]
async fn resident_agents_take_further_tasks() {
    let mut run = BusyRun::begin(AgentLifetime::Resident).await;
    let busy = run
        .runner
        .assign(&run.ticket.agent_id, "T-2")
        .await
        .unwrap_err();
    assert!(matches!(
        busy,
        RunnerError::State {
            expected: AgentState::Ready,
            found: AgentState::Busy
        }
    ));
    complete(&mut run.agent, "T-1").await;
    let assigned = run
        .runner
        .assign(&run.ticket.agent_id, "T-2")
        .await
        .unwrap();
    assert_eq!(
        (assigned.state, &*assigned.task_id),
        (AgentState::Busy, "T-2")
    );
    let message = run.agent.receiver.recv().await;
    assert!(matches!(message, Some(HostMessage::Assigned { task_id, .. }) if task_id == "T-2"));
    complete(&mut run.agent, "T-2").await;
    let retired = run.runner.retire(&run.ticket.agent_id).await.unwrap();
    assert_eq!(retired.state, AgentState::Terminated);
}

#[tokio::test(start_paused = true)]
async fn resident_agents_restart_up_to_a_cap() {
    let (mut bed, mut agents) = fake_bed(AgentLifetime::Resident);
    bed.options.most_restarts = 20;
    let runner = bed.start().await;
    let mut events = runner.events();
    spawn(&runner, request("T-1", Value::Null)).await;
    for _ in 0..21 {
        let mut agent = agents.recv().await.unwrap();
        agent.begin().await;
        agent.crash();
    }
    let (mut delays, mut failed) = (Vec::new(), Vec::new());
    while failed.len() < 21 {
        let event = events.recv().await.unwrap();
        match event.kind {
            RunnerEventKind::Restart { delay_ms, .. } => delays.push(delay_ms),
            RunnerEventKind::State {
                state: AgentState::Failed,
                reason,
                ..
            } => {
                assert_eq!(reason, Some(FailReason::Crash));
                failed.push(event.agent_id);
            }
            _ => {}
        }
    }
    tokio::time::sleep(Duration::from_secs(600)).await;
    assert!(agents.try_recv().is_err());
    assert_eq!(
        delays[..9],
        [250, 500, 1000, 2000, 4000, 8000, 16_000, 32_000, 60_000]
    );
    assert_eq!((delays.len(), delays[19]), (20, 60_000));
    let replaced = bed.store.agents().unwrap();
    let replaced = replaced.into_iter().filter_map(|agent| agent.retry_of);
    assert_eq!(replaced.collect::<Vec<_>>(), failed[..20]);
}

#[tokio::test(start_paused = true)]
async fn ephemeral_agents_run_once() {
    let mut run = BusyRun::begin(AgentLifetime::Ephemeral).await;
    run.agent.crash();
    run.ended().await;
    tokio::time::sleep(Duration::from_secs(600)).await;
    assert!(run.agents.try_recv().is_err());
    assert_eq!(run.bed.store.agents().unwrap().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_restart_does_not_happen() {
    let mut run = BusyRun::begin(AgentLifetime::Resident).await;
    run.agent.crash();
    while !matches!(
        run.events.recv().await.unwrap().kind,
        RunnerEventKind::Restart { .. }
    ) {}
    run.runner.cancel(&run.ticket.agent_id).await.unwrap();
    tokio::time::sleep(Duration::from_secs(600)).await;
    assert!(run.agents.try_recv().is_err());
}

fn keep_one_place(store: &dyn AgentStore) {
    let one = PoolSettings {
        max: 1,
        ..PoolSettings::default()
    };
    store.put_pool(AgentPool::Implementation, one).unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_waiting_request_gets_the_next_place() {
    let (bed, mut agents) = fake_bed(AgentLifetime::Ephemeral);
    keep_one_place(&*bed.store);
    let runner = bed.start().await;
    let first = spawn(&runner, request("T-1", Value::Null)).await;
    let second = runner.spawn(request("T-2", Value::Null)).await.unwrap();
    assert_eq!(second, Spawned::Queued);
    agents.recv().await.unwrap();
    runner.cancel(&first.agent_id).await.unwrap();
    let mut agent = agents.recv().await.unwrap();
    agent.begin().await;
    let ticket = spawn(&runner, request("T-2", Value::Null)).await;
    assert_eq!(ticket.task_id, "T-2");
}

#[tokio::test(start_paused = true)]
async fn a_request_that_waits_is_kept_once() {
    let (bed, mut agents) = fake_bed(AgentLifetime::Ephemeral);
    keep_one_place(&*bed.store);
    let runner = bed.start().await;
    let first = spawn(&runner, request("T-1", Value::Null)).await;
    let _lives = agents.recv().await.unwrap();
    for _ in 0..3 {
        let asked = runner.spawn(request("T-2", Value::Null)).await.unwrap();
        assert_eq!(asked, Spawned::Queued);
    }
    runner.cancel(&first.agent_id).await.unwrap();
    let mut agent = agents.recv().await.unwrap();
    agent.begin().await;
    complete(&mut agent, "T-2").await;
    tokio::time::sleep(Duration::from_secs(600)).await;
    assert!(agents.try_recv().is_err());
    let tasks = bed.store.agents().unwrap().into_iter();
    let mut tasks: Vec<_> = tasks.map(|agent| agent.task_id).collect();
    tasks.sort();
    assert_eq!(tasks, ["T-1", "T-2"]);
}

#[tokio::test(start_paused = true)]
async fn a_key_starts_one_agent() {
    let (bed, mut agents) = fake_bed(AgentLifetime::Ephemeral);
    let runner = std::sync::Arc::new(bed.start().await);
    let requests = (0..20).map(|_| {
        let runner = std::sync::Arc::clone(&runner);
        tokio::spawn(async move { runner.spawn(request("T-1", Value::Null)).await.unwrap() })
    });
    let mut started = Vec::new();
    for request in requests.collect::<Vec<_>>() {
        started.push(request.await.unwrap());
    }
    let tickets = started.iter().filter_map(|spawned| match spawned {
        Spawned::Started(ticket) => Some(ticket),
        _ => None,
    });
    let ids: std::collections::BTreeSet<_> = tickets.map(|ticket| &ticket.agent_id).collect();
    assert_eq!(ids.len(), 1);
    agents.recv().await.unwrap();
    assert!(agents.try_recv().is_err());
    assert_eq!(bed.store.agents().unwrap().len(), 1);
}
