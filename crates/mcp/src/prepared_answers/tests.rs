use repertoire::{MemorySource, Registered, Skill, SkillRegistry};
use rmcp::model::ClientJsonRpcMessage;
use serde_json::{Value, json};

use super::*;
use crate::ServerOptions;

async fn prepared(features: McpFeatures) -> PreparedAnswers {
    let home = MemorySource::new("home");
    let skill = Skill::new("tidy".parse().unwrap(), "Sorts a folder.");
    home.register(Registered::new(skill, "Sort it.")).unwrap();
    let registry = SkillRegistry::builder().user(home).load().await.unwrap();
    let client = ClientTraits {
        features,
        is_strict: false,
    };
    PreparedAnswers {
        server: Server::new(registry, ServerOptions::default()),
        client: Some(client),
        tools: Arc::default(),
        model: Arc::default(),
        lists_skills: Arc::default(),
    }
}

fn request(method: &str, params: Value) -> JsonRpcRequest<ClientRequest> {
    let request = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    match serde_json::from_value(request).unwrap() {
        ClientJsonRpcMessage::Request(request) => request,
        other => panic!("no request: {other:?}"),
    }
}

/// The requests for which responses are prepared.
fn requests() -> [JsonRpcRequest<ClientRequest>; 5] {
    [
        request("resources/list", json!({})),
        request("prompts/list", json!({"_meta": {"progressToken": 1}})),
        request("skills/list", json!({"cursor": ""})),
        request("skills/get", json!({"uri": "skill://home/tidy/SKILL.md"})),
        request(
            "resources/directory/read",
            json!({"uri": "skill://home/tidy"}),
        ),
    ]
}

/// Returns which of the requests have a prepared response.
fn are_prepared(answers: &SessionAnswers) -> [bool; 5] {
    requests().map(|request| answers.answer(&request).is_some())
}

#[tokio::test]
async fn responses_are_prepared_after_their_files_were_read() {
    let (answers, prepared) = (SessionAnswers::default(), prepared(McpFeatures::ALL).await);
    let server = prepared.server.clone();
    assert_eq!(are_prepared(&answers), [false; 5]);
    answers.begin(prepared.clone());
    assert_eq!(are_prepared(&answers), [true, true, false, false, false]);
    assert!(!prepared.lists_skills.load(Ordering::Relaxed));
    let view = server.view();
    server
        .served_files()
        .manifest(&view.skills[0])
        .await
        .unwrap();
    assert_eq!(are_prepared(&answers), [true; 5]);
    assert!(prepared.lists_skills.load(Ordering::Relaxed));
}

#[tokio::test]
async fn a_second_initialize_disables_prepared_responses() {
    let (answers, prepared) = (SessionAnswers::default(), prepared(McpFeatures::ALL).await);
    answers.begin(prepared.clone());
    answers.begin(prepared.clone());
    assert_eq!(are_prepared(&answers), [false; 5]);
    answers.begin(prepared);
    assert_eq!(are_prepared(&answers), [false; 5]);
}

#[tokio::test]
async fn without_a_session_each_request_introduces_its_client() {
    let prepared = PreparedAnswers {
        client: None,
        ..prepared(McpFeatures::ALL).await
    };
    let listed = |meta: Value| request("resources/list", json!({"_meta": meta}));
    let introduction = |version: &str| {
        listed(json!({
            "io.modelcontextprotocol/protocolVersion": version,
            "io.modelcontextprotocol/clientCapabilities": {},
        }))
    };
    let answers = SessionAnswers::default();
    assert!(answers.may_begin(&introduction("2026-07-28").request));
    answers.begin(prepared.clone());
    assert!(!answers.may_begin(&introduction("2026-07-28").request));
    assert!(answers.answer(&introduction("2026-07-28")).is_some());
    assert_eq!(answers.answer(&introduction("2025-06-18")), None);
    assert_eq!(answers.answer(&listed(json!({}))), None);
    // A later request without a session changes nothing, and a session disables prepared responses.
    answers.begin(prepared.clone());
    assert!(answers.answer(&introduction("2026-07-28")).is_some());
    answers.begin(self::prepared(McpFeatures::ALL).await);
    answers.begin(prepared);
    assert_eq!(answers.answer(&introduction("2026-07-28")), None);
}

#[tokio::test]
async fn the_handler_answers_everything_else() {
    let answers = SessionAnswers::default();
    answers.begin(prepared(McpFeatures::ALL).await);
    let context = json!({"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}});
    for request in [
        request("resources/list", context),
        request("resources/list", json!({"cursor": "unknown"})),
        request("tools/list", json!({})),
        request("skills/get", json!({"uri": "skill://home/greet/SKILL.md"})),
    ] {
        assert_eq!(answers.answer(&request), None, "{request:?}");
    }
    let answers = SessionAnswers::default();
    answers.begin(prepared(McpFeatures::TOOLS).await);
    assert_eq!(are_prepared(&answers), [false; 5]);
}
