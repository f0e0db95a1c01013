//! The end of a server, while clients ask.

use std::sync::Arc;

use repertoire::registry::Candidate;
use repertoire::skill::{Bytes, Resource, ResourcePath, SourceError, async_trait};
use repertoire::tools::{Instructions, SkillReader};
use repertoire::{Mount, Skill};
use repertoire_mcp::{HttpOptions, ServerOptions};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;

use crate::client::PATIENCE;
use crate::fixture::{home, serve_with};
use crate::http::{Listening, introduction, listen};

/// Reads when it is let.
struct Held {
    /// Grows by one with each that waits.
    waiting: Semaphore,
    let_go: Semaphore,
}

#[async_trait]
impl SkillReader for Held {
    async fn body(&self, _: &Candidate<Skill>, _: &str) -> Result<Instructions, SourceError> {
        self.waiting.add_permits(1);
        self.let_go
            .acquire()
            .await
            .expect("no other task closes it")
            .forget();
        Ok("Sort it in the end.\n".into())
    }

    async fn resources(&self, _: &Candidate<Skill>) -> Result<Vec<Resource>, SourceError> {
        Ok(Vec::new())
    }

    async fn resource(&self, _: &Candidate<Skill>, _: &ResourcePath) -> Result<Bytes, SourceError> {
        unreachable!("there is none")
    }
}

/// A connection that stays open.
struct Connection(BufReader<TcpStream>);

impl Connection {
    async fn to(listening: &Listening) -> Connection {
        Connection(BufReader::new(
            TcpStream::connect(listening.address)
                .await
                .expect("it listens"),
        ))
    }

    async fn send(&mut self, request: &str, body: &str) {
        let request = format!(
            "{request} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\naccept: application/json, text/event-stream\r\ncontent-length: {}\r\n",
            body.len()
        );
        self.0
            .write_all(format!("{request}\r\n{body}").as_bytes())
            .await
            .expect("heard");
    }

    /// The status and the head of the next answer, whose body has a length.
    async fn answer(&mut self) -> (u16, String) {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert_ne!(
                self.0.read_line(&mut head).await.expect("text"),
                0,
                "it was closed: {head}"
            );
        }
        let head = head.to_ascii_lowercase();
        let length = head
            .lines()
            .find_map(|line| line.strip_prefix("content-length: "));
        let mut body = vec![0; length.map_or(0, |length| length.parse().expect("a number"))];
        self.0.read_exact(&mut body).await.expect("a body");
        (
            head.split(' ')
                .nth(1)
                .and_then(|status| status.parse().ok())
                .expect("a status"),
            head,
        )
    }

    async fn ask(&mut self, request: &str, body: &str) -> (u16, String) {
        self.send(request, body).await;
        self.answer().await
    }
}

fn read_tidy() -> Value {
    json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "read_skill", "arguments": {"id": "tidy"}}})
}

/// A server that answers when it is let, and the header of a session with it.
async fn held(options: HttpOptions) -> (Listening, Arc<Held>, String) {
    let held = Arc::new(Held {
        waiting: Semaphore::new(0),
        let_go: Semaphore::new(0),
    });
    let served = ServerOptions::default().reader(held.clone());
    let server = serve_with(Mount::user(home(&[("tidy", "Sort it.\n")])), served).await;
    let listening = listen(&server, options).await;
    let (_, head, _) = listening
        .post("", introduction().to_string().as_bytes())
        .await;
    let id = head
        .lines()
        .find_map(|line| line.strip_prefix("mcp-session-id: "))
        .expect("a session");
    let session = format!("mcp-session-id: {id}\r\n");
    let begun = json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string();
    assert_eq!(listening.post(&session, begun.as_bytes()).await.0, 202);
    (listening, held, session)
}

impl Held {
    async fn is_asked(&self) {
        tokio::time::timeout(PATIENCE, self.waiting.acquire())
            .await
            .expect("it is asked")
            .expect("open")
            .forget();
    }
}

#[tokio::test]
async fn requests_in_progress_are_answered() {
    let (listening, held, session) = held(HttpOptions::default().drain(PATIENCE)).await;
    let question = read_tidy().to_string();
    let asking = listening.post(&session, question.as_bytes());
    let ending = async {
        held.is_asked().await;
        let [mut there, mut ready, mut alive] = [
            Connection::to(&listening).await,
            Connection::to(&listening).await,
            Connection::to(&listening).await,
        ];
        for connection in [&mut there, &mut ready, &mut alive] {
            assert_eq!(connection.ask("GET /metrics", "").await.0, 200);
        }
        listening.end.cancel();
        while there.ask("GET /metrics", "").await.0 == 200 {}
        assert_eq!(ready.ask("GET /readyz", "").await.0, 503);
        assert_eq!(alive.ask("GET /healthz", "").await.0, 200);
        // A connected client is refused with the time to try again.
        let (status, head) = there.ask("POST /mcp", &introduction().to_string()).await;
        assert!(status == 503 && head.contains("retry-after: "), "{head}");
        held.let_go.add_permits(1);
    };
    let ((status, _, body), ()) = tokio::join!(asking, ending);
    assert!(
        status == 200 && body.contains("Sort it in the end."),
        "{body}"
    );
    listening.end().await;
}

#[tokio::test]
async fn the_end_has_a_time_limit() {
    let (listening, held, session) =
        held(HttpOptions::default().drain(std::time::Duration::ZERO)).await;
    let question = read_tidy().to_string();
    let ending = async {
        held.is_asked().await;
        listening.end.cancel();
    };
    let ((_, _, body), ()) = tokio::join!(listening.post(&session, question.as_bytes()), ending);
    assert!(!body.contains("\"result\""), "{body}");
    listening.end().await;
}
