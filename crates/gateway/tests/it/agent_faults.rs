//! Faulty calls of the MCP tools about agents, while a runner runs.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use repertoire_agents::{AgentStore, MemoryAgentStore};
use repertoire_gateway::{Gateway, NamedToken, TokenScope};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::Handle;

use crate::agent_tools::{call, until};
use crate::http_client::{Client, EventStream, with_server};
use crate::project::Project;

/// Agents whose programs show their tickets to the test, and leave the rest to its calls.
const FILE: &str = r#"
[gateway]
watch = false

[[registries.agents]]
id = "coder"
command = "/bin/sh"
args = ["-c", "read -r ticket; echo \"$ticket\" > $REPERTOIRE_AGENT.json; echo '{\"type\":\"ready\"}'; read -r assigned; read -r end"]
limits = { max-concurrent-tasks = 4 }
"#;

/// A gateway that runs agents.
struct Host {
    project: Project,
    gateway: Gateway,
    store: Arc<MemoryAgentStore>,
    _state: TempDir,
}

/// A busy agent.
struct BusyAgent {
    id: String,
    /// A client with the token that the runner gave to the agent.
    client: Client,
}

impl Host {
    async fn start() -> Host {
        let (project, state) = (Project::new(FILE), tempfile::tempdir().unwrap());
        let store = Arc::new(MemoryAgentStore::default());
        let gateway = project
            .gateway()
            .with_agents(Arc::clone(&store) as Arc<dyn AgentStore>)
            .running_agents(state.path());
        gateway.start(&Handle::current()).await.unwrap();
        Host {
            project,
            gateway,
            store,
            _state: state,
        }
    }

    async fn busy_agent(
        &self,
        operator: &Client,
        events: &mut EventStream,
        task: &str,
    ) -> BusyAgent {
        let request = json!({ "task_id": task, "pool": "research" });
        let spawned = call(operator, "agent_spawn", request).await.unwrap();
        // An event has the present state, so an earlier agent may have two with this one.
        while until(events, "BUSY").await["id"] != spawned["agent_id"] {}
        let id = spawned["agent_id"].as_str().unwrap().to_owned();
        let ticket: Value =
            serde_json::from_str(&self.project.read(&format!("{id}.json"))).unwrap();
        let client = operator.with_token(ticket["token"].as_str().unwrap());
        BusyAgent { id, client }
    }

    /// Returns a client with a token of the gateway for this agent and epoch.
    fn client(&self, operator: &Client, id: &str, epoch: u64) -> Client {
        let agent = id.into();
        let token = NamedToken::new(format!("{id}-{epoch}"), TokenScope::Agent { agent, epoch });
        operator.with_token(&self.gateway.tokens().issue(token).unwrap())
    }
}

