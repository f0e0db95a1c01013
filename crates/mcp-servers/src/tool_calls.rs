//! Calls of tools that do not go through the service of `rmcp`, which needs several tasks and parses for each message.
//!
//! The service still has everything else: the handshake, lists, notifications, requests of the server, and streams that break off.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use parking_lot::Mutex;
use serde::Serialize;
use serde_json::{Map, Value};
use tokio::sync::oneshot;

use crate::http::HttpClient;
use crate::standard_streams::SharedStdin;

/// The ids of calls. The service counts from zero, and does not get here.
const FIRST_ID: u32 = 1_000_000_000;

/// The way of calls to a server.
#[derive(Debug)]
pub(crate) enum CallPath {
    /// Posts of the HTTP client.
    Http(HttpClient),
    /// Lines of standard input and output.
    Streams(StreamCalls),
}

/// A request of `tools/call`.
#[derive(Debug)]
pub(crate) struct ToolCall {
    pub(crate) id: i64,
    pub(crate) text: Vec<u8>,
}

/// The ids for the calls of one connection.
#[derive(Debug, Default)]
pub(crate) struct CallIds(AtomicU32);

/// Calls over standard input and output.
#[derive(Debug)]
pub(crate) struct StreamCalls {
    pub(crate) stdin: SharedStdin,
    pub(crate) waiting: WaitingCalls,
}

/// The calls that wait for their answer, by id. Clones share them.
#[derive(Debug, Clone, Default)]
pub(crate) struct WaitingCalls(Arc<Mutex<HashMap<i64, oneshot::Sender<Value>>>>);

/// A call that waits until it is dropped.
struct WaitingCall<'w> {
    calls: &'w WaitingCalls,
    id: i64,
}

#[derive(Serialize)]
struct CallRequest<'c> {
    jsonrpc: &'static str,
    id: i64,
    method: &'static str,
    params: CallParams<'c>,
}

#[derive(Serialize)]
struct CallParams<'c> {
    name: &'c str,
    arguments: &'c Map<String, Value>,
}

impl CallIds {
    /// Returns a call with an id that no other call in progress has.
    pub(crate) fn call(&self, name: &str, arguments: &Map<String, Value>) -> ToolCall {
        let number = self.0.fetch_add(1, Ordering::Relaxed) % FIRST_ID;
        let id = i64::from(FIRST_ID + number);
        let request = CallRequest {
            jsonrpc: "2.0",
            id,
            method: "tools/call",
            params: CallParams { name, arguments },
        };
        let text = serde_json::to_vec(&request).expect("a request has texts as keys");
        ToolCall { id, text }
    }
}

impl StreamCalls {
    /// Sends a call, and returns the message that answers it.
    pub(crate) async fn call(&self, call: ToolCall) -> io::Result<Value> {
        let ToolCall { id, mut text } = call;
        let (sender, answer) = oneshot::channel();
        self.waiting.0.lock().insert(id, sender);
        let _waiting = WaitingCall {
            calls: &self.waiting,
            id,
        };
        text.push(b'\n');
        self.stdin.send_line(text).await?;
        answer
            .await
            .map_err(|_| io::ErrorKind::ConnectionAborted.into())
    }
}

impl WaitingCalls {
    /// Delivers a message if it answers a call. Returns `false` for any other one.
    pub(crate) fn deliver(&self, message: &[u8]) -> bool {
        if self.0.lock().is_empty() {
            return false;
        }
        let Ok(message) = serde_json::from_slice::<Value>(message) else {
            return false;
        };
        let call = answered_id(&message).and_then(|id| self.0.lock().remove(&id));
        let is_answer = call.is_some();
        if let Some(call) = call {
            // The caller may have gone.
            let _ = call.send(message);
        }
        is_answer
    }
}

impl Drop for WaitingCall<'_> {
    fn drop(&mut self) {
        self.calls.0.lock().remove(&self.id);
    }
}

/// Returns the id of the request that `message` answers. Some servers return the number as a text.
pub(crate) fn answered_id(message: &Value) -> Option<i64> {
    if message.get("method").is_some() {
        return None;
    }
    match message.get("id")? {
        Value::String(text) => text.parse().ok(),
        id => id.as_i64(),
    }
}
