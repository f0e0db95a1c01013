//! An agent that calls the MCP tools of its gateway.

use std::sync::Arc;
use std::time::Duration;

use repertoire_agents::{AgentState, AgentStore, MemoryAgentStore};
use repertoire_gateway::Gateway;
use serde_json::{Value, json};
use tokio::runtime::Handle;

use crate::http_client::{Client, EventStream, with_server};
use crate::openapi::Document;
use crate::project::Project;

/// Many times what any of it takes.
const PATIENCE: Duration = Duration::from_secs(60);

/// An agent whose program shows its ticket to the test, and leaves the rest to the calls of the test.
const FILE: &str = r#"
[gateway]
watch = false

[[registries.agents]]
id = "coder"
command = "/bin/sh"
args = ["-c", "read -r ticket; echo \"$ticket\" > ticket.json; echo '{\"type\":\"ready\"}'; read -r assigned; read -r end"]
limits = { max-concurrent-tasks = 2 }
"#;

/// Calls a tool; returns the result, or the status of a refused request.
pub(crate) async fn call(client: &Client, tool: &str, arguments: Value) -> Result<Value, u16> {
    let call = json!({ "name": tool, "arguments": arguments });
    let answer = client.call_mcp(call).await?;
    match answer.get("result") {
        Some(result) => Ok(result["structuredContent"].clone()),
        None => Ok(answer["error"]["message"].clone()),
    }
}

/// Waits for the event after which an agent is in this state.
pub(crate) async fn until(events: &mut EventStream, state: &str) -> Value {
    let waiting = async {
        loop {
            let event = events.next().await.expect("the server runs");
            if event.data["agent"]["state"] == state {
                return event.data["agent"].clone();
            }
        }
    };
    tokio::time::timeout(PATIENCE, waiting)
        .await
        .expect("an event in time")
}

#[tokio::test]
async fn an_agent_writes_back_with_its_token() {
    let project = Project::new(FILE);
    let state = tempfile::tempdir().unwrap();
    let gateway = project
        .gateway()
        .with_agents(Arc::new(MemoryAgentStore::default()))
        .running_agents(state.path());
    gateway.start(&Handle::current()).await.unwrap();
    with_server(&gateway, async |operator| {
        let mut events = operator.events(None).await;
        let request = json!({ "task_id": "T-1", "pool": "research" });
        let spawned = call(&operator, "agent_spawn", request).await.unwrap();
        let agent = until(&mut events, "BUSY").await;
        assert_eq!(agent["id"], spawned["agent_id"]);
        let ticket: Value = serde_json::from_str(&project.read("ticket.json")).unwrap();
        let own = operator.with_token(ticket["token"].as_str().unwrap());

        let missing = call(&own, "task_update", json!({})).await.unwrap();
        let expected = json!([
            { "path": "task.status", "problem": "missing; expected `done`, `cancelled` or `blocked`" },
            { "path": "task.progress", "problem": "missing; expected a whole number from 0 to 100" },
            { "path": "task.summary", "problem": "missing; expected text that is not blank" },
        ]);
        assert_eq!(missing["faults"], expected);
        let early = call(&own, "agent_message", json!({ "type": "done" })).await;
        assert_eq!(early.unwrap()["kind"], "invalid");

        let update = json!({ "status": "done", "progress": 100, "summary": "Read it." });
        let thought = json!({
            "task_id": "T-1",
            "type": "reflection",
            "branch": ticket["branch_name"],
            "commit_sha": "none",
            "tests_run": [],
            "blockers": [],
        });
        let phase = json!({ "type": "phase", "phase": "VERIFY" });
        for (tool, arguments) in [
            ("agent_message", phase),
            ("task_update", update),
            ("thought_record", thought),
            ("memory_pack", json!({ "session_id": "s" })),
            ("agent_message", json!({ "type": "done" })),
        ] {
            let answer = call(&own, tool, arguments).await.unwrap();
            assert_eq!(answer.get("error"), None, "{tool}: {answer}");
        }
        let ended = until(&mut events, "TERMINATED").await;
        assert_eq!(
            (&ended["id"], &ended["orphaned"]),
            (&agent["id"], &json!(false))
        );
        let late = call(&own, "agent_status", json!({})).await;
        assert_eq!(late, Err(401));
        let path = format!("/api/v1/agents/records/{}", agent["id"].as_str().unwrap());
        let cancelled = operator.request("DELETE", &path, "").await;
        let detail = json!("the agent ended in the state `TERMINATED`");
        assert_eq!(
            (cancelled.status, &cancelled.json()["detail"]),
            (409, &detail)
        );
    })
    .await;
    gateway.stop().await.unwrap();
}

