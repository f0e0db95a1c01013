//! Answers of servers at URLs: as JSON, on streams with other messages or that break off, and on the stream of the session.

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use futures_util::StreamExt;
use parking_lot::Mutex;
use repertoire_mcp_servers::{SupervisedServer, Supervisor, ToolProvider};
use serde_json::{Map, Value, json};
use tokio::net::TcpListener;
use tokio::sync::Notify;

use crate::programs::{call, names, supervising, until};

/// A server whose tools answer in different ways.
#[derive(Clone, Default)]
struct AnsweringServer(Arc<ServerState>);

#[derive(Default)]
struct ServerState {
    /// The calls and the cancelled requests, in their order.
    received: Mutex<Vec<String>>,
    sessions: Mutex<usize>,
    /// The call whose stream broke off.
    broken: Mutex<Value>,
    is_ping_answered: Notify,
    /// The answer for the stream of the session.
    early: Mutex<Value>,
    is_early: Notify,
    has_grown: Mutex<bool>,
}

const TOOLS: [&str; 7] = [
    "json", "events", "changes", "asks", "breaks", "hangs", "early",
];

impl AnsweringServer {
    /// Serves at a free port, and returns the server for a supervisor.
    async fn serve(&self) -> SupervisedServer {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        let router = Router::new().route("/mcp", any(answer));
        let router = router.with_state(self.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        SupervisedServer::at_url("answers", url)
    }

    fn received(&self) -> Vec<String> {
        self.0.received.lock().clone()
    }

    async fn call(&self, id: Value, name: &str, headers: &HeaderMap) -> Response {
        self.0.received.lock().push(name.to_owned());
        let done = result(&id, json!({"content": [{"type": "text", "text": name}]}));
        match name {
            "json" if *self.0.sessions.lock() == 1 && self.received().len() > 1 => {
                StatusCode::NOT_FOUND.into_response()
            }
            "json" => {
                assert_eq!(headers["mcp-protocol-version"], "2025-11-25");
                as_json(&done)
            }
            "events" => at_once([event(&done)]),
            "changes" => {
                *self.0.has_grown.lock() = true;
                let change =
                    json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"});
                at_once([event(&change), event(&done)])
            }
            "asks" => {
                let state = Arc::clone(&self.0);
                let ping = ping();
                let answered = async move {
                    state.is_ping_answered.notified().await;
                    event(&done)
                };
                events(vec![event(&ping)], vec![answered])
            }
            "breaks" => {
                *self.0.broken.lock() = done;
                at_once(["id: 7\nretry: 1\ndata:\n\n".to_owned()])
            }
            "early" => {
                *self.0.early.lock() = done;
                self.0.is_early.notify_one();
                // The client read the answer before it answered the ping.
                self.0.is_ping_answered.notified().await;
                StatusCode::ACCEPTED.into_response()
            }
            "hangs" => events(Vec::new(), vec![std::future::pending()]),
            other => panic!("no tool `{other}`"),
        }
    }

    /// Returns the stream of the session: an answer, then a ping.
    fn session_stream(&self) -> Response {
        let state = Arc::clone(&self.0);
        let early = async move {
            state.is_early.notified().await;
            event(&state.early.lock()) + &event(&ping())
        };
        events(Vec::new(), vec![early])
    }
}

fn ping() -> Value {
    json!({"jsonrpc": "2.0", "id": "ping", "method": "ping"})
}

fn result(id: &Value, result: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": result})
}

fn as_json(message: &Value) -> Response {
    ([(CONTENT_TYPE, "application/json")], message.to_string()).into_response()
}

fn event(message: &Value) -> String {
    format!("data: {message}\n\n")
}

fn at_once(now: impl IntoIterator<Item = String>) -> Response {
    let later: Vec<std::future::Ready<String>> = Vec::new();
    events(now.into_iter().collect(), later)
}

/// Returns a stream of events, and of those that come later.
fn events<F>(now: Vec<String>, later: Vec<F>) -> Response
where
    F: Future<Output = String> + Send + 'static,
{
    let later = futures_util::stream::iter(later).then(|event| event);
    let events = futures_util::stream::iter(now).chain(later);
    let body = Body::from_stream(events.map(Ok::<_, std::io::Error>));
    ([(CONTENT_TYPE, "text/event-stream")], body).into_response()
}

async fn answer(
    State(server): State<AnsweringServer>,
    method: Method,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    if method == Method::GET {
        return match headers.get("last-event-id") {
            Some(last) => {
                assert_eq!(last, "7");
                let done = event(&server.0.broken.lock());
                at_once([done])
            }
            None => server.session_stream(),
        };
    }
    let Ok(message) = serde_json::from_slice::<Value>(&body) else {
        return StatusCode::ACCEPTED.into_response();
    };
    let id = message["id"].clone();
    match message["method"].as_str() {
        Some("initialize") => {
            *server.0.sessions.lock() += 1;
            let answer = json!({
                "protocolVersion": "2025-11-25",
                "capabilities": {"tools": {"listChanged": true}},
                "serverInfo": {"name": "answers", "version": "1"},
            });
            let session = format!("session-{}", server.0.sessions.lock());
            ([("mcp-session-id", session)], as_json(&result(&id, answer))).into_response()
        }
        Some("tools/list") => {
            let has_grown = *server.0.has_grown.lock();
            let names = TOOLS.into_iter().chain(has_grown.then_some("grown"));
            let tools = names.map(|name| json!({"name": name, "inputSchema": {"type": "object"}}));
            as_json(&result(&id, json!({"tools": tools.collect::<Vec<_>>()})))
        }
        Some("tools/call") => {
            let session = format!("session-{}", server.0.sessions.lock());
            assert_eq!(headers["mcp-session-id"], session.as_str());
            let name = message["params"]["name"].as_str().unwrap();
            server.call(id, name, &headers).await
        }
        Some("notifications/cancelled") => {
            server.0.received.lock().push("cancelled".to_owned());
            StatusCode::ACCEPTED.into_response()
        }
        None if id == "ping" => {
            server.0.is_ping_answered.notify_one();
            StatusCode::ACCEPTED.into_response()
        }
        _ => StatusCode::ACCEPTED.into_response(),
    }
}

async fn started() -> (AnsweringServer, Supervisor) {
    let answers = AnsweringServer::default();
    let mut server = answers.serve().await;
    server.starts_at_once = true;
    let supervisor = supervising(vec![server]).await;
    until(&supervisor, |status| status.tools == Some(TOOLS.len())).await;
    (answers, supervisor)
}

#[tokio::test]
async fn answers_of_every_form_arrive() {
    let (answers, supervisor) = started().await;
    for tool in ["json", "events", "asks", "breaks", "events"] {
        assert_eq!(call(&supervisor, "answers", tool).await, tool);
    }
    // No tool was called twice.
    assert_eq!(
        answers.received(),
        ["json", "events", "asks", "breaks", "events"]
    );
    supervisor.stop().await;
}

#[tokio::test]
async fn changes_during_a_call_are_followed() {
    let (_, supervisor) = started().await;
    assert_eq!(call(&supervisor, "answers", "changes").await, "changes");
    until(&supervisor, |status| status.tools == Some(TOOLS.len() + 1)).await;
    assert!(names(&supervisor).contains(&"mcp__answers__grown".to_owned()));
    supervisor.stop().await;
}

#[tokio::test]
async fn calls_replace_a_lost_session() {
    let (answers, supervisor) = started().await;
    for _ in 0..3 {
        assert_eq!(call(&supervisor, "answers", "json").await, "json");
    }
    assert_eq!(*answers.0.sessions.lock(), 2);
    supervisor.stop().await;
}

#[tokio::test]
async fn a_dropped_call_is_cancelled() {
    let (answers, supervisor) = started().await;
    let running = {
        let supervisor = supervisor.clone();
        tokio::spawn(async move { supervisor.call("answers", "hangs", Map::new()).await })
    };
    while answers.received().is_empty() {
        tokio::task::yield_now().await;
    }
    running.abort();
    while answers.received().len() < 2 {
        tokio::task::yield_now().await;
    }
    assert_eq!(answers.received(), ["hangs", "cancelled"]);
    supervisor.stop().await;
}

#[tokio::test]
async fn an_answer_before_the_response_arrives() {
    let (_, supervisor) = started().await;
    assert_eq!(call(&supervisor, "answers", "early").await, "early");
    supervisor.stop().await;
}
