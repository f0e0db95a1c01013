use futures_util::{FutureExt, StreamExt};
use repertoire::permission::VisibilityPolicy;
use repertoire::{MemorySource, Registered, Skill, SkillRegistry};
use repertoire_agents::{AgentPool, MemoryAgentStore, PoolSettings};
use repertoire_mcp::HostTools;
use serde_json::Map;

use super::*;

/// The tools over a store with the profile `coder`, which may write.
struct TestAgents {
    store: Arc<MemoryAgentStore>,
    tools: AgentTools,
}

async fn test_agents() -> TestAgents {
    let store = Arc::new(MemoryAgentStore::default());
    let profile = json!({
        "agent_type": "coder",
        "skills": ["*"],
        "permissions": { "tools": ["*"], "write_access": true },
        "limits": { "max_concurrent_tasks": 4 },
    });
    let profile = serde_json::from_value(profile).unwrap();
    store.put_profile("coder", &profile).unwrap();
    let home = MemorySource::new("home");
    for (id, about, capability) in [
        ("review", "Reads a change.", "read"),
        ("deploy", "Ships a REVIEW.", "write"),
        ("tidy", "Sorts imports.", "write"),
    ] {
        let skill = Skill::new(id.parse().unwrap(), about).with_field("capabilities", [capability]);
        home.register(Registered::new(skill, "Do it.")).unwrap();
    }
    let skills = SkillRegistry::builder().user(home).load().await.unwrap();
    let agents = GatewayAgents::new(Arc::clone(&store) as Arc<dyn AgentStore>);
    TestAgents {
        store,
        tools: AgentTools {
            agents,
            skills,
            visibility: VisibilityPolicy::default(),
        },
    }
}

fn agent(record: &Value) -> Caller {
    Caller::Agent {
        id: record["agent_id"].as_str().unwrap().into(),
        epoch: record["epoch"].as_u64().unwrap(),
    }
}

impl TestAgents {
    async fn call(&self, caller: &Caller, tool: &str, arguments: Value) -> Result<Value, Value> {
        let arguments: Map<_, _> = arguments.as_object().unwrap().clone();
        self.tools.call(caller, tool, arguments).await
    }

    async fn spawn(&self, caller: &Caller) -> Value {
        let request = json!({ "task_id": "T-1", "pool": "implementation" });
        self.call(caller, "agent_spawn", request).await.unwrap()
    }

    /// Moves an agent to `BUSY`, as a runner does.
    fn work(&self, record: &Value) {
        use repertoire_agents::AgentState::{Busy, Initializing, Pending, Ready};

        let (id, epoch) = (record["agent_id"].as_str().unwrap(), 1);
        for (from, to, actor) in [
            (Pending, Initializing, Actor::Parent),
            (Initializing, Ready, Actor::Agent),
            (Ready, Busy, Actor::Scheduler),
        ] {
            let step = Lifecycle::default().transition(from, to, actor).unwrap();
            self.store.advance(id, epoch, &step, now()).unwrap();
        }
    }
}

fn faults(refusal: &Value) -> Vec<(String, String)> {
    let faults = refusal["faults"].as_array().unwrap().iter();
    let text = |fault: &Value, key: &str| fault[key].as_str().unwrap().to_owned();
    faults
        .map(|fault| (text(fault, "path"), text(fault, "problem")))
        .collect()
}

fn owned(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    let pairs = pairs.iter();
    pairs
        .map(|(path, problem)| ((*path).to_owned(), (*problem).to_owned()))
        .collect()
}

#[tokio::test]
async fn an_agent_is_spawned_by_both_names() {
    let test = test_agents().await;
    let seed = json!({
        "task_id": "T-1",
        "agent_type": "coder",
        "pool_config": { "pool": "review", "priority": 2 },
        "idempotency_key": "k",
    });
    let spawned = test.call(&Caller::Operator, "gsd_agent_spawn", seed.clone());
    let spawned = spawned.await.unwrap();
    let again = test.call(&Caller::Operator, "agent_spawn", seed).await;
    assert_eq!(again.unwrap(), spawned);
    assert_eq!(
        (&spawned["state"], &spawned["pool"], &spawned["branch"]),
        (&json!("PENDING"), &json!("review"), &json!("feature/t-1"))
    );
}