#[tokio::test]
async fn references_in_the_environment_are_resolved() {
    let file = r#"
[[registries.agents]]
id = "coder"
command = "/bin/sh"
args = ["-c", "read -r ticket; echo \"$AUTH, $KEY\" > environment; echo '{\"type\":\"ready\"}'; read -r assigned; read -r end"]
env = { AUTH = "Bearer ${env:VAULT}/${env:VAULT}", KEY = { file = "key.txt" } }

[[registries.agents]]
id = "lost"
command = "/bin/sh"
env = { AUTH = "Bearer ${env:MISSING}" }
"#;
    let project = Project::new(file);
    project.write("key.txt", "canary\n");
    let mut settings = project.settings();
    settings.variables = [("VAULT".into(), "hidden".into())].into();
    let state = tempfile::tempdir().unwrap();
    let gateway = Gateway::open("repertoire.toml", settings)
        .unwrap()
        .with_agents(Arc::new(MemoryAgentStore::default()))
        .running_agents(state.path());
    gateway.start(&Handle::current()).await.unwrap();
    with_server(&gateway, async |operator| {
        let mut events = operator.events(None).await;
        let request = json!({ "task_id": "T-1", "pool": "research", "agent_type": "coder" });
        call(&operator, "agent_spawn", request).await.unwrap();
        until(&mut events, "BUSY").await;
        let environment = project.read("environment");
        assert_eq!(environment, "Bearer hidden/hidden, canary\n");
        let request = json!({ "task_id": "T-2", "pool": "research", "agent_type": "lost" });
        let refused = call(&operator, "agent_spawn", request).await.unwrap();
        let reason = "the profile `lost` has no program to start: \
            `env.AUTH` refers to the variable `MISSING`, which is not set";
        let error = refused["error"].as_str().unwrap();
        assert!(error.ends_with(reason), "{error}");
    })
    .await;
    gateway.stop().await.unwrap();
}

#[tokio::test]
async fn a_stop_ends_every_agent() {
    let project = Project::new(FILE);
    let state = tempfile::tempdir().unwrap();
    let store = Arc::new(MemoryAgentStore::default());
    let gateway = project
        .gateway()
        .with_agents(Arc::clone(&store) as Arc<dyn AgentStore>)
        .running_agents(state.path());
    gateway.start(&Handle::current()).await.unwrap();
    with_server(&gateway, async |operator| {
        let mut events = operator.events(None).await;
        let request = json!({ "task_id": "T-1", "pool": "research" });
        gateway.pause().unwrap();
        let paused = call(&operator, "agent_spawn", request.clone()).await;
        assert_eq!(paused.unwrap()["error"], "the gateway is paused");
        gateway.resume().unwrap();
        call(&operator, "agent_spawn", request).await.unwrap();
        until(&mut events, "BUSY").await;
        let cancelling = operator.get("/api/v1/agents/records").await.json();
        let id = cancelling["agents"][0]["id"].as_str().unwrap().to_owned();
        let path = format!("/api/v1/agents/records/{id}");
        let cancelled = operator.request("DELETE", &path, "").await.json();
        assert_eq!(cancelled["fail_reason"], "cancelled");
        let request = json!({ "task_id": "T-2", "pool": "research" });
        call(&operator, "agent_spawn", request).await.unwrap();
        until(&mut events, "BUSY").await;
    })
    .await;
    gateway.stop().await.unwrap();
    let store: &dyn AgentStore = store.as_ref();
    let states = store.agents().unwrap();
    let states: Vec<_> = states.iter().map(|agent| agent.state).collect();
    assert_eq!(states, [AgentState::Failed; 2]);
}

/// A skill with a check of each kind.
const CHECKS: &str = "verification:
  - {kind: file-exists, path: ticket.json}
  - {kind: command, run: cargo test}
  - {kind: tool, tool: mcp__ci__test}
  - It reads well.
