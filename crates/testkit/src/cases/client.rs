//! A client of the MCP server, which the real binary serves over standard input and output.

use std::cell::RefCell;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(20);

/// A client and its server. Dropped, the server ends.
#[derive(Debug)]
pub(crate) struct Client {
    server: Child,
    ask: Option<ChildStdin>,
    lines: Receiver<String>,
    stderr: Option<JoinHandle<String>>,
    said: RefCell<Said>,
    /// The answer to `initialize`.
    pub(crate) introduction: Value,
}

/// What the server wrote so far.
#[derive(Debug, Default)]
struct Said {
    lines: Vec<String>,
    /// The methods of its notifications.
    notices: Vec<String>,
    asked: u64,
}

/// How a server ended, and all that it wrote.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) succeeded: bool,
    pub(crate) lines: Vec<String>,
    pub(crate) stderr: String,
}

impl Client {
    /// Starts `program serve` over these folders and introduces itself.
    pub(crate) fn start(program: &Path, roots: &[impl AsRef<Path>], cwd: &Path, home: &Path) -> io::Result<Client> {
        let mut command = Command::new(program);
        command.args(["serve", "--no-defaults"]).current_dir(cwd);
        for root in roots {
            command.arg("--root").arg(root.as_ref());
        }
        command.env_clear().env("HOME", home).env("LANG", "C.UTF-8").env("RUST_LOG", "debug");
        command.envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut server = command.spawn()?;
        let (ask, stdout, stderr) = (server.stdin.take(), server.stdout.take(), server.stderr.take());
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            let lines = stdout.into_iter().flat_map(|stdout| BufReader::new(stdout).split(b'\n')).map_while(Result::ok);
            // Nobody who listens, nobody to tell.
            let _ =
                lines.map(|line| String::from_utf8_lossy(&line).into_owned()).try_for_each(|line| sender.send(line));
        });
        let stderr = thread::spawn(move || {
            let mut text = Vec::new();
            let _ = stderr.map(|mut stderr| stderr.read_to_end(&mut text));
            String::from_utf8_lossy(&text).into_owned()
        });
        let stderr = Some(stderr);
        let mut client = Client { server, ask, lines, stderr, said: RefCell::default(), introduction: Value::Null };
        let introduction = client.ask(
            "initialize",
            json!({
                "protocolVersion": "2025-06-18",
                "capabilities": {"extensions": {"io.modelcontextprotocol/skills": {}}},
                "clientInfo": {"name": "case-runner", "version": "1"},
            }),
        );
        client.introduction = introduction.map_err(io::Error::other)?;
        client.say(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        Ok(client)
    }

    /// What the server answers.
    pub(crate) fn ask(&self, method: &str, params: Value) -> Result<Value, String> {
        let id = {
            let mut said = self.said.borrow_mut();
            said.asked += 1;
            said.asked
        };
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.say(&request).map_err(|error| format!("{method} could not be asked: {error}"))?;
        let deadline = Instant::now() + PATIENCE;
        loop {
            let line = self.next(deadline).ok_or_else(|| format!("no answer to {method}"))?;
            let Ok(mut answer) = serde_json::from_str::<Value>(&line) else { continue };
            if answer["id"] == id {
                return match answer.get("error") {
                    Some(error) => Err(format!("{method}: {error}")),
                    None => Ok(answer["result"].take()),
                };
            }
        }
    }

    /// Every row of a list, whatever pages it comes in.
    pub(crate) fn list(&self, method: &str, rows: &str) -> Result<Vec<Value>, String> {
        let (mut all, mut params) = (Vec::new(), json!({}));
        loop {
            let page = self.ask(method, params)?;
            all.extend(page[rows].as_array().into_iter().flatten().cloned());
            match &page["nextCursor"] {
                Value::String(cursor) => params = json!({"cursor": cursor}),
                _ => return Ok(all),
            }
        }
    }

    /// The notifications that came until now, and those until `deadline`.
    pub(crate) fn notices(&self, deadline: Instant) -> Vec<String> {
        while self.next(deadline).is_some() {}
        self.said.borrow().notices.clone()
    }

    /// Leaves, and waits for the server to end.
    pub(crate) fn end(mut self) -> io::Result<Ended> {
        drop(self.ask.take());
        let deadline = Instant::now() + PATIENCE;
        while self.next(deadline).is_some() {}
        let succeeded = Instant::now() < deadline && self.server.wait()?.success();
        let _ = self.server.kill();
        let stderr = self.stderr.take().and_then(|stderr| stderr.join().ok()).unwrap_or_default();
        let lines = std::mem::take(&mut self.said.borrow_mut().lines);
        Ok(Ended { succeeded, lines, stderr })
    }

    fn say(&self, message: &Value) -> io::Result<()> {
        let mut ask = self.ask.as_ref().ok_or(io::ErrorKind::BrokenPipe)?;
        ask.write_all(format!("{message}\n").as_bytes())?;
        ask.flush()
    }

    /// The next line, which is kept.
    fn next(&self, deadline: Instant) -> Option<String> {
        let line = self.lines.recv_timeout(deadline.saturating_duration_since(Instant::now())).ok()?;
        let mut said = self.said.borrow_mut();
        if let Ok(message) = serde_json::from_str::<Value>(&line)
            && let (Some(method), None) = (message["method"].as_str(), message.get("id"))
        {
            said.notices.push(method.to_owned());
        }
        said.lines.push(line.clone());
        Some(line)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // One that has ended by itself needs no killing.
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}
