//! A client that costs little, so that the server is what is measured.

use std::net::SocketAddr;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

use crate::Failure;

/// One session, over a connection of its own.
pub(super) struct Session {
    connection: Connection,
    id: String,
    requests: u64,
}

/// The messages of a stream of server-sent events.
pub(super) struct MessageStream {
    connection: Connection,
    said: Vec<u8>,
}

struct Connection {
    stream: BufReader<TcpStream>,
    address: SocketAddr,
}

struct Head {
    status: u16,
    session: Option<String>,
    /// Bytes of the body; without, it comes in chunks.
    length: Option<usize>,
}

impl Session {
    /// Connects, and introduces itself.
    pub(super) async fn begin(address: SocketAddr) -> Result<Session, Failure> {
        let mut connection = Connection::open(address).await?;
        let introduction = json!({
            "protocolVersion": "2025-06-18",
            "capabilities": {"extensions": {"io.modelcontextprotocol/skills": {}}},
            "clientInfo": {"name": "load", "version": "1"},
        });
        let request =
            json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": introduction});
        let (head, _) = connection.ask(None, &request).await?;
        let id = head.session.ok_or("no session began")?;
        let mut session = Session {
            connection,
            id,
            requests: 0,
        };
        let (head, _) = session
            .connection
            .ask(
                Some(&session.id),
                &json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
            )
            .await?;
        if head.status != 202 {
            return Err(format!("expected the status 202, found {}", head.status).into());
        }
        Ok(session)
    }

    /// The result of a request.
    pub(super) async fn call(&mut self, method: &str, params: Value) -> Result<Value, Failure> {
        self.requests += 1;
        let request =
            json!({"jsonrpc": "2.0", "id": self.requests, "method": method, "params": params});
        let (head, body) = self.connection.ask(Some(&self.id), &request).await?;
        let mut answers = messages(&body);
        match (answers.next(), answers.next()) {
            (Some(answer), None) if head.status == 200 => {
                let mut answer = serde_json::from_slice::<Value>(answer)?;
                if answer["id"] != self.requests {
                    return Err(format!("`{method}` is answered by `{}`", answer["id"]).into());
                }
                match answer.get_mut("result") {
                    Some(result) => Ok(result.take()),
                    None => Err(format!("`{method}` failed: {answer}").into()),
                }
            }
            _ => Err(format!(
                "`{method}`: {} with `{}`",
                head.status,
                String::from_utf8_lossy(&body)
            )
            .into()),
        }
    }

    /// Receives notifications of the server, and closes the connection for requests.
    pub(super) async fn listen(self) -> Result<MessageStream, Failure> {
        let session = format!("mcp-session-id: {}\r\n", self.id);
        MessageStream::open(self.connection.address, "/mcp", &session).await
    }
}

impl MessageStream {
    /// Follows the events of a gateway.
    pub(super) async fn events(address: SocketAddr) -> Result<MessageStream, Failure> {
        MessageStream::open(address, "/api/v1/events", "").await
    }

    async fn open(address: SocketAddr, path: &str, header: &str) -> Result<MessageStream, Failure> {
        let mut connection = Connection::open(address).await?;
        let request = format!(
            "GET {path} HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\n{header}\r\n"
        );
        connection.stream.write_all(request.as_bytes()).await?;
        match connection.head().await? {
            Head {
                status: 200,
                length: None,
                ..
            } => Ok(MessageStream {
                connection,
                said: Vec::new(),
            }),
            head => Err(format!("expected a stream, found the status {}", head.status).into()),
        }
    }

    /// Returns the next message.
    pub(super) async fn next(&mut self) -> Result<Value, Failure> {
        loop {
            if let Some(end) = self.said.windows(2).position(|bytes| bytes == b"\n\n") {
                let event: Vec<u8> = self.said.drain(..end + 2).collect();
                let Some(message) = messages(&event).next() else {
                    continue;
                };
                return Ok(serde_json::from_slice(message)?);
            }
            let mut chunk = self.connection.chunk().await?.ok_or("the stream ended")?;
            self.said.append(&mut chunk);
        }
    }
}

impl Connection {
    async fn open(address: SocketAddr) -> Result<Connection, Failure> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Connection {
            stream: BufReader::new(stream),
            address,
        })
    }

    async fn ask(
        &mut self,
        session: Option<&str>,
        message: &Value,
    ) -> Result<(Head, Vec<u8>), Failure> {
        let body = message.to_string();
        let session = session
            .map(|id| format!("mcp-session-id: {id}\r\n"))
            .unwrap_or_default();
        let request = format!(
            "POST /mcp HTTP/1.1\r\nhost: localhost\r\naccept: application/json, text/event-stream\r\n\
             content-type: application/json\r\ncontent-length: {}\r\n{session}\r\n{body}",
            body.len()
        );
        self.stream.write_all(request.as_bytes()).await?;
        let head = self.head().await?;
        let mut body = vec![0; head.length.unwrap_or_default()];
        if head.length.is_some() {
            self.stream.read_exact(&mut body).await?;
        } else {
            while let Some(mut chunk) = self.chunk().await? {
                body.append(&mut chunk);
            }
        }
        Ok((head, body))
    }

    async fn head(&mut self) -> Result<Head, Failure> {
        let first = self.line().await?;
        let status = first.split(' ').nth(1).ok_or("no status")?.parse()?;
        let mut head = Head {
            status,
            session: None,
            length: None,
        };
        loop {
            let line = self.line().await?;
            match line
                .split_once(':')
                .map(|(name, value)| (name.to_ascii_lowercase(), value.trim()))
            {
                None => return Ok(head),
                Some((name, value)) if name == "mcp-session-id" => {
                    head.session = Some(value.to_owned())
                }
                Some((name, value)) if name == "content-length" => {
                    head.length = Some(value.parse()?)
                }
                Some(_) => {}
            }
        }
    }

    /// Returns the next chunk of a body, or `None` at its end.
    async fn chunk(&mut self) -> Result<Option<Vec<u8>>, Failure> {
        let size = usize::from_str_radix(&self.line().await?, 16)?;
        let mut chunk = vec![0; size];
        self.stream.read_exact(&mut chunk).await?;
        self.line().await?;
        Ok((size > 0).then_some(chunk))
    }

    async fn line(&mut self) -> Result<String, Failure> {
        let mut line = String::new();
        if self.stream.read_line(&mut line).await? == 0 {
            return Err("the server closed the connection".into());
        }
        line.truncate(line.trim_end().len());
        Ok(line)
    }
}

/// Returns the messages of a body or of a stream of events.
fn messages(body: &[u8]) -> impl Iterator<Item = &[u8]> {
    let lines = body.split(|byte| *byte == b'\n');
    lines
        .filter_map(|line| line.strip_prefix(b"data:"))
        .map(<[u8]>::trim_ascii)
        .filter(|data| !data.is_empty())
}
