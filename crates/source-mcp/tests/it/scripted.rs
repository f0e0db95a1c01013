//! A server with scripted answers, right or wrong.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use axum::body::Bytes;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::serve::{Listener, ListenerExt};
use repertoire_core::Digest;
use repertoire_source_mcp::{McpOptions, McpSource};
use serde_json::{Value, json};

/// The answer of a server: a result, or an error's code and message.
pub(crate) type Answer = Result<Value, (i64, String)>;

type Script = dyn Fn(&str, &Value) -> Answer + Send + Sync;

/// A server with scripted answers, over HTTP.
pub(crate) struct Scripted {
    pub(crate) url: String,
    asked: Arc<Mutex<Vec<String>>>,
}

#[derive(Clone)]
struct Stage {
    script: Arc<Script>,
    asked: Arc<Mutex<Vec<String>>>,
}

pub(crate) async fn scripted(
    script: impl Fn(&str, &Value) -> Answer + Send + Sync + 'static,
) -> Scripted {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    opened(
        listener.tap_io(|stream| stream.set_nodelay(true).unwrap()),
        url,
        script,
    )
}

/// The same behind any listener.
pub(crate) fn opened<L>(
    listener: L,
    url: String,
    script: impl Fn(&str, &Value) -> Answer + Send + Sync + 'static,
) -> Scripted
where
    L: Listener,
    L::Addr: std::fmt::Debug,
{
    let stage = Stage {
        script: Arc::new(script),
        asked: Arc::default(),
    };
    let asked = stage.asked.clone();
    let router = axum::Router::new()
        .route("/mcp", axum::routing::post(play))
        .with_state(stage);
    tokio::spawn(
        axum::serve(
            listener,
            router.layer(axum::extract::DefaultBodyLimit::disable()),
        )
        .into_future(),
    );
    Scripted { url, asked }
}

async fn play(State(stage): State<Stage>, body: Bytes) -> Response {
    let message: Value = serde_json::from_slice(&body).unwrap();
    let Some(id) = message
        .get("id")
        .filter(|_| message.get("method").is_some())
    else {
        return StatusCode::ACCEPTED.into_response();
    };
    let (method, params) = (message["method"].as_str().unwrap(), &message["params"]);
    let address = params
        .get("uri")
        .and_then(Value::as_str)
        .map(|uri| format!(" {uri}"))
        .unwrap_or_default();
    stage
        .asked
        .lock()
        .unwrap()
        .push(format!("{method}{address}"));
    let mut answer = json!({ "jsonrpc": "2.0", "id": id });
    match (stage.script)(method, params) {
        Ok(result) => answer["result"] = result,
        Err((code, message)) => answer["error"] = json!({ "code": code, "message": message }),
    }
    (
        [(header::CONTENT_TYPE, "application/json")],
        answer.to_string(),
    )
        .into_response()
}

impl Scripted {
    pub(crate) fn options(&self) -> McpOptions {
        McpOptions::url(&self.url)
    }

    pub(crate) fn source(&self, name: &str) -> McpSource {
        McpSource::new(name, self.options()).unwrap()
    }

    /// Returns the requests since the connection was made.
    pub(crate) fn asked(&self) -> Vec<String> {
        let asked = self.asked.lock().unwrap();
        asked
            .iter()
            .filter(|method| *method != "initialize")
            .cloned()
            .collect()
    }
}

/// Returns the introduction of a server with the skills extension.
pub(crate) fn introduction(capabilities: Value) -> Answer {
    Ok(json!({
        "protocolVersion": "2025-11-25",
        "capabilities": capabilities,
        "serverInfo": { "name": "scripted", "version": "1" },
    }))
}

pub(crate) fn unknown() -> Answer {
    Err((-32602, "unknown".to_owned()))
}

pub(crate) fn content(uri: &str, text: &str) -> Value {
    json!({ "contents": [{ "uri": uri, "text": text }] })
}

/// A skill's file as lists of files have it.
pub(crate) fn file(uri: &str, bytes: &[u8]) -> Value {
    json!({ "uri": uri, "digest": Digest::of(bytes).to_string(), "size": bytes.len() })
}

/// The text of a skill that does no harm.
pub(crate) fn text(name: &str) -> String {
    format!("---\nname: {name}\ndescription: Sorts a folder.\n---\n\nSort it.\n")
}

/// The listed and stored content of a server with the skills extension. Each part can be wrong.
#[derive(Clone, Default)]
pub(crate) struct Wares {
    pub(crate) entries: Vec<Value>,
    pub(crate) files: HashMap<String, Value>,
    /// The answers of `skills/get` that differ from the list.
    pub(crate) fresh: HashMap<String, Value>,
}

impl Wares {
    /// One skill that is what it says.
    pub(crate) fn one() -> Wares {
        Wares::default().with("tidy", &[])
    }

    /// One more skill, with files beside it.
    pub(crate) fn with(mut self, name: &str, beside: &[(&str, &str)]) -> Wares {
        let (uri, text) = (format!("skill://{name}/SKILL.md"), text(name));
        let mut rows = vec![file(&uri, text.as_bytes())];
        for (path, text) in beside {
            let uri = format!("skill://{name}/{path}");
            rows.push(file(&uri, text.as_bytes()));
            self.files.insert(uri.clone(), content(&uri, text));
        }
        self.files.insert(uri.clone(), content(&uri, &text));
        let front_matter = json!({ "name": name, "description": "Sorts a folder." });
        self.entries
            .push(json!({ "uri": uri, "frontmatter": front_matter, "resources": rows }));
        self
    }

    /// The same, with its last entry changed.
    pub(crate) fn but(mut self, change: impl FnOnce(&mut Value)) -> Wares {
        change(self.entries.last_mut().unwrap());
        self
    }

    /// The same, with another text behind an address.
    pub(crate) fn holding(mut self, uri: &str, text: &str) -> Wares {
        self.files.insert(uri.to_owned(), content(uri, text));
        self
    }

    pub(crate) async fn served(self) -> Scripted {
        scripted(move |method, params| self.answer(method, params)).await
    }

    pub(crate) fn answer(&self, method: &str, params: &Value) -> Answer {
        let uri = params
            .get("uri")
            .and_then(Value::as_str)
            .unwrap_or_default();
        match method {
            "initialize" => introduction(
                json!({ "resources": {}, "extensions": { "io.modelcontextprotocol/skills": {} } }),
            ),
            "skills/list" => Ok(json!({ "resultType": "complete", "skills": self.entries })),
            "skills/get" => {
                let listed = self.entries.iter().find(|entry| entry["uri"] == uri);
                let entry = self.fresh.get(uri).or(listed);
                entry.map_or_else(unknown, |entry| {
                    Ok(json!({ "resultType": "complete", "skill": entry }))
                })
            }
            "resources/read" => self.files.get(uri).cloned().map_or_else(unknown, Ok),
            _ => Err((-32601, format!("no method `{method}`"))),
        }
    }
}

/// Changes of options.
pub(crate) trait With {
    fn with(self, change: impl FnOnce(&mut McpOptions)) -> McpOptions;
}

impl With for McpOptions {
    fn with(mut self, change: impl FnOnce(&mut McpOptions)) -> McpOptions {
        change(&mut self);
        self
    }
}
