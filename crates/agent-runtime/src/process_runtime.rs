//! Agents that write lines of JSON to standard output.

use std::io;
use std::time::Duration;

use repertoire_core::async_trait;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{ChildStdin, ChildStdout};
use tokio::time::Instant;

use crate::agent_process::AgentProcess;
use crate::ticket::TicketFile;
use crate::{AgentExit, HostMessage, Launch, Received, RunningAgent, Runtime, TicketDelivery};

/// The longest line that is read; the rest of a longer one is skipped.
const MOST_LINE_BYTES: usize = 1 << 20;

/// The time for an agent to read its ticket from a full pipe.
const TICKET_TIMEOUT: Duration = Duration::from_secs(10);

/// The time after the end of the process in which its output is read to the end.
const DRAIN_TIMEOUT: Duration = Duration::from_millis(250);

/// A runtime for programs that read [`HostMessage`]s from standard input and write
/// [`AgentMessage`](crate::AgentMessage)s to standard output, one JSON object on each line.
///
/// The first line of input is the [`Ticket`](crate::Ticket), unless it is delivered by a file. The agent answers with
/// `{"type":"ready"}`. Other output is kept as events.
#[derive(Debug, Clone, Copy, Default)]
pub struct ProcessRuntime {
    delivery: TicketDelivery,
}

impl ProcessRuntime {
    /// Creates a runtime that hands over tickets in this way.
    pub fn new(delivery: TicketDelivery) -> Self {
        Self { delivery }
    }
}

#[async_trait]
impl Runtime for ProcessRuntime {
    async fn start(&self, agent: Launch<'_>) -> io::Result<Box<dyn RunningAgent>> {
        let file = match self.delivery {
            TicketDelivery::StandardInput => None,
            TicketDelivery::File => Some(TicketFile::create(agent.ticket_folder, agent.ticket)?),
        };
        let is_in_file = file.is_some();
        let (process, stdin, stdout) = AgentProcess::start(&agent, file)?;
        let mut running = LineAgent {
            stdin,
            lines: LineReader::new(stdout),
            process,
            ended: None,
        };
        if !is_in_file {
            let mut line = serde_json::to_vec(agent.ticket)?;
            line.push(b'\n');
            let written =
                tokio::time::timeout(TICKET_TIMEOUT, running.stdin.write_all(&line)).await;
            if written.is_err() {
                running.end(Duration::ZERO).await;
                return Err(io::Error::new(
                    io::ErrorKind::TimedOut,
                    "the agent did not read its ticket in 10 seconds",
                ));
            }
            // An agent that closed its input ends, and its end is received.
        }
        Ok(Box::new(running))
    }
}

struct LineAgent {
    // Under a supervisor, the run ends when this is closed.
    stdin: ChildStdin,
    lines: LineReader<ChildStdout>,
    process: AgentProcess,
    /// The end of the process, and the time up to which its output is read.
    ended: Option<(AgentExit, Instant)>,
}

#[async_trait]
impl RunningAgent for LineAgent {
    async fn receive(&mut self) -> Received {
        while self.ended.is_none() && self.lines.is_open {
            tokio::select! {
                biased;
                line = self.lines.next() => if let Some(line) = line {
                    return Received::from_line(&self.process.redact(line));
                },
                exit = self.process.wait() => {
                    self.ended = Some((exit, Instant::now() + DRAIN_TIMEOUT));
                }
            }
        }
        let (exit, drained) = match &self.ended {
            Some((exit, drained)) => (exit.clone(), *drained),
            None => {
                let exit = self.process.wait().await;
                self.ended = Some((exit.clone(), Instant::now()));
                (exit, Instant::now())
            }
        };
        if self.lines.is_open {
            // A process that left may hold the stream open.
            match tokio::time::timeout_at(drained, self.lines.next()).await {
                Ok(Some(line)) => return Received::from_line(&self.process.redact(line)),
                _ => self.lines.is_open = false,
            }
        }
        Received::Ended(exit)
    }

    async fn send(&mut self, message: &HostMessage) -> io::Result<()> {
        let mut line = serde_json::to_vec(message)?;
        line.push(b'\n');
        self.stdin.write_all(&line).await
    }

    async fn end(&mut self, grace: Duration) -> AgentExit {
        self.process.end(grace).await
    }
}

/// Lines of a stream, with a limit.
struct LineReader<R> {
    stream: R,
    buffer: Vec<u8>,
    /// The bytes at the front of the buffer that have no end of line.
    searched: usize,
    /// `true` while the rest of a long line is skipped.
    is_skipping: bool,
    is_open: bool,
}

impl<R: AsyncRead + Unpin> LineReader<R> {
    fn new(stream: R) -> Self {
        Self {
            stream,
            buffer: Vec::new(),
            searched: 0,
            is_skipping: false,
            is_open: true,
        }
    }

    /// Returns the next line, or `None` at the end of the stream.
    ///
    /// # Cancel safety
    /// May be dropped at any await; nothing is lost.
    async fn next(&mut self) -> Option<String> {
        loop {
            while let Some(line) = self.buffered() {
                if !line.trim().is_empty() {
                    return Some(line);
                }
            }
            match self.stream.read_buf(&mut self.buffer).await {
                Ok(1..) => {}
                _ => {
                    self.is_open = false;
                    self.searched = 0;
                    let rest = std::mem::take(&mut self.buffer);
                    let rest = String::from_utf8_lossy(&rest).into_owned();
                    return Some(rest).filter(|rest| !rest.trim().is_empty() && !self.is_skipping);
                }
            }
        }
    }

    /// Removes a line from the buffer: a whole one, or the front of one that is too long.
    fn buffered(&mut self) -> Option<String> {
        loop {
            let end = self.buffer[self.searched..]
                .iter()
                .position(|byte| *byte == b'\n');
            let (length, is_whole) = match end {
                Some(end) => (self.searched + end + 1, true),
                None if self.buffer.len() >= MOST_LINE_BYTES => (self.buffer.len(), false),
                None => {
                    self.searched = self.buffer.len();
                    return None;
                }
            };
            let line: Vec<u8> = self.buffer.drain(..length).collect();
            self.searched = 0;
            let was_skipping = std::mem::replace(&mut self.is_skipping, !is_whole);
            if !was_skipping {
                let text = String::from_utf8_lossy(&line);
                return Some(text.trim_end_matches(['\n', '\r']).to_owned());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn long_lines_are_cut() {
        let long = "x".repeat(MOST_LINE_BYTES + 70_000);
        let text = format!("one\r\n\n{long}\ntwo\nrest");
        let mut lines = LineReader::new(text.as_bytes());
        assert_eq!(lines.next().await.as_deref(), Some("one"));
        let cut = lines.next().await.unwrap();
        assert!((MOST_LINE_BYTES..long.len()).contains(&cut.len()));
        assert_eq!(lines.next().await.as_deref(), Some("two"));
        assert_eq!(lines.next().await.as_deref(), Some("rest"));
        assert_eq!(lines.next().await, None);
    }
}
