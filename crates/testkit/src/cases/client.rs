//! A client of the MCP server over stdio.

use std::cell::RefCell;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin};
use std::sync::mpsc::{self, Receiver};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use repertoire_process::command;
use serde_json::{Value, json};

const TIMEOUT: Duration = Duration::from_secs(20);

/// A client and its server process, which is killed on drop.
#[derive(Debug)]
pub(crate) struct Client {
    server: Child,
    ask: Option<ChildStdin>,
    lines: Receiver<String>,
    stderr: Option<JoinHandle<String>>,
    output: RefCell<Output>,
    /// The result of `initialize`.
    pub(crate) server_info: Value,
}

/// The output of the server.
#[derive(Debug, Default)]
struct Output {
    lines: Vec<String>,
    notifications: Vec<String>,
    requests: u64,
}

/// The result of a server process.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) succeeded: bool,
    pub(crate) lines: Vec<String>,
    pub(crate) stderr: String,
}

impl Client {
    /// Starts `program serve` with these folders and initializes a session.
    pub(crate) fn start(
        program: &Path,
        roots: &[impl AsRef<Path>],
        cwd: &Path,
        home: &Path,
    ) -> io::Result<Client> {
        let mut command = command(&[], None, program.as_os_str());
        command.args(["serve", "--no-defaults"]).current_dir(cwd);
        for root in roots {
            command.arg("--root").arg(root.as_ref());
        }
        command
            .env("HOME", home)
            .env("LANG", "C.UTF-8")
            .env("RUST_LOG", "debug");
        command.envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
        let mut server = command.spawn()?;
        let (ask, stdout, stderr) = (
            server.stdin.take(),
            server.stdout.take(),
            server.stderr.take(),
        );
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            let lines = stdout
                .into_iter()
                .flat_map(|stdout| BufReader::new(stdout).split(b'\n'))
                .map_while(Result::ok);
            // Ends when the receiver is dropped.
            let _ = lines
                .map(|line| String::from_utf8_lossy(&line).into_owned())
                .try_for_each(|line| sender.send(line));
        });
        let stderr = thread::spawn(move || {
            let mut text = Vec::new();
            let _ = stderr.map(|mut stderr| stderr.read_to_end(&mut text));
            String::from_utf8_lossy(&text).into_owned()
        });
        let stderr = Some(stderr);
        let mut client = Client {
            server,
            ask,
            lines,
            stderr,
            output: RefCell::default(),
            server_info: Value::Null,
        };
        let result = client.request(
            "initialize",
            json!({
                "protocolVersion": "2025-06-18",
                "capabilities": {"extensions": {"io.modelcontextprotocol/skills": {}}},
                "clientInfo": {"name": "case-runner", "version": "1"},
            }),
        );
        client.server_info = result.map_err(io::Error::other)?;
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        Ok(client)
    }

    /// Sends a request and returns the result.
    pub(crate) fn request(&self, method: &str, params: Value) -> Result<Value, String> {
        let id = {
            let mut output = self.output.borrow_mut();
            output.requests += 1;
            output.requests
        };
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.send(&request)
            .map_err(|error| format!("cannot send {method}: {error}"))?;
        let deadline = Instant::now() + TIMEOUT;
        loop {
            let line = self
                .next(deadline)
                .ok_or_else(|| format!("no response to {method}"))?;
            let Ok(mut response) = serde_json::from_str::<Value>(&line) else {
                continue;
            };
            if response["id"] == id {
                return match response.get("error") {
                    Some(error) => Err(format!("{method}: {error}")),
                    None => Ok(response["result"].take()),
                };
            }
        }
    }

    /// Returns all pages of a list.
    pub(crate) fn list(&self, method: &str, rows: &str) -> Result<Vec<Value>, String> {
        let (mut all, mut params) = (Vec::new(), json!({}));
        loop {
            let page = self.request(method, params)?;
            all.extend(page[rows].as_array().into_iter().flatten().cloned());
            match &page["nextCursor"] {
                Value::String(cursor) => params = json!({"cursor": cursor}),
                _ => return Ok(all),
            }
        }
    }

    /// Waits until `deadline` and returns the methods of all notifications.
    pub(crate) fn notifications(&self, deadline: Instant) -> Vec<String> {
        while self.next(deadline).is_some() {}
        self.output.borrow().notifications.clone()
    }

    /// Closes standard input and waits for the server to exit.
    pub(crate) fn end(mut self) -> io::Result<Ended> {
        drop(self.ask.take());
        let deadline = Instant::now() + TIMEOUT;
        while self.next(deadline).is_some() {}
        let succeeded = Instant::now() < deadline && self.server.wait()?.success();
        let _ = self.server.kill();
        let stderr = self
            .stderr
            .take()
            .and_then(|stderr| stderr.join().ok())
            .unwrap_or_default();
        let lines = std::mem::take(&mut self.output.borrow_mut().lines);
        Ok(Ended {
            succeeded,
            lines,
            stderr,
        })
    }

    fn send(&self, message: &Value) -> io::Result<()> {
        let mut ask = self.ask.as_ref().ok_or(io::ErrorKind::BrokenPipe)?;
        ask.write_all(format!("{message}\n").as_bytes())?;
        ask.flush()
    }

    fn next(&self, deadline: Instant) -> Option<String> {
        let line = self
            .lines
            .recv_timeout(deadline.saturating_duration_since(Instant::now()))
            .ok()?;
        let mut output = self.output.borrow_mut();
        if let Ok(message) = serde_json::from_str::<Value>(&line)
            && let (Some(method), None) = (message["method"].as_str(), message.get("id"))
        {
            output.notifications.push(method.to_owned());
        }
        output.lines.push(line.clone());
        Some(line)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // Fails if the server has exited.
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}
