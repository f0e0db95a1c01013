//! A gateway of the broken example, as a process.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use crate::broken_example::BrokenExample;
use crate::variable;

/// The time limit for a start, which is far shorter.
const PATIENCE: Duration = Duration::from_secs(60);

/// A gateway that listens, killed when it is dropped.
pub(crate) struct RunningGateway {
    pub(crate) example: BrokenExample,
    child: Child,
    /// The address of the page.
    pub(crate) url: String,
}

impl RunningGateway {
    pub(crate) fn start() -> RunningGateway {
        let example = BrokenExample::new();
        let mut child = Command::new(variable("REPERTOIRE"))
            .args(["gateway", "start", "--state-dir"])
            .arg(example.home().join("state"))
            .current_dir(example.project())
            .env_clear()
            .env("HOME", example.home())
            .env("PATH", "/usr/bin:/bin")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (sender, addresses) = mpsc::channel();
        let stderr = BufReader::new(child.stderr.take().unwrap());
        std::thread::spawn(move || {
            for line in stderr.lines().map_while(Result::ok) {
                eprintln!("gateway: {line}");
                if let Some((_, address)) = line.split_once("listening on ") {
                    let _ = sender.send(address.trim_end_matches("/mcp").to_owned());
                }
            }
        });
        let url = addresses.recv_timeout(PATIENCE).unwrap();
        RunningGateway {
            example,
            child,
            url,
        }
    }

    /// Returns the address of a view.
    pub(crate) fn at(&self, path: &str) -> String {
        format!("{}{path}", self.url)
    }

    /// Starts an agent as the operator, who connects to the socket.
    pub(crate) fn spawn_agent(&self) {
        let body = r#"{"pool": "implementation", "task_id": "T-17", "idempotency_key": "k", "agent_type": "reviewer"}"#;
        let socket = self.example.home().join("state/gateway.sock");
        let socket = UnixStream::connect(socket).unwrap();
        let answer = exchange(socket, "/api/v1/agents/records", "", body);
        assert!(answer.starts_with("HTTP/1.1 201"), "{answer}");
    }

    /// Opens a session of an MCP client, and reads a skill in it.
    pub(crate) fn read_skill(&self, skill: &str) {
        let begin = r#"{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "notebook", "version": "1.0"}}}"#;
        let begun = self.send_mcp("", begin);
        let mut lines = begun.lines();
        let session = lines.find(|line| line.starts_with("mcp-session-id: "));
        let session = format!("{}\r\n", session.unwrap());
        self.send_mcp(
            &session,
            r#"{"jsonrpc": "2.0", "method": "notifications/initialized"}"#,
        );
        let read = format!(
            r#"{{"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {{"name": "read_skill", "arguments": {{"id": "{skill}"}}}}}}"#
        );
        let answer = self.send_mcp(&session, &read);
        assert!(answer.contains("get_current_time"), "{answer}");
    }

    fn send_mcp(&self, headers: &str, body: &str) -> String {
        let stream = TcpStream::connect(self.url.trim_start_matches("http://")).unwrap();
        let headers = format!("Accept: application/json, text/event-stream\r\n{headers}");
        exchange(stream, "/mcp", &headers, body)
    }
}

/// Sends a request, and returns the head and the body of the answer.
fn exchange(mut stream: impl Read + Write, path: &str, headers: &str, body: &str) -> String {
    write!(
        stream,
        "POST {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n\
         {headers}Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

impl Drop for RunningGateway {
    fn drop(&mut self) {
        // It ends its own processes at this signal.
        let id = self.child.id().to_string();
        let _ = Command::new("kill").args(["-TERM", &id]).status();
        let _ = self.child.wait();
    }
}
