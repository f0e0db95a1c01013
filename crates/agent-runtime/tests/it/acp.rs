//! Agents that speak the Agent Client Protocol.

use std::sync::Arc;

use repertoire_agent_runtime::{
    AcpRuntime, AgentIdentity, AgentMessage, HostMessage, RunnerEvent, RunnerEventKind,
};
use repertoire_agents::{
    AgentPool, AgentState, AgentStore, FailReason, PoolSettings, WritebackContract, WritebackKind,
};
use serde_json::{Value, json};
use tokio::sync::broadcast;

use crate::bed::{Seen, TestBed, TestHost, put_profile, request, spawn, until_ended};

/// An agent in the shell that answers by its first argument, and asks for a permission in between.
const AGENT: &str = r#"
reply() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }
update() { printf '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"%s"}}}}\n' "$1"; }
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\("[^"]*"\|[0-9]*\).*/\1/p')
  case $line in
    *'"initialize"'*) reply '{"protocolVersion":1,"agentCapabilities":{"mcpCapabilities":{"http":true}}}' ;;
    *'"session/new"'*) case $line in *Bearer*) update with-token ;; esac; reply '{"sessionId":"s"}' ;;
    *'"session/prompt"'*)
      case $1 in
        crash) exit 5 ;;
        hang) sleep 100000 ;;
        ask) prompt=$id
          printf '{"jsonrpc":"2.0","id":"p","method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"t","kind":"edit"},"options":[{"optionId":"yes","name":"y","kind":"allow_once"},{"optionId":"no","name":"n","kind":"reject_once"}]}}\n'
          read -r answer
          update "$(printf '%s' "$answer" | sed -n 's/.*"optionId":"\([a-z]*\)".*/\1/p')"
          id=$prompt ;;
      esac
      update turn
      reply '{"stopReason":"end_turn"}' ;;
  esac
done
"#;

fn bed(mode: &str) -> TestBed {
    let args = ["-c", AGENT, "agent", mode].map(str::to_owned);
    TestBed::new(TestHost {
        runtime: Arc::new(AcpRuntime::default().with_mcp_url("http://127.0.0.1:1/mcp")),
        command: "/bin/sh".into(),
        args: args.to_vec(),
        ..TestHost::default()
    })
}

fn set_contract(bed: &TestBed, contract: WritebackContract) {
    let settings = PoolSettings {
        contract,
        ..PoolSettings::default()
    };
    bed.store
        .put_pool(AgentPool::Implementation, settings)
        .unwrap();
}

async fn run(bed: &TestBed) -> Seen {
    let runner = bed.start().await;
    let mut events = runner.events();
    let ticket = spawn(&runner, request("T-1", Value::Null)).await;
    until_ended(&runner, &mut events, &ticket.agent_id).await
}

async fn until_busy(events: &mut broadcast::Receiver<RunnerEvent>) {
    loop {
        let event = events.recv().await.unwrap();
        match event.kind {
            RunnerEventKind::State {
                state: AgentState::Busy,
                ..
            } => return,
            RunnerEventKind::State { state, detail, .. } if state.is_final() => {
                panic!("{state}: {detail:?}")
            }
            _ => {}
        }
    }
}

#[tokio::test]
async fn a_turn_is_a_task() {
    let bed = bed("answer");
    set_contract(&bed, WritebackContract::Warn);
    let ended = run(&bed).await;
    assert_eq!(
        ended.record.state,
        AgentState::Terminated,
        "{:?}",
        ended.detail
    );
    assert!(ended.record.orphaned);
    assert_eq!(ended.output, ["with-token", "turn"]);
}

#[tokio::test]
async fn an_agent_that_does_not_write_back_fails() {
    let bed = bed("answer");
    let ended = run(&bed).await;
    assert_eq!(ended.record.fail_reason, Some(FailReason::Crash));
    let turns = ended.output.iter().filter(|line| *line == "turn").count();
    assert_eq!(turns, 4, "{:?}", ended.detail);
}

#[tokio::test]
async fn permissions_follow_the_rights() {
    for (write_access, option) in [(true, "yes"), (false, "no")] {
        let bed = bed("ask");
        put_profile(
            &*bed.store,
            json!({ "permissions": { "write_access": write_access } }),
        );
        set_contract(&bed, WritebackContract::Warn);
        let ended = run(&bed).await;
        assert_eq!(ended.output, ["with-token", option, "turn"]);
    }
}

#[tokio::test]
async fn a_crashed_turn_is_a_crash() {
    let ended = run(&bed("crash")).await;
    assert_eq!(ended.record.fail_reason, Some(FailReason::Crash));
}

#[tokio::test]
async fn a_hanging_turn_is_cancelled() {
    let bed = bed("hang");
    let runner = bed.start().await;
    let mut events = runner.events();
    let ticket = spawn(&runner, request("T-1", Value::Null)).await;
    until_busy(&mut events).await;
    let ended = runner.cancel(&ticket.agent_id).await.unwrap();
    assert_eq!(ended.fail_reason, Some(FailReason::Cancelled));
}

mod slow {
    use super::*;

    /// The variable with the path of `elizacp`, an agent that needs no account.
    const PROGRAM: &str = "REPERTOIRE_TEST_ELIZACP";

    #[tokio::test]
    async fn eliza_runs_a_task() {
        let Ok(command) = std::env::var(PROGRAM) else {
            eprintln!("SKIPPED, not checked: `{PROGRAM}` names no program");
            return;
        };
        let bed = TestBed::new(TestHost {
            runtime: Arc::new(AcpRuntime::default()),
            command: command.into(),
            args: ["--deterministic", "acp"].map(str::to_owned).to_vec(),
            ..TestHost::default()
        });
        let runner = bed.start().await;
        let mut events = runner.events();
        let ticket = spawn(&runner, request("T-1", Value::Null)).await;
        until_busy(&mut events).await;
        // Eliza calls no tool by herself, so the test does what the MCP tools of a gateway do.
        let sender = AgentIdentity::new(&ticket.agent_id, ticket.epoch);
        let update = json!({ "status": "done", "progress": 100, "summary": "Talked." });
        let thought = json!({
            "task_id": "T-1", "type": "reflection", "branch": ticket.branch_name,
            "commit_sha": "0123456", "tests_run": [], "blockers": [],
        });
        for (kind, record) in [
            (WritebackKind::TaskUpdate, update),
            (WritebackKind::ThoughtRecord, thought),
        ] {
            let message = AgentMessage::Writeback { kind, record };
            let answer = runner.deliver(&sender, message).await;
            assert_eq!(answer, HostMessage::Accepted);
        }
        let ended = until_ended(&runner, &mut events, &ticket.agent_id).await;
        println!("eliza: {:?}", ended.output);
        assert_eq!(
            (ended.record.state, ended.record.orphaned),
            (AgentState::Terminated, false),
            "{ended:?}"
        );
        assert!(!ended.output.concat().is_empty());
        let audit = bed.store.audit(&ticket.agent_id).unwrap();
        let states = audit.iter().filter(|row| row.from != row.to);
        let states: Vec<_> = states.filter_map(|row| row.to.as_deref()).collect();
        let whole = ["PENDING", "INITIALIZING", "READY", "BUSY", "TERMINATED"];
        assert_eq!(states, whole);
    }
}
