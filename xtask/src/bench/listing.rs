//! The cost of a page of the skill list for its server, without a transport.

use std::hint::black_box;
use std::path::Path;

use repertoire::SkillRegistry;
use repertoire_mcp::{Server, ServerOptions};
use rustix::time::ClockId;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf};

use super::sample::{self, cpu};
use super::tree;
use crate::Failure;

/// Processor times in seconds, of the page in the middle.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct Paged {
    /// From the question to the last byte of the answer.
    pub(super) page: f64,
    /// Turning the same answer into text.
    pub(super) serialising: f64,
}

/// The number of times that every page is listed, after a first time that reads the files.
const WALKS: usize = 5;

/// More than an answer has.
const PIPE: usize = 1 << 22;

/// One client, in the same thread as its server.
struct Client {
    read: BufReader<ReadHalf<DuplexStream>>,
    write: WriteHalf<DuplexStream>,
    line: String,
    asked: u64,
}

/// Lists all skills of `tree`, page by page.
pub(super) fn measure(tree: &Path) -> Result<Paged, Failure> {
    tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()?
        .block_on(async {
            let source = tree::source(&sample::skills(tree))?;
            let server = Server::new(
                SkillRegistry::builder().user(source).load().await?,
                ServerOptions::default(),
            );
            let (client, pipe) = tokio::io::duplex(PIPE);
            let (read, write) = tokio::io::split(pipe);
            let serving = tokio::spawn(async move { server.serve(read, write).await });
            let paged = Client::over(client).walks().await?;
            serving.await??;
            Ok(paged)
        })
}

impl Client {
    fn over(pipe: DuplexStream) -> Client {
        let (read, write) = tokio::io::split(pipe);
        Client {
            read: BufReader::with_capacity(PIPE, read),
            write,
            line: String::new(),
            asked: 0,
        }
    }

    async fn walks(mut self) -> Result<Paged, Failure> {
        let introduction = json!({
            "protocolVersion": "2025-06-18",
            "capabilities": {"extensions": {"io.modelcontextprotocol/skills": {}}},
            "clientInfo": {"name": "bench", "version": "1"},
        });
        self.ask("initialize", &introduction).await?;
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string())
            .await?;
        let (mut pages, mut serialising) = (Vec::new(), Vec::new());
        for walk in 0..=WALKS {
            let mut params = json!({});
            loop {
                let begun = cpu(ClockId::ThreadCPUTime);
                self.ask("skills/list", &params).await?;
                let asked = cpu(ClockId::ThreadCPUTime) - begun;
                let answer: Value = serde_json::from_str(&self.line)?;
                let begun = cpu(ClockId::ThreadCPUTime);
                black_box(serde_json::to_vec(&answer)?);
                let serialised = cpu(ClockId::ThreadCPUTime) - begun;
                if walk > 0 {
                    pages.push(asked);
                    serialising.push(serialised);
                }
                match &answer["result"] {
                    Value::Object(result) if result["skills"].is_array() => {
                        match result.get("nextCursor") {
                            Some(cursor) => params = json!({"cursor": cursor}),
                            None => break,
                        }
                    }
                    _ => return Err(format!("no page: {answer}").into()),
                }
            }
        }
        Ok(Paged {
            page: super::median(pages.into_iter()),
            serialising: super::median(serialising.into_iter()),
        })
    }

    /// Asks, and reads the answer to the end.
    async fn ask(&mut self, method: &str, params: &Value) -> Result<(), Failure> {
        self.asked += 1;
        let question =
            json!({"jsonrpc": "2.0", "id": self.asked, "method": method, "params": params});
        self.send(&question.to_string()).await?;
        self.line.clear();
        if self.read.read_line(&mut self.line).await? == 0 {
            return Err(format!("the server ended instead of answering `{method}`").into());
        }
        Ok(())
    }

    async fn send(&mut self, message: &str) -> Result<(), Failure> {
        self.write.write_all(message.as_bytes()).await?;
        Ok(self.write.write_all(b"\n").await?)
    }
}
