//! The log entries of requests that could not be answered.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use repertoire::registry::Candidate;
use repertoire::skill::{Bytes, Resource, ResourcePath, SourceError, SourceErrorKind, async_trait};
use repertoire::tools::{Instructions, SkillReader};
use repertoire::{Mount, Skill};
use repertoire_mcp::ServerOptions;
use serde_json::{Value, json};

use crate::fixture::{home, serve_with};
use crate::http::{introduction, listen};

/// Reads nothing.
struct Broken;

#[async_trait]
impl SkillReader for Broken {
    async fn body(&self, _: &Candidate<Skill>, _: &str) -> Result<Instructions, SourceError> {
        Err(SourceError::new(
            SourceErrorKind::Unavailable,
            "the disk is on fire",
        ))
    }

    async fn resources(&self, _: &Candidate<Skill>) -> Result<Vec<Resource>, SourceError> {
        Ok(Vec::new())
    }

    async fn resource(&self, _: &Candidate<Skill>, _: &ResourcePath) -> Result<Bytes, SourceError> {
        unreachable!("there is none")
    }
}

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0
            .lock()
            .expect("no thread panics while it holds the lock")
            .write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The cause is for the log, under the number that the client was given.
#[tokio::test]
async fn failures_are_logged_and_clients_get_no_cause() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .json()
        .with_writer(move || writer.clone())
        .finish();
    // All of it happens in this thread.
    let _guard = tracing_subscriber::util::SubscriberInitExt::set_default(subscriber);
    let options = ServerOptions::default().reader(Arc::new(Broken));
    let server = serve_with(Mount::user(home(&[("tidy", "Sort it.\n")])), options).await;
    let listening = listen(&server, Default::default()).await;
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
    let get =
        json!({"jsonrpc": "2.0", "id": 2, "method": "prompts/get", "params": {"name": "tidy"}})
            .to_string();
    let (_, head, body) = listening.post(&session, get.as_bytes()).await;
    assert!(
        body.contains("\"error\"") && !body.contains("fire"),
        "{body}"
    );
    let number = head
        .lines()
        .find_map(|line| line.strip_prefix("x-request-id: "))
        .expect("a number");
    listening.end().await;

    let log = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    let rows: Vec<Value> = log
        .lines()
        .map(|row| serde_json::from_str(row).expect("a document"))
        .collect();
    let warned = rows.iter().find(|row| {
        row["fields"]["error"]
            .as_str()
            .is_some_and(|error| error.contains("fire"))
    });
    let warned = warned.unwrap_or_else(|| panic!("{log}"));
    assert_eq!(
        (&warned["level"], warned["span"]["id"].to_string().as_str()),
        (&json!("WARN"), number),
        "{warned}"
    );
}
