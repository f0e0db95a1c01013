//! Leases, time limits, budgets and fencing, in tokio's time.

use std::time::Duration;

use repertoire_agent_runtime::{AgentLifetime, AgentMessage, HostMessage};
use repertoire_agents::{AgentState, AgentStore, FailReason, WritebackKind};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::bed::{request, spawn, until_ended};
use crate::fake::{BusyRun, fake_bed};

#[tokio::test(start_paused = true)]
async fn a_silent_agent_is_lost() {
    let mut run = BusyRun::begin(AgentLifetime::Ephemeral).await;
    let begin = Instant::now();
    let ended = run.ended().await;
    let lost = begin.elapsed().as_millis();
    assert!((29_900..30_500).contains(&lost), "{lost}");
    let record = ended.record;
    assert_eq!(
        (record.state, record.fail_reason, record.epoch),
        (AgentState::Failed, Some(FailReason::LeaseExpired), 2)
    );
}

#[tokio::test(start_paused = true)]
async fn heartbeats_extend_the_lease_until_the_limit() {
    let mut run = BusyRun::begin(AgentLifetime::Ephemeral).await;
    let begin = Instant::now();
    let agent = run.agent;
    let beats = tokio::spawn(async move {
        loop {
            tokio::time::sleep(Duration::from_secs(10)).await;
            agent.send(AgentMessage::Heartbeat);
        }
    });
    let ended = until_ended(&run.runner, &mut run.events, &run.ticket.agent_id).await;
    beats.abort();
    assert_eq!(ended.record.fail_reason, Some(FailReason::Timeout));
    let detail = "the task took longer than 300000 ms";
    assert_eq!(ended.detail.as_deref(), Some(detail));
    let ran = begin.elapsed().as_millis();
    assert!((299_900..300_500).contains(&ran), "{ran}");
}

#[tokio::test(start_paused = true)]
async fn an_agent_must_become_ready_in_time() {
    let (bed, mut agents) = fake_bed(AgentLifetime::Ephemeral);
    let runner = bed.start().await;
    let mut events = runner.events();
    let ticket = spawn(&runner, request("T-1", Value::Null)).await;
    let agent = agents.recv().await.unwrap();
    let beats = tokio::spawn(async move {
        loop {
            agent.send(AgentMessage::Heartbeat);
            tokio::time::sleep(Duration::from_secs(10)).await;
        }
    });
    let ended = until_ended(&runner, &mut events, &ticket.agent_id).await;
    beats.abort();
    assert_eq!(ended.record.fail_reason, Some(FailReason::InitError));
    let detail = "the agent was not ready after 60000 ms";
    assert_eq!(ended.detail.as_deref(), Some(detail));
}

#[tokio::test(start_paused = true)]
async fn an_agent_over_its_budget_fails() {
    let mut run = BusyRun::begin(AgentLifetime::Ephemeral).await;
    for used in [600, 400, 1] {
        run.agent.send(AgentMessage::Tokens { used });
    }
    let ended = run.ended().await;
    assert_eq!(ended.record.fail_reason, Some(FailReason::Budget));
    let detail = "the task used 1001 tokens of 1000";
    assert_eq!(ended.detail.as_deref(), Some(detail));
}

#[tokio::test(start_paused = true)]
async fn writes_of_a_zombie_are_refused() {
    let mut run = BusyRun::begin(AgentLifetime::Ephemeral).await;
    // A different host finds the lease expired.
    let later = (run.bed.options.clock)() + 60_000;
    let report = run.bed.store.reap(later).unwrap();
    assert_eq!(report.lapsed, std::slice::from_ref(&run.ticket.agent_id));
    let record = json!({ "status": "done", "progress": 100, "summary": "late" });
    run.agent.send(AgentMessage::Writeback {
        kind: WritebackKind::TaskUpdate,
        record,
    });
    let refused = HostMessage::Refused {
        error: "expected epoch 2, found 1".to_owned(),
        faults: Vec::new(),
    };
    assert_eq!(run.agent.receiver.recv().await, Some(refused));
    assert_eq!(run.agent.receiver.recv().await, None);
    let audit = run.bed.store.audit(&run.ticket.agent_id).unwrap();
    let recorded = audit.iter().filter(|row| row.event == "recorded");
    assert_eq!(recorded.count(), 0);
}

#[tokio::test(start_paused = true)]
async fn only_the_present_token_acts() {
    let mut run = BusyRun::begin(AgentLifetime::Ephemeral).await;
    assert_eq!(run.ticket.token, None);
    assert_eq!(run.runner.identify("a.b"), None);
    let ended = run.runner.cancel(&run.ticket.agent_id).await.unwrap();
    assert_eq!(ended.fail_reason, Some(FailReason::Cancelled));
    assert_eq!(run.agent.receiver.recv().await, Some(HostMessage::Cancel));
}

#[tokio::test(start_paused = true)]
async fn a_stopped_runner_leaves_no_agent() {
    let (bed, mut agents) = fake_bed(AgentLifetime::Resident);
    let runner = bed.start().await;
    let first = spawn(&runner, request("T-1", Value::Null)).await;
    let second = spawn(&runner, request("T-2", Value::Null)).await;
    agents.recv().await.unwrap().begin().await;
    runner.stop().await;
    for ticket in [first, second] {
        let record = bed.store.agent(&ticket.agent_id).unwrap();
        assert_eq!(record.fail_reason, Some(FailReason::Cancelled));
    }
    let refused = runner.spawn(request("T-3", Value::Null)).await.unwrap_err();
    assert_eq!(refused.to_string(), "the runner was stopped");
}