";

#[tokio::test]
async fn checks_that_were_not_run_are_shown() {
    let project = Project::new(FILE);
    project.skill("review", CHECKS);
    let state = tempfile::tempdir().unwrap();
    let gateway = project
        .gateway()
        .with_agents(Arc::new(MemoryAgentStore::default()))
        .running_agents(state.path());
    gateway.start(&Handle::current()).await.unwrap();
    with_server(&gateway, async |operator| {
        let mut events = operator.events(None).await;
        let request = json!({
            "task_id": "T-1", "pool": "research", "skill_refs": [{ "name": "review" }],
        });
        call(&operator, "agent_spawn", request).await.unwrap();
        let agent = until(&mut events, "BUSY").await;
        let ticket: Value = serde_json::from_str(&project.read("ticket.json")).unwrap();
        let own = operator.with_token(ticket["token"].as_str().unwrap());
        let update = json!({ "status": "done", "progress": 100, "summary": "Read it." });
        let recorded = call(&own, "task_update", update).await.unwrap();
        let thought = json!({
            "task_id": "T-1", "type": "reflection", "branch": ticket["branch_name"],
            "commit_sha": "none", "tests_run": [], "blockers": [],
        });
        let last = call(&own, "thought_record", thought).await.unwrap();
        let owed = [recorded, last].map(|answer| answer["owed"].as_array().unwrap().len());
        assert_eq!(owed, [6, 0]);
        let done = call(&own, "agent_message", json!({ "type": "done" })).await;
        assert_eq!(done.unwrap(), json!({ "accepted": true }));
        until(&mut events, "TERMINATED").await;
        let path = format!("/api/v1/agents/records/{}", agent["id"].as_str().unwrap());
        let shown = operator.get(&path).await;
        let template = "/api/v1/agents/records/{id}";
        Document::of(&operator).await.check("get", template, &shown);
        let checkpoints = &shown.json()["checkpoints"];
        let note = "passed: the file `ticket.json` exists\n\
                    not run: the command `cargo test` succeeds: it needs the approval of a person\n\
                    not run: the tool `mcp__ci__test` succeeds: it needs the approval of a person\n\
                    not judged: It reads well.";
        assert_eq!(
            (
                checkpoints.as_array().unwrap().len(),
                &checkpoints[0]["phase"],
                &checkpoints[0]["note"]
            ),
            (1, &json!("VERIFY"), &json!(note))
        );
    })
    .await;
    gateway.stop().await.unwrap();
}

#[tokio::test]
async fn the_report_of_orphans_has_worktrees() {
    let project = Project::new(FILE);
    let made = std::process::Command::new("git")
        .args(["init", "--quiet"])
        .arg(project.settings().folder)
        .status();
    assert!(made.unwrap().success());
    let state = tempfile::tempdir().unwrap();
    let gateway = project
        .gateway()
        .with_agents(Arc::new(MemoryAgentStore::default()))
        .running_agents(state.path());
    gateway.start(&Handle::current()).await.unwrap();
    let lost = state.path().canonicalize().unwrap().join("worktrees/lost");
    std::fs::create_dir_all(&lost).unwrap();
    with_server(&gateway, async |operator| {
        let report = operator.get("/api/v1/agents/orphans").await;
        let document = Document::of(&operator).await;
        document.check("get", "/api/v1/agents/orphans", &report);
        assert_eq!(report.json()["worktrees"], json!([lost]));
    })
    .await;
    gateway.stop().await.unwrap();
    assert!(lost.exists());
}

#[tokio::test]
async fn an_unreadable_repository_does_not_prevent_the_start() {
    let project = Project::new(FILE);
    let link = project.settings().folder.join(".git");
    std::fs::write(link, "gitdir: /missing/repository\n").unwrap();
    let state = tempfile::tempdir().unwrap();
    let gateway = project
        .gateway()
        .with_agents(Arc::new(MemoryAgentStore::default()))
        .running_agents(state.path());
    gateway.start(&Handle::current()).await.unwrap();
    with_server(&gateway, async |operator| {
        let report = operator.get("/api/v1/agents/orphans").await;
        assert_eq!(report.json()["worktrees"], json!([]));
    })
    .await;
    gateway.stop().await.unwrap();
}
