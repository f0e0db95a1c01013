//! A client of the HTTP server of a gateway.

use std::net::SocketAddr;

use repertoire_gateway::Gateway;
use repertoire_mcp::{AccessToken, HttpOptions, ServerOptions};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

pub(crate) const TOKEN: &str = "0123456789abcdef0123456789abcdef";

/// A server, and the token that its client sends.
#[derive(Debug, Clone)]
pub(crate) struct Client {
    pub(crate) address: SocketAddr,
    pub(crate) token: Option<String>,
}

/// The answer to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("expected JSON: {}", self.body))
    }

    /// Returns a header; names are written in lower case.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines();
        lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }
}

impl Client {
    pub(crate) fn with_token(&self, token: &str) -> Client {
        Client {
            token: Some(token.to_owned()),
            ..self.clone()
        }
    }

    pub(crate) fn without_token(&self) -> Client {
        Client {
            token: None,
            ..self.clone()
        }
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.request("GET", path, "").await
    }

    /// Sends a request with a body in JSON.
    pub(crate) async fn send_json(&self, method: &str, path: &str, body: &str) -> Answer {
        let length = body.len();
        let headers =
            format!("Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}");
        self.request(method, path, &headers).await
    }

    /// Calls a tool of the MCP server without a session. Returns the message, or the status of a refused request.
    pub(crate) async fn call_mcp(&self, mut params: Value) -> Result<Value, u16> {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "agent", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let name = params["name"].as_str().unwrap().to_owned();
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        let body = body.to_string();
        let headers = format!(
            "Accept: application/json, text/event-stream\r\nMcp-Protocol-Version: 2026-07-28\r\n\
             Mcp-Method: tools/call\r\nMcp-Name: {name}\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n{body}",
            body.len()
        );
        let answer = self.request("POST", "/mcp", &headers).await;
        if answer.status != 200 {
            return Err(answer.status);
        }
        let start = answer.body.find("{\"jsonrpc\"").expect("an answer");
        let line = answer.body[start..].lines().next().unwrap_or_default();
        Ok(serde_json::from_str(line).unwrap())
    }

    /// Sends a request with more `headers`, each with its line end.
    pub(crate) async fn request(&self, method: &str, path: &str, headers: &str) -> Answer {
        let headers = format!("Connection: close\r\n{headers}");
        let mut stream = self.send(method, path, &headers).await;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.unwrap();
        let answer = String::from_utf8(answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        Answer {
            status: head.split(' ').nth(1).unwrap().parse().unwrap(),
            head: head.to_owned(),
            body: body.to_owned(),
        }
    }

    async fn send(&self, method: &str, path: &str, headers: &str) -> TcpStream {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        let token = self.token.as_ref();
        let token = token.map(|token| format!("Authorization: Bearer {token}\r\n"));
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\n{}{headers}\r\n",
            self.address,
            token.unwrap_or_default()
        );
        stream.write_all(request.as_bytes()).await.unwrap();
        stream
    }

    /// Follows the events, those after `last` if it is given.
    pub(crate) async fn events(&self, last: Option<&str>) -> EventStream {
        let header = last.map(|last| format!("Last-Event-ID: {last}\r\n"));
        let header = header.unwrap_or_default();
        let stream = self.send("GET", "/api/v1/events", &header).await;
        EventStream(BufReader::new(stream).lines())
    }
}

/// The events of a gateway.
pub(crate) struct EventStream(Lines<BufReader<TcpStream>>);

/// An event of a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Event {
    pub(crate) id: Option<String>,
    pub(crate) name: String,
    pub(crate) data: Value,
}

impl EventStream {
    /// Returns the next event; `None` at the end of the stream.
    pub(crate) async fn next(&mut self) -> Option<Event> {
        let (mut id, mut name) = (None, String::new());
        loop {
            // The lines with the lengths of chunks are neither.
            let line = self.0.next_line().await.ok()??;
            if let Some(text) = line.strip_prefix("id: ") {
                id = Some(text.to_owned());
            } else if let Some(text) = line.strip_prefix("event: ") {
                name = text.to_owned();
            } else if let Some(text) = line.strip_prefix("data: ") {
                let data = serde_json::from_str(text).unwrap();
                return Some(Event { id, name, data });
            }
        }
    }
}

/// Runs `test` with a client of a server with [`TOKEN`].
pub(crate) async fn with_server(gateway: &Gateway, test: impl AsyncFnOnce(Client)) {
    let options = HttpOptions::default().token(AccessToken::new(TOKEN).unwrap());
    with_options(gateway, options, async |client| {
        test(client.with_token(TOKEN)).await;
    })
    .await;
}

/// Runs `test` with a client without a token.
pub(crate) async fn with_options(
    gateway: &Gateway,
    options: HttpOptions,
    test: impl AsyncFnOnce(Client),
) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let client = Client {
        address: listener.local_addr().unwrap(),
        token: None,
    };
    let (end, ended) = oneshot::channel::<()>();
    let gateway = gateway.clone();
    let serving = tokio::spawn(async move {
        let end = async {
            let _ = ended.await;
        };
        gateway
            .serve_http(listener, ServerOptions::default(), options, end)
            .await
    });
    test(client).await;
    end.send(()).unwrap();
    serving.await.unwrap().unwrap().unwrap();
}
