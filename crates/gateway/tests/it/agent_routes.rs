//! The routes of the agents in the store.

use std::sync::Arc;

use repertoire_agents::MemoryAgentStore;
use repertoire_gateway::{NamedToken, TokenScope};
use repertoire_mcp::HttpOptions;
use serde_json::json;
use tokio::runtime::Handle;

use crate::http_client::{with_options, with_server};
use crate::openapi::Document;
use crate::project::{FILE, Project};

const RECORDS: &str = "/api/v1/agents/records";
const REQUEST: &str = r#"{"pool": "implementation", "task_id": "T-1", "idempotency_key": "k"}"#;

#[tokio::test]
async fn an_agent_is_spawned_and_cancelled() {
    let project = Project::new(FILE);
    let store = Arc::new(MemoryAgentStore::default());
    let gateway = project.gateway().with_agents(store);
    gateway.start(&Handle::current()).await.unwrap();
    with_server(&gateway, async |client| {
        let document = Document::of(&client).await;
        let mut events = client.events(None).await;
        events.next().await.unwrap();
        let spawned = client.send_json("POST", RECORDS, REQUEST).await;
        document.check("post", RECORDS, &spawned);
        let agent = spawned.json()["agent"].clone();
        assert_eq!((spawned.status, &agent["state"]), (201, &json!("PENDING")));
        let event = events.next().await.unwrap();
        assert_eq!(
            (
                &*event.name,
                &event.data["event"],
                &event.data["agent"]["id"]
            ),
            ("agent", &json!("allocated"), &agent["id"])
        );
        let again = client.send_json("POST", RECORDS, REQUEST).await;
        assert_eq!(again.json()["agent"]["id"], agent["id"]);
        let one = format!("{RECORDS}/{}", agent["id"].as_str().unwrap());
        let template = "/api/v1/agents/records/{id}";
        let shown = client.get(&one).await;
        document.check("get", template, &shown);
        assert_eq!(shown.json()["audit"][0]["event"], "allocated");
        let listed = client.get(RECORDS).await;
        document.check("get", RECORDS, &listed);
        assert_eq!(listed.json(), json!({ "agents": [agent] }));
        let cancelled = client.request("DELETE", &one, "").await;
        document.check("delete", template, &cancelled);
        assert_eq!(
            (cancelled.status, &cancelled.json()["state"]),
            (200, &json!("TERMINATED"))
        );
        let late = client.request("DELETE", &one, "").await;
        document.check("delete", template, &late);
        assert_eq!(late.status, 409);
    })
    .await;
}

#[tokio::test]
async fn a_token_of_an_agent_shows_itself() {
    let tester = "[[registries.agents]]\nid = \"tester\"\ncommand = \"tester\"\n";
    let project = Project::new(&format!("{FILE}{tester}"));
    let store = Arc::new(MemoryAgentStore::default());
    let gateway = project.gateway().with_agents(store);
    gateway.start(&Handle::current()).await.unwrap();
    let tokens = gateway.tokens().clone();
    let operator = tokens
        .issue(NamedToken::new("operator", TokenScope::Operate))
        .unwrap();
    with_options(&gateway, HttpOptions::default(), async |client| {
        let operator = client.with_token(&operator);
        let mut agents = Vec::new();
        for key in ["a", "b"] {
            let request = REQUEST.replace("\"k\"", &format!("{key:?}"));
            let spawned = operator.send_json("POST", RECORDS, &request).await.json();
            let id = spawned["agent"]["id"].as_str().unwrap().to_owned();
            let scope = TokenScope::Agent {
                agent: id.as_str().into(),
                epoch: spawned["agent"]["epoch"].as_u64().unwrap(),
            };
            let token = tokens.issue(NamedToken::new(key, scope)).unwrap();
            agents.push((id, client.with_token(&token)));
        }
        for (own, client) in &agents {
            for (id, _) in &agents {
                let path = format!("{RECORDS}/{id}");
                let expected = if id == own { 200 } else { 403 };
                assert_eq!(client.get(&path).await.status, expected);
                assert_eq!(client.request("DELETE", &path, "").await.status, 403);
            }
            assert_eq!(client.get(RECORDS).await.status, 403);
        }
    })
    .await;
}

#[tokio::test]
async fn a_gateway_without_a_store_says_so() {
    let project = Project::new(FILE);
    let (gateway, _registries) = project.start().await;
    with_server(&gateway, async |client| {
        let answer = client.get(RECORDS).await;
        let detail = json!("the gateway has no store of agents");
        assert_eq!((answer.status, &answer.json()["detail"]), (404, &detail));
    })
    .await;
}
