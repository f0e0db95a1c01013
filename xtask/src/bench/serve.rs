//! Servers of a folder of skills, over standard input and output: ours, and those that others have.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::figure::Figure;
use super::median;
use crate::Failure;

/// How a server comes to know of an edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Seen {
    /// By itself, sooner or later.
    ByItself,
    /// When it is told to look again.
    WhenTold,
}

/// What one server costs, in seconds and bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Served {
    /// All pages of the list, the first time, from the start of the process.
    start: f64,
    /// All pages of the list, once more.
    list: f64,
    get: f64,
    read: f64,
    /// From an edit until it is seen.
    reload: f64,
    resident: f64,
    /// Skills that were listed.
    listed: usize,
}

/// How often each part is measured, after which the one in the middle is taken.
const LISTS: usize = 5;
const LOOKS: usize = 100;
const EDITS: usize = 5;

/// Longer than any of them takes.
const PATIENCE: Duration = Duration::from_secs(120);

/// A client of a server.
struct Client {
    child: Child,
    ask: ChildStdin,
    answers: BufReader<ChildStdout>,
    requests: u64,
}

impl Served {
    /// Measures the server that `command` starts, and edits the skills in `folder` for it.
    pub(super) fn measure(command: &mut Command, folder: &Path, seen: Seen) -> Result<Served, Failure> {
        let begun = Instant::now();
        let mut client = Client::start(command)?;
        let uris = client.list()?;
        let start = begun.elapsed().as_secs_f64();
        let mut times = Vec::new();
        for _ in 0..LISTS {
            let begun = Instant::now();
            client.list()?;
            times.push(begun.elapsed().as_secs_f64());
        }
        let list = median(times.drain(..));
        let some: Vec<&String> = uris.iter().step_by((uris.len() / LOOKS).max(1)).take(LOOKS).collect();
        let mut looks = |method: &str| -> Result<f64, Failure> {
            for uri in &some {
                let begun = Instant::now();
                client.call(method, json!({"uri": uri}))?;
                times.push(begun.elapsed().as_secs_f64());
            }
            Ok(median(times.drain(..)))
        };
        let (get, read) = (looks("skills/get")?, looks("resources/read")?);
        for edit in 0..EDITS {
            let uri = some[edit % some.len()];
            let name = uri.rsplit('/').nth(1).ok_or("a uri names its skill")?;
            let file = folder.join(name).join("SKILL.md");
            // Another one for every server: the tree is the same.
            let description = format!("Was edited for {}, edition {edit}.", client.child.id());
            fs::write(folder.join(".new"), format!("---\nname: {name}\ndescription: {description}\n---\nRead it.\n"))?;
            fs::rename(folder.join(".new"), file)?;
            let begun = Instant::now();
            if seen == Seen::WhenTold {
                client.call("tools/call", json!({"name": "reload", "arguments": {}}))?;
            }
            loop {
                // While a server looks at what changed, it may say that it is changing.
                let got = client.call("skills/get", json!({"uri": uri}));
                if got.is_ok_and(|got| got["skill"]["frontmatter"]["description"] == description.as_str()) {
                    break;
                }
                if begun.elapsed() > PATIENCE {
                    return Err("an edit is not seen".into());
                }
                std::thread::sleep(Duration::from_millis(1));
            }
            times.push(begun.elapsed().as_secs_f64());
        }
        let reload = median(times.drain(..));
        Ok(Served { start, list, get, read, reload, resident: client.resident()?, listed: uris.len() })
    }

    /// Of each part what is in the middle.
    pub(super) fn median(all: &[Served]) -> Served {
        let of = |part: fn(&Served) -> f64| median(all.iter().map(part));
        Served {
            start: of(|served| served.start),
            list: of(|served| served.list),
            get: of(|served| served.get),
            read: of(|served| served.read),
            reload: of(|served| served.reload),
            resident: of(|served| served.resident),
            listed: all.iter().map(|served| served.listed).min().unwrap_or_default(),
        }
    }

    /// As figures; where they are of a rival, against `ours`.
    pub(super) fn figures(&self, name: &str, count: usize, ours: Option<&Served>) -> Vec<Figure> {
        let figure = |part: &str, unit, scale: f64, of: fn(&Served) -> f64| {
            let figure = Figure::new(format!("{name}/{part}/{count}"), of(self) * scale, unit);
            match ours {
                Some(ours) => figure.against(of(ours) * scale, "ours"),
                None => figure,
            }
        };
        vec![
            figure("start", "ms", 1e3, |served| served.start),
            figure("list", "ms", 1e3, |served| served.list),
            figure("get", "us", 1e6, |served| served.get),
            figure("read", "us", 1e6, |served| served.read),
            figure("reload", "ms", 1e3, |served| served.reload),
            figure("resident", "MB", 1e-6, |served| served.resident),
            Figure::new(format!("{name}/listed/{count}"), self.listed as f64, "skills"),
        ]
    }
}

impl Client {
    fn start(command: &mut Command) -> Result<Client, Failure> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let ask = child.stdin.take().ok_or("it is piped")?;
        let answers = BufReader::new(child.stdout.take().ok_or("it is piped")?);
        let mut client = Client { child, ask, answers, requests: 0 };
        let introduction = json!({
            "protocolVersion": "2025-06-18",
            "capabilities": {"extensions": {"io.modelcontextprotocol/skills": {}}},
            "clientInfo": {"name": "bench", "version": "1"},
        });
        client.call("initialize", introduction)?;
        writeln!(client.ask, "{}", json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        Ok(client)
    }

    fn call(&mut self, method: &str, params: Value) -> Result<Value, Failure> {
        self.requests += 1;
        let request = json!({"jsonrpc": "2.0", "id": self.requests, "method": method, "params": params});
        writeln!(self.ask, "{request}")?;
        let mut line = String::new();
        loop {
            line.clear();
            if self.answers.read_line(&mut line)? == 0 {
                return Err(format!("the server ended instead of answering `{method}`").into());
            }
            let mut answer: Value = serde_json::from_str(&line)?;
            if answer["id"] == self.requests {
                return match answer.get_mut("result") {
                    Some(result) => Ok(result.take()),
                    None => Err(format!("`{method}` failed: {}", answer["error"]).into()),
                };
            }
        }
    }

    /// The uris of all skills.
    fn list(&mut self) -> Result<Vec<String>, Failure> {
        let (mut uris, mut params) = (Vec::new(), json!({}));
        loop {
            let page = self.call("skills/list", params)?;
            let skills = page["skills"].as_array().ok_or("a page has skills")?;
            uris.extend(skills.iter().filter_map(|skill| skill["uri"].as_str().map(str::to_owned)));
            match &page["nextCursor"] {
                Value::String(cursor) => params = json!({"cursor": cursor}),
                _ => return Ok(uris),
            }
        }
    }

    fn resident(&self) -> Result<f64, Failure> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).ok_or("no `VmRSS`")?;
        Ok(line.trim().trim_end_matches(" kB").parse::<f64>()? * 1024.0)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
