//! Responses that the transport puts together, compared with those of the handler.
//!
//! The handler answers every request with an unknown key in `_meta`, which does not change the response.

use std::sync::Arc;

use proptest::prelude::*;
use repertoire::skill::Value as Field;
use repertoire::{MemorySource, Registered, Skill, SkillRegistry};
use repertoire_mcp::{HttpOptions, Server, ServerOptions};
use serde_json::{Value, json};
use tokio::runtime::Handle;

use crate::fixture::skill;
use crate::forms::Raw;
use crate::http::listen;

const IDS: [&str; 6] = [
    "tidy",
    "greet me",
    "greet-me",
    "na\u{ef}ve",
    "Upper",
    "plan",
];

/// One edit of a source.
#[derive(Debug, Clone)]
struct Edit {
    source: usize,
    id: usize,
    kind: EditKind,
}

#[derive(Debug, Clone)]
enum EditKind {
    Remove,
    Put {
        about: String,
        body: &'static str,
        has_files: bool,
        is_hidden: bool,
        is_user_invocable: bool,
        has_metadata: bool,
    },
}

fn edits() -> impl Strategy<Value = Vec<Edit>> {
    let body = prop::sample::select(vec!["Sort it.\n", "Sort\u{200b} it.\n", "", "\"{}\"\n"]);
    let put = ("\\PC*[a-z]\\PC*", body, any::<[bool; 4]>()).prop_map(|(about, body, flags)| {
        let [has_files, is_hidden, is_user_invocable, has_metadata] = flags;
        EditKind::Put {
            about,
            body,
            has_files,
            is_hidden,
            is_user_invocable,
            has_metadata,
        }
    });
    let kind = prop_oneof![1 => Just(EditKind::Remove), 4 => put];
    let edit = (0..2_usize, 0..IDS.len(), kind);
    let edit = edit.prop_map(|(source, id, kind)| Edit { source, id, kind });
    prop::collection::vec(edit, 1..12)
}

impl Edit {
    fn apply(self, sources: &[Arc<MemorySource<Skill>>]) {
        let (source, id) = (&sources[self.source], IDS[self.id]);
        source.unregister(id);
        let EditKind::Put {
            about,
            body,
            has_files,
            is_hidden,
            is_user_invocable,
            has_metadata,
        } = self.kind
        else {
            return;
        };
        let mut skill = skill(id, about.trim());
        skill.disable_model_invocation = is_hidden;
        skill.user_invocable = is_user_invocable;
        if has_metadata {
            let rows = vec![("version".into(), Field::plain("1.10"))];
            skill.fields = vec![("metadata".into(), Field::Map(rows))];
        }
        let mut registered = Registered::new(skill, body);
        for path in ["notes/a.md", "notes/b.png", "data.json"] {
            if has_files {
                let path = path.parse().expect("a path");
                registered = registered.with_resource(path, about.clone().into_bytes());
            }
        }
        source.register(registered).expect("the id is free");
    }
}

/// A client over a pipe, with the `_meta` of its requests.
struct Client {
    raw: Raw,
    meta: Value,
}

/// Asks for `method` three times: as the first client that asks, as the next one, and for the handler. Returns the response.
async fn compared(Client { raw, meta }: &mut Client, method: &str, params: &Value) -> Value {
    let mut request = json!({"jsonrpc": "2.0", "id": "a\"1", "method": method, "params": params});
    request["params"]["_meta"] = meta.clone();
    let mut lines = Vec::new();
    for _ in 0..2 {
        raw.send(request.clone()).await;
        lines.push(raw.line().await);
    }
    request["params"]["_meta"]["other"] = json!(1);
    raw.send(request).await;
    let handled = raw.line().await;
    assert_eq!(
        lines,
        [handled.clone(), handled.clone()],
        "{method} {params}"
    );
    serde_json::from_str(&handled).expect("a document")
}

/// Compares every page of a list. Returns the URIs of its rows.
async fn compare_pages(client: &mut Client, field: &str) -> Vec<Value> {
    let (mut params, mut uris) = (json!({}), Vec::new());
    loop {
        let response = compared(client, &format!("{field}/list"), &params).await;
        let page = &response["result"];
        let rows = page[field].as_array().expect("a page has rows");
        uris.extend(rows.iter().map(|row| row["uri"].clone()));
        match &page["nextCursor"] {
            Value::Null => return uris,
            next => params = json!({"cursor": next}),
        }
    }
}

