//! Every way in which a scripted agent can end.

use std::sync::Arc;

use repertoire_agent_runtime::{HostMessage, ProcessRuntime, RunnerEventKind, TicketDelivery};
use repertoire_agents::{AgentState, AgentStore, FailReason};
use serde_json::json;

use crate::bed::{TestBed, TestHost, put_profile, request, run_script, spawn, until_ended};

/// Runs the steps, and compares the end.
async fn check(steps: &[&str], reason: Option<FailReason>, detail: Option<&str>) {
    let bed = TestBed::new(TestHost::default());
    let ended = run_script(&bed, steps).await;
    let state = match reason {
        Some(_) => AgentState::Failed,
        None => AgentState::Terminated,
    };
    let found = (
        ended.record.state,
        ended.record.fail_reason,
        ended.detail.as_deref(),
    );
    assert_eq!(found, (state, reason, detail), "{steps:?}");
    let rows = bed.store.audit(&ended.record.id).unwrap();
    let last = rows.iter().rfind(|row| row.event == "transition").unwrap();
    assert_eq!(last.to, Some(state.to_string()));
    bed.store.verify_audit().unwrap();
}

#[tokio::test]
async fn each_exit_has_its_reason() {
    let crash = Some(FailReason::Crash);
    let unready = Some("the process ended with the exit code 0");
    let whole = ["ready", "task=done", "thought", "done"];
    check(&whole, None, None).await;
    // The end of the process is the end of the task.
    check(&whole[..3], None, None).await;
    check(&["exit=0"], crash, unready).await;
    check(&[], crash, unready).await;
    let code = Some("the process ended with the exit code 3: out of paper");
    check(&["stderr=out of paper", "exit=3"], crash, code).await;
    let code = Some("the process ended with the exit code 4");
    check(&["ready", "exit=4"], crash, code).await;
    check(
        &["ready", "signal=-KILL"],
        crash,
        Some("a signal ended the process"),
    )
    .await;
    check(
        &["kill-parent", "hang"],
        crash,
        Some("a signal ended the process"),
    )
    .await;
}

#[tokio::test]
async fn an_incomplete_writeback_is_refused_with_all_fields() {
    let bed = TestBed::new(TestHost::default());
    let ended = run_script(&bed, &["ready", "bad", "done", "exit=0"]).await;
    let faults = |answer: &str| match serde_json::from_str(answer.strip_prefix("answer ").unwrap())
    {
        Ok(HostMessage::Refused { faults, .. }) => {
            faults.iter().map(ToString::to_string).collect::<Vec<_>>()
        }
        other => panic!("{other:?}"),
    };
    let task = [
        "`task.status`: missing; expected `done`, `cancelled` or `blocked`",
        "`task.progress`: missing; expected a whole number from 0 to 100",
        "`task.summary`: missing; expected text that is not blank",
    ];
    assert_eq!(faults(&ended.output[1]), task);
    let thought = [
        "`thought.task_id`: missing; expected `T-1`",
        "`thought.type`: missing; expected `reflection`",
        "`thought.branch`: missing; expected `feature/t-1`",
        "`thought.commit_sha`: missing; expected 7 to 64 hexadecimal digits",
        "`thought.tests_run`: missing; expected a list of texts",
        "`thought.blockers`: missing; expected a list of texts",
    ];
    assert_eq!(
        faults(&ended.output[2]),
        [task.as_slice(), &thought].concat()
    );
    assert_eq!(ended.record.fail_reason, Some(FailReason::Crash));
}

#[tokio::test]
async fn odd_output_does_no_harm() {
    let bed = TestBed::new(TestHost::default());
    let steps = [
        "print=hello",
        "long=3000000",
        "malformed",
        "ready",
        "task=done",
        "thought",
    ];
    let ended = run_script(&bed, &steps).await;
    assert_eq!(
        ended.record.state,
        AgentState::Terminated,
        "{:?}",
        ended.detail
    );
    assert_eq!(ended.output[0], "hello");
    // The refusal of the faulty message comes before the task.
    assert!(
        ended
            .output
            .iter()
            .any(|line| line.contains("invalid type: integer `7`"))
    );
}

#[tokio::test]
async fn an_agent_that_never_reads_is_ended() {
    let bed = TestBed::new(TestHost::default());
    put_profile(
        &*bed.store,
        json!({ "limits": { "max_concurrent_tasks": 1, "timeout_ms": 400 } }),
    );
    let ended = run_script(&bed, &["ready", "deaf"]).await;
    assert_eq!(ended.record.fail_reason, Some(FailReason::Timeout));
}

#[tokio::test]
async fn a_ticket_can_be_a_private_file() {
    use std::os::unix::fs::PermissionsExt;

    let bed = TestBed::new(TestHost {
        runtime: Arc::new(ProcessRuntime::new(TicketDelivery::File)),
        ..TestHost::default()
    });
    let runner = bed.start().await;
    let mut events = runner.events();
    let steps = json!(["ready", "wait-file=go", "task=done", "thought", "done"]);
    let ticket = spawn(&runner, request("T-1", steps)).await;
    while !matches!(
        events.recv().await.unwrap().kind,
        RunnerEventKind::State {
            state: AgentState::Busy,
            ..
        }
    ) {}
    let folder = bed.options.state_folder.join("tickets");
    let files: Vec<_> = folder.read_dir().unwrap().map(Result::unwrap).collect();
    assert_eq!(files.len(), 1);
    let mode = files[0].metadata().unwrap().permissions().mode();
    let folder_mode = folder.metadata().unwrap().permissions().mode();
    assert_eq!((mode & 0o777, folder_mode & 0o777), (0o600, 0o700));
    std::fs::write(bed.work().join("go"), "").unwrap();
    let ended = until_ended(&runner, &mut events, &ticket.agent_id).await;
    assert_eq!(
        ended.record.state,
        AgentState::Terminated,
        "{:?}",
        ended.detail
    );
    assert_eq!(folder.read_dir().unwrap().count(), 0);
}

#[tokio::test]
async fn a_token_is_in_no_event() {
    let bed = TestBed::new(TestHost::default());
    let ended = run_script(&bed, &["token", "ready", "exit=1"]).await;
    assert_eq!(ended.output[0], "[token]");
}

#[tokio::test]
async fn a_missing_program_is_a_spawn_error() {
    let bed = TestBed::new(TestHost {
        command: "/nonexistent/agent".into(),
        ..TestHost::default()
    });
    let ended = run_script(&bed, &[]).await;
    assert_eq!(ended.record.fail_reason, Some(FailReason::SpawnError));
    let detail = ended.detail.unwrap();
    assert!(
        detail.contains("`/nonexistent/agent` cannot be started"),
        "{detail}"
    );
}