#[tokio::test]
async fn every_fault_of_a_request_is_named() {
    let test = test_agents().await;
    let request = json!({
        "task_id": " ",
        "priority": 1.5,
        "needs_write": "yes",
        "required_tools": "Read",
        "colour": 1,
    });
    let refused = test.call(&Caller::Operator, "agent_spawn", request).await;
    assert_eq!(
        faults(&refused.unwrap_err()),
        owned(&[
            ("task_id", "expected text that is not blank"),
            ("pool", "missing"),
            ("required_tools", "expected a list of texts"),
            ("needs_write", "expected `true` or `false`"),
            ("priority", "expected a whole number"),
            ("colour", "unknown"),
        ])
    );
}

#[tokio::test]
async fn every_fault_of_a_record_is_named() {
    let test = test_agents().await;
    let spawned = test.spawn(&Caller::Operator).await;
    let caller = agent(&spawned);
    test.work(&spawned);
    let update = test.call(&caller, "task_update", json!({})).await;
    let thought = json!({ "commit_sha": "none", "blockers": [] });
    let thought = test.call(&caller, "thought_record", thought).await;
    let memory = test.call(&caller, "memory_pack", json!({})).await;
    let all = [update, thought, memory].map(|refused| faults(&refused.unwrap_err()));
    assert_eq!(
        all,
        [
            owned(&[
                (
                    "task.status",
                    "missing; expected `done`, `cancelled` or `blocked`"
                ),
                (
                    "task.progress",
                    "missing; expected a whole number from 0 to 100"
                ),
                ("task.summary", "missing; expected text that is not blank"),
            ]),
            owned(&[
                ("thought.task_id", "missing; expected `T-1`"),
                ("thought.type", "missing; expected `reflection`"),
                ("thought.branch", "missing; expected `feature/t-1`"),
                ("thought.commit_sha", "expected 7 to 64 hexadecimal digits"),
                ("thought.tests_run", "missing; expected a list of texts"),
            ]),
            owned(&[(
                "memory.session_id",
                "missing; expected text that is not blank"
            )]),
        ]
    );
}

#[tokio::test]
async fn an_agent_acts_for_itself_alone() {
    let test = test_agents().await;
    let (mine, other) = (
        test.spawn(&Caller::Operator).await,
        test.spawn(&Caller::Operator).await,
    );
    test.work(&mine);
    test.work(&other);
    let caller = agent(&mine);
    let update = json!({ "status": "done", "progress": 100, "summary": "Done." });
    let for_other = json!({ "agent_id": other["agent_id"] });
    let mut forged = update.clone();
    forged["agent_id"] = other["agent_id"].clone();
    let parent = json!({ "task_id": "T", "pool": "review", "parent": other["agent_id"] });
    let refusals = [
        test.call(&caller, "task_update", forged).await,
        test.call(&caller, "agent_status", for_other).await,
        test.call(&caller, "agent_spawn", parent).await,
        test.call(&Caller::Reader, "task_update", update.clone())
            .await,
        test.call(&Caller::Operator, "task_update", update.clone())
            .await,
    ];
    let kinds = refusals.map(|refused| refused.unwrap_err()["kind"].clone());
    assert_eq!(
        kinds,
        ["forbidden", "unknown", "forbidden", "forbidden", "invalid"]
    );
    let recorded = test.call(&caller, "task_update", update).await.unwrap();
    assert_eq!(recorded["agent_id"], mine["agent_id"]);
    let owed = recorded["owed"].as_array().unwrap();
    assert_eq!(
        (owed.len(), &owed[0]),
        (
            6,
            &json!({ "path": "thought.task_id", "problem": "missing; expected `T-1`" })
        )
    );
    let listed = test.call(&caller, "agent_list", json!({})).await.unwrap();
    assert_eq!(listed["total"], 1);
}

#[tokio::test]
async fn a_token_of_an_old_epoch_is_refused() {
    let test = test_agents().await;
    let spawned = test.spawn(&Caller::Operator).await;
    test.work(&spawned);
    let caller = agent(&spawned);
    let id = spawned["agent_id"].as_str().unwrap();
    test.store.reap(now() + 60_000).unwrap();
    let update = json!({ "status": "done", "progress": 100, "summary": "Done." });
    let request = json!({ "task_id": "T-2", "pool": "review" });
    let refusals = [
        test.call(&caller, "task_update", update).await,
        test.call(&caller, "agent_spawn", request).await,
    ];
    let errors = refusals.map(|refused| refused.unwrap_err()["error"].clone());
    assert_eq!(errors, ["expected epoch 2, found 1"; 2]);
    assert_eq!(test.store.agent(id).unwrap().state, AgentState::Failed);
}