async fn served() -> (Server, Vec<Arc<MemorySource<Skill>>>) {
    let sources = ["home", "other"].map(|name| Arc::new(MemorySource::new(name)));
    let registry = SkillRegistry::builder()
        .user(sources[0].clone())
        .user(sources[1].clone())
        .start(&Handle::current())
        .await
        .expect("composed");
    let server = Server::new(registry, ServerOptions::default().page(3));
    (server, sources.into())
}

fn introduction(client: &str) -> Value {
    let capabilities = json!({"extensions": {"io.modelcontextprotocol/skills": {}}});
    let info = json!({"name": client, "version": "1"});
    let params =
        json!({"protocolVersion": "2025-06-18", "capabilities": capabilities, "clientInfo": info});
    json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params})
}

/// Returns the `_meta` of a request without a session.
fn introduction_without_session(client: &str) -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": client, "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {"extensions": {"io.modelcontextprotocol/skills": {}}},
    })
}

async fn compare_after(edits: Vec<Edit>) {
    let (server, sources) = served().await;
    let mut clients = Vec::new();
    // The client with the name `mcp` gets no skills outside of the standard.
    for name in ["some-client", "mcp"] {
        let mut raw = Raw::of(&server);
        raw.send(introduction(name)).await;
        raw.next().await;
        let meta = json!({});
        clients.push(Client { raw, meta });
        let meta = introduction_without_session(name);
        clients.push(Client {
            raw: Raw::of(&server),
            meta,
        });
    }
    for edit in edits {
        edit.apply(&sources);
        server.registry().refresh().await.expect("it is open");
        for client in &mut clients {
            compare_pages(client, "prompts").await;
            compare_pages(client, "skills").await;
            for uri in compare_pages(client, "resources").await {
                compared(client, "skills/get", &json!({"uri": uri})).await;
                let root = uri.as_str().expect("a URI").replace("/SKILL.md", "");
                for folder in [root.clone(), format!("{root}/notes")] {
                    compared(client, "resources/directory/read", &json!({"uri": folder})).await;
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn prepared_responses_equal_those_of_the_handler(edits in edits()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(compare_after(edits));
    }
}

#[tokio::test]
async fn prepared_responses_over_http_are_the_same() {
    let (server, sources) = served().await;
    for source in &sources {
        for id in IDS {
            let registered = Registered::new(skill(id, "Does it: \"\u{1f980}\"."), "Do it.\n");
            source.register(registered).expect("the id is free");
        }
    }
    server.registry().refresh().await.expect("it is open");
    let listening = listen(&server, HttpOptions::default()).await;
    let both = "accept: application/json, text/event-stream\r\n";
    let without_session = "mcp-protocol-version: 2026-07-28\r\n";
    let introduced = introduction("some-client").to_string();
    let (status, head, _) = listening.post_with(both, introduced.as_bytes()).await;
    assert_eq!(status, 200);
    let session = head
        .lines()
        .find(|line| line.starts_with("mcp-session-id: "))
        .expect("a session");
    let forms = [
        "accept: application/json\r\n",
        both,
        "accept: text/event-stream\r\n",
    ];
    let requests = [
        ("skills/list", json!({})),
        ("resources/list", json!({})),
        ("prompts/list", json!({})),
        (
            "resources/directory/read",
            json!({"uri": "skill://home/plan"}),
        ),
    ];
    for (accept, (method, params)) in forms
        .iter()
        .flat_map(|form| requests.iter().map(move |request| (form, request)))
    {
        for (headers, meta) in [
            (format!("{accept}{session}\r\n"), json!({})),
            (
                format!("{accept}{without_session}mcp-method: {method}\r\n"),
                introduction_without_session("some-client"),
            ),
        ] {
            let mut responses = Vec::new();
            for others in [json!({}), json!({}), json!({"other": 1})] {
                let mut params = params.clone();
                params["_meta"] = meta.clone();
                params["_meta"]
                    .as_object_mut()
                    .expect("it is a map")
                    .extend(others.as_object().expect("it is a map").clone());
                let request =
                    json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params});
                let (status, head, body) = listening
                    .post_with(&headers, request.to_string().as_bytes())
                    .await;
                assert_eq!(status, 200, "{body}");
                let kind = head.lines().find(|line| line.starts_with("content-type"));
                let is_numbered = body.lines().any(|line| line.starts_with("id:"));
                let lines = body.lines().filter(|line| line.contains("jsonrpc"));
                responses.push((
                    kind.map(ToOwned::to_owned),
                    is_numbered,
                    lines.collect::<String>(),
                ));
            }
            assert_eq!(responses[0], responses[2], "{headers}{method}");
            assert_eq!(responses[1], responses[2], "{headers}{method}");
            assert!(responses[2].2.contains("\"result\""), "{headers}{method}");
        }
    }
    listening.end().await;
}
