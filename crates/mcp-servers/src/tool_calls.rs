//! Calls of tools that do not go through the service of `rmcp`, which needs several tasks and parses for each message.
//!
//! The service still has everything else: the handshake, lists, notifications, requests of the server, and streams that break off.

use std::io;
use std::sync::atomic::{AtomicU32, Ordering};

use serde::Serialize;
use serde_json::{Map, Value};

use crate::http::HttpClient;
use crate::standard_streams::SharedStdin;
use crate::waiting_calls::WaitingCalls;

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
        let answer = self.waiting.add(id);
        text.push(b'\n');
        self.stdin.send_line(text).await?;
        let answer = answer.message().await;
        answer.ok_or_else(|| io::ErrorKind::ConnectionAborted.into())
    }
}