#[tokio::test]
async fn a_parent_is_notified_of_the_end() {
    let test = test_agents().await;
    let parent = test.spawn(&Caller::Operator).await;
    test.work(&parent);
    let caller = agent(&parent);
    let (mut own, mut others) = (
        test.tools.messages(&caller),
        test.tools.messages(&Caller::Operator),
    );
    let child = test.spawn(&caller).await;
    assert_eq!(child["parent"], parent["agent_id"]);
    let id = child["agent_id"].as_str().unwrap();
    test.tools.agents.cancel(&caller, id).await.unwrap();
    let expected = json!({
        "event": "agent-ended",
        "agent_id": id,
        "task_id": "T-1",
        "state": "TERMINATED",
        "fail_reason": null,
        "orphaned": false,
    });
    assert_eq!(own.next().await, Some(expected));
    assert_eq!(others.next().now_or_never(), None);
}

#[tokio::test]
async fn an_orphan_is_reported_once() {
    let test = test_agents().await;
    let settings = json!({ "contract": "warn" });
    let settings: PoolSettings = serde_json::from_value(settings).unwrap();
    test.store
        .put_pool(AgentPool::Implementation, settings)
        .unwrap();
    let spawned = test.spawn(&Caller::Operator).await;
    test.work(&spawned);
    let id = spawned["agent_id"].as_str().unwrap();
    let end =
        Lifecycle::default().transition(AgentState::Busy, AgentState::Terminated, Actor::Agent);
    test.store.advance(id, 1, &end.unwrap(), now()).unwrap();
    let mut events = test.tools.agents.events();
    for alerts in [vec![id.to_owned()], vec![]] {
        assert_eq!(
            test.tools.agents.scan().await.unwrap().agents.alerts,
            alerts
        );
    }
    let alerts = std::iter::from_fn(|| events.try_recv().ok());
    let alerts: Vec<_> = alerts
        .map(|alert| (alert.event, alert.agent.id.clone()))
        .collect();
    assert_eq!(alerts, [(AgentEventKind::Orphaned, id.to_owned())]);
}

#[tokio::test]
async fn a_worktree_is_logged_once() {
    let test = test_agents().await;
    let [first, second] = ["/w/1", "/w/2"].map(PathBuf::from);
    let both = [first.clone(), second.clone()];
    let agents = &test.tools.agents;
    let first = std::slice::from_ref(&first);
    let logged = [first, &both, &both, first].map(|found| agents.unlogged(found));
    assert_eq!(logged, [first.to_vec(), vec![second], vec![], vec![]]);
}

#[tokio::test]
async fn skills_are_found_by_text_and_capability() {
    let test = test_agents().await;
    let mut found = Vec::new();
    for arguments in [
        json!({}),
        json!({ "search": "Review" }),
        json!({ "capability": "write" }),
        json!({ "search": "review", "capability": "write" }),
    ] {
        let list = test.call(&Caller::Anonymous, "skill_list", arguments);
        let list = list.await.unwrap();
        let rows = list["skills"].as_array().unwrap().iter();
        found.push(rows.map(|row| row["name"].clone()).collect::<Vec<_>>());
    }
    assert_eq!(
        found,
        [
            vec!["review", "deploy", "tidy"],
            vec!["review", "deploy"],
            vec!["deploy", "tidy"],
            vec!["deploy"],
        ]
    );
}

#[tokio::test]
async fn a_caller_without_token_only_reads() {
    let test = test_agents().await;
    for caller in [Caller::Anonymous, Caller::Reader] {
        let tools = test.tools.tools(&caller);
        let names: Vec<_> = tools.iter().map(|tool| &*tool.name).collect();
        assert_eq!(names, ["agent_status", "agent_list", "skill_list"]);
    }
    assert_eq!(test.tools.tools(&Caller::Operator).len(), 8);
}