/// A record of each kind without faults.
fn records() -> [(&'static str, Value); 3] {
    let thought = json!({
        "task_id": "T-1", "type": "reflection", "branch": "feature/t-1",
        "commit_sha": "none", "tests_run": [], "blockers": [],
    });
    [
        (
            "task_update",
            json!({ "status": "done", "progress": 100, "summary": "Done." }),
        ),
        ("thought_record", thought),
        ("memory_pack", json!({ "session_id": "s" })),
    ]
}

/// Calls each tool that acts for an agent; returns what the answers have under `key`.
async fn refusals(client: &Client, agent_id: Option<&str>, key: &str) -> Vec<Value> {
    let mut calls = Vec::from(records());
    for (_, arguments) in &mut calls {
        if let Some(id) = agent_id {
            arguments["agent_id"] = id.into();
        }
    }
    let mut request = json!({ "task_id": "T-2", "pool": "review" });
    if let Some(id) = agent_id {
        request["parent"] = id.into();
    }
    calls.push(("agent_spawn", request));
    let mut found = Vec::new();
    for (tool, arguments) in calls {
        found.push(call(client, tool, arguments).await.unwrap()[key].clone());
    }
    found
}

async fn paths(client: &Client, tool: &str, arguments: Value) -> Vec<String> {
    let answer = call(client, tool, arguments).await.unwrap();
    assert_eq!(answer["kind"], "invalid", "{tool}: {answer}");
    let faults = answer["faults"].as_array().unwrap().iter();
    faults
        .map(|fault| fault["path"].as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test]
async fn every_fault_has_its_path() {
    let host = Host::start().await;
    with_server(&host.gateway, async |operator| {
        let mut events = operator.events(None).await;
        let own = host.busy_agent(&operator, &mut events, "T-1").await.client;
        let task = ["task.status", "task.progress", "task.summary"];
        let thought = [
            "thought.task_id",
            "thought.type",
            "thought.branch",
            "thought.commit_sha",
            "thought.tests_run",
            "thought.blockers",
        ];
        for (tool, arguments, expected) in [
            ("agent_spawn", json!({}), &["task_id", "pool"][..]),
            (
                "agent_spawn",
                json!({
                    "task_id": " ",
                    "pool_config": { "pool": "none", "priority": 1.5, "colour": 1 },
                    "context_snapshot": [],
                    "skill_refs": [{ "digest": "x" }, 5, { "name": "review", "version": 1 }],
                    "required_tools": "Read",
                    "est_tokens": -1,
                    "parent": 7,
                }),
                &[
                    "task_id",
                    "pool_config.pool",
                    "context_snapshot",
                    "skill_refs.0.name",
                    "skill_refs.0.digest",
                    "skill_refs.1",
                    "skill_refs.2.version",
                    "required_tools",
                    "est_tokens",
                    "pool_config.priority",
                    "parent",
                    "pool_config.colour",
                ],
            ),
            (
                "agent_spawn",
                json!({ "task_id": "T", "pool_config": "none" }),
                &["pool_config"],
            ),
            ("task_update", json!({}), &task),
            (
                "task_update",
                json!({ "status": "over", "progress": 101, "summary": " " }),
                &task,
            ),
            (
                "task_update",
                json!({ "status": "done", "progress": 99, "summary": null }),
                &task[1..],
            ),
            ("task_update", json!({ "agent_id": 5 }), &["agent_id"]),
            ("thought_record", json!({}), &thought),
            (
                "thought_record",
                json!({
                    "task_id": "T-9", "type": "note", "branch": "main",
                    "commit_sha": "xyz", "tests_run": "all", "blockers": [1],
                }),
                &thought,
            ),
            ("memory_pack", json!({}), &["memory.session_id"]),
            (
                "memory_pack",
                json!({ "session_id": 5 }),
                &["memory.session_id"],
            ),
            (
                "agent_message",
                json!({ "phase": "REST" }),
                &["type", "phase"],
            ),
            ("agent_message", json!({ "type": "phase" }), &["phase"]),
            ("agent_message", json!({ "type": "tokens" }), &["used"]),
        ] {
            let found = paths(&own, tool, arguments.clone()).await;
            assert_eq!(found, expected, "{tool} {arguments}");
        }
        let nameless = paths(&operator, "memory_pack", json!({ "session_id": "s" })).await;
        assert_eq!(nameless, ["agent_id"]);
    })
    .await;
    host.gateway.stop().await.unwrap();
}

#[tokio::test]
async fn a_token_acts_for_no_other_agent() {
    let host = Host::start().await;
    with_server(&host.gateway, async |operator| {
        let mut events = operator.events(None).await;
        let own = host.busy_agent(&operator, &mut events, "T-1").await;
        let other = host.busy_agent(&operator, &mut events, "T-1").await;
        let kinds = refusals(&own.client, Some(&other.id), "kind").await;
        assert_eq!(kinds, ["forbidden"; 4]);
        let asked = json!({ "agent_id": other.id });
        let seen = call(&own.client, "agent_status", asked).await.unwrap();
        assert_eq!(seen["kind"], "unknown");
        let kinds = refusals(&operator, Some("none"), "kind").await;
        assert_eq!(kinds, ["unknown"; 4]);
        let audit = host.store.audit(&other.id).unwrap();
        assert!(audit.iter().all(|row| row.event != "recorded"));
    })
    .await;
    host.gateway.stop().await.unwrap();
}

#[tokio::test]
async fn an_ended_agent_acts_no_more() {
    let host = Host::start().await;
    with_server(&host.gateway, async |operator| {
        let mut events = operator.events(None).await;
        let ended = host.busy_agent(&operator, &mut events, "T-1").await;
        let path = format!("/api/v1/agents/records/{}", ended.id);
        assert_eq!(operator.request("DELETE", &path, "").await.status, 200);
        for (tool, arguments) in records() {
            assert_eq!(call(&ended.client, tool, arguments).await, Err(401));
        }
        let client = host.client(&operator, &ended.id, 1);
        for (client, id) in [(&client, None), (&operator, Some(&*ended.id))] {
            let kinds = refusals(client, id, "kind").await;
            assert_eq!(kinds, ["conflict"; 4]);
        }
    })
    .await;
    host.gateway.stop().await.unwrap();
}

#[tokio::test]
async fn an_old_epoch_acts_no_more() {
    let host = Host::start().await;
    with_server(&host.gateway, async |operator| {
        let mut events = operator.events(None).await;
        let agent = host.busy_agent(&operator, &mut events, "T-1").await;
        let never = host.client(&operator, &agent.id, 0);
        let errors = refusals(&never, None, "error").await;
        assert_eq!(errors, ["expected epoch 1, found 0"; 4]);
        // A different host finds the lease expired, while the process of the agent lives.
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        let later = u64::try_from(now.as_millis()).unwrap() + 60_000;
        host.store.reap(later).unwrap();
        let errors = refusals(&agent.client, None, "error").await;
        assert_eq!(errors, ["expected epoch 2, found 1"; 4]);
    })
    .await;
    host.gateway.stop().await.unwrap();
}
