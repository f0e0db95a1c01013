//! Servers of a folder of skills, over standard input and output: ours, and those that others have.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::figure::{Figure, Goal};
use super::listing::Paged;
use super::tree::{self, Origin, Shape};
use super::{Bench, median, rival, rounds, sample};
use crate::Failure;
use crate::binary::Profile;

/// The way in which a server notices an edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Seen {
    /// By itself, sooner or later.
    ByItself,
    /// On a request to refresh.
    OnNotification,
    /// On a restart.
    Never,
}

/// The protocol that a server offers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tongue {
    /// By the skills extension, after a handshake.
    Extension,
    /// By the skills extension of the protocol of 2026-07-28, which has no handshake.
    Modern,
    /// By resources: each `SKILL.md`, and a manifest in place of an entry.
    Resources,
}

/// Processes of each server, in turns.
const SERVERS: usize = 3;

/// A server and how it is measured.
struct Contender {
    name: &'static str,
    command: Command,
    tongue: Tongue,
    seen: Seen,
    /// The number of processes, each of which may take minutes.
    rounds: usize,
    measured: Vec<Served>,
}

/// Servers over standard input and output. Comes last, because the tree is edited.
pub(super) fn figures(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let (count, profile, rounds) = if bench.options.quick {
        (200, Profile::Debug, 1)
    } else {
        (10_000, Profile::Release, SERVERS)
    };
    let program = profile.command_line()?;
    let tree = bench.folder.path().join("served");
    tree::lay(&tree, Shape::Flat, count, &Origin::Templates)?;
    for size in bench.sizes(&[count]) {
        let listed = match size == count {
            true => tree.clone(),
            false => bench.tree(Shape::Flat, size)?,
        };
        let mut command = bench.itself();
        let paged: Paged = rounds::parsed(command.arg("list").arg(&listed))?;
        let page = Figure::new(format!("serve/page/{size}"), paged.page * 1e6, "us");
        bench.figures.push(
            page.against(paged.serialising * 1e6, "serialising it")
                .goal(Goal::RatioAtMost(2.0)),
        );
    }
    let folder = sample::skills(&tree);
    let contender = |name, command, tongue, seen, rounds| Contender {
        name,
        command,
        tongue,
        seen,
        rounds,
        measured: Vec::new(),
    };
    let mut command = Command::new(program);
    command.arg("serve");
    let mut all = vec![contender(
        "serve",
        command,
        Tongue::Extension,
        Seen::ByItself,
        rounds,
    )];
    if !bench.options.quick && !bench.options.no_rivals {
        match rival::build("rival-rmcp-serve").map(Command::new) {
            Ok(command) => {
                all.push(contender(
                    "rivals/rmcp/serve",
                    command,
                    Tongue::Extension,
                    Seen::OnNotification,
                    rounds,
                ));
            }
            Err(failure) => bench.remarks.push(failure.to_string()),
        }
        for (name, shape, tongue, seen) in [
            (
                "rivals/fastmcp/serve/extension",
                "extension",
                Tongue::Modern,
                Seen::ByItself,
            ),
            (
                "rivals/fastmcp/serve/resources",
                "resources",
                Tongue::Resources,
                Seen::Never,
            ),
        ] {
            match rival::fastmcp() {
                Ok(mut command) => {
                    command.arg(shape);
                    all.push(contender(name, command, tongue, seen, 1));
                }
                Err(failure) => bench.remarks.push(failure.to_string()),
            }
        }
    }
    for contender in &mut all {
        contender.command.arg(&folder);
    }
    for round in 0..rounds {
        for contender in all.iter_mut().filter(|contender| round < contender.rounds) {
            let Contender {
                command,
                tongue,
                seen,
                ..
            } = contender;
            contender
                .measured
                .push(Served::measure(command, &folder, *tongue, *seen)?);
        }
    }
    let ours = Served::median(&all[0].measured);
    for (at, contender) in all.iter().enumerate() {
        let against = (at > 0).then_some(&ours);
        bench
            .figures
            .extend(Served::median(&contender.measured).figures(contender.name, count, against));
    }
    Ok(())
}

/// The cost of one server, in seconds and bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Served {
    /// All pages of the list, the first time, from the start of the process.
    start: f64,
    /// All pages of the list, once more.
    list: f64,
    get: f64,
    read: f64,
    /// From an edit until it is seen, where it is.
    reload: Option<f64>,
    resident: f64,
    /// Skills that were listed.
    listed: usize,
}

/// The number of measurements of each part, of which the median counts.
const LISTS: usize = 5;
const LOOKS: usize = 100;
const EDITS: usize = 5;

/// The total duration after which no further list is measured.
const LONG: Duration = Duration::from_secs(60);

/// The timeout of a server.
const PATIENCE: Duration = Duration::from_secs(120);

/// A client of a server over a pipe.
pub(crate) struct PipedClient {
    child: Child,
    ask: ChildStdin,
    answers: BufReader<ChildStdout>,
    requests: u64,
    tongue: Tongue,
}

impl Served {
    /// Measures the server that `command` starts, and edits the skills in `folder` for it.
    pub(super) fn measure(
        command: &mut Command,
        folder: &Path,
        tongue: Tongue,
        seen: Seen,
    ) -> Result<Served, Failure> {
        let begun = Instant::now();
        let mut client = PipedClient::start(command, tongue)?;
        let uris = client.list()?;
        let start = begun.elapsed().as_secs_f64();
        let mut times = Vec::new();
        let lists = Instant::now();
        while times.len() < LISTS && lists.elapsed() < LONG {
            let begun = Instant::now();
            client.list()?;
            times.push(begun.elapsed().as_secs_f64());
        }
        let list = median(times.drain(..));
        let some: Vec<&String> = uris
            .iter()
            .step_by((uris.len() / LOOKS).max(1))
            .take(LOOKS)
            .collect();
        let mut looks = |method: &str, file: &str| -> Result<f64, Failure> {
            for uri in &some {
                let begun = Instant::now();
                client.call(method, json!({"uri": uri.replace("SKILL.md", file)}))?;
                times.push(begun.elapsed().as_secs_f64());
            }
            Ok(median(times.drain(..)))
        };
        let get = match tongue {
            Tongue::Resources => looks("resources/read", "_manifest")?,
            Tongue::Extension | Tongue::Modern => looks("skills/get", "SKILL.md")?,
        };
        let read = looks("resources/read", "SKILL.md")?;
        let edits = if seen == Seen::Never { 0 } else { EDITS };
        for edit in 0..edits {
            let uri = some[edit % some.len()];
            let name = uri.rsplit('/').nth(1).ok_or("a uri names its skill")?;
            let file = folder.join(name).join("SKILL.md");
            // Another one for every server: the tree is the same.
            let description = format!("Was edited for {}, edition {edit}.", client.child.id());
            fs::write(
                folder.join(".new"),
                format!("---\nname: {name}\ndescription: {description}\n---\nRead it.\n"),
            )?;
            fs::rename(folder.join(".new"), file)?;
            let begun = Instant::now();
            if seen == Seen::OnNotification {
                client.call("tools/call", json!({"name": "reload", "arguments": {}}))?;
            }
            loop {
                // A server may send more than one notification while it refreshes.
                let got = client.call("skills/get", json!({"uri": uri}));
                if got.is_ok_and(|got| {
                    got["skill"]["frontmatter"]["description"] == description.as_str()
                }) {
                    break;
                }
                if begun.elapsed() > PATIENCE {
                    return Err("an edit is not seen".into());
                }
                std::thread::sleep(Duration::from_millis(1));
            }
            times.push(begun.elapsed().as_secs_f64());
        }
        let reload = (!times.is_empty()).then(|| median(times.drain(..)));
        Ok(Served {
            start,
            list,
            get,
            read,
            reload,
            resident: client.resident()?,
            listed: uris.len(),
        })
    }

    /// Of each part what is in the middle.
    pub(super) fn median(all: &[Served]) -> Served {
        let of = |part: fn(&Served) -> f64| median(all.iter().map(part));
        Served {
            start: of(|served| served.start),
            list: of(|served| served.list),
            get: of(|served| served.get),
            read: of(|served| served.read),
            reload: all[0]
                .reload
                .map(|_| median(all.iter().filter_map(|served| served.reload))),
            resident: of(|served| served.resident),
            listed: all
                .iter()
                .map(|served| served.listed)
                .min()
                .unwrap_or_default(),
        }
    }

    /// Returns the figures; those of a rival are ratios to `ours`.
    pub(super) fn figures(&self, name: &str, count: usize, ours: Option<&Served>) -> Vec<Figure> {
        let figure = |part: &str, unit, scale: f64, of: fn(&Served) -> Option<f64>| {
            let figure = Figure::new(format!("{name}/{part}/{count}"), of(self)? * scale, unit);
            Some(match ours.and_then(of) {
                Some(ours) => figure.against(ours * scale, "ours"),
                None => figure,
            })
        };
        let figures = [
            figure("start", "ms", 1e3, |served| Some(served.start)),
            figure("list", "ms", 1e3, |served| Some(served.list)),
            figure("get", "us", 1e6, |served| Some(served.get)),
            figure("read", "us", 1e6, |served| Some(served.read)),
            figure("reload", "ms", 1e3, |served| served.reload),
            figure("resident", "MB", 1e-6, |served| Some(served.resident)),
            Some(Figure::new(
                format!("{name}/listed/{count}"),
                self.listed as f64,
                "skills",
            )),
        ];
        figures.into_iter().flatten().collect()
    }
}

impl PipedClient {
    pub(crate) fn start(command: &mut Command, tongue: Tongue) -> Result<PipedClient, Failure> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let ask = child.stdin.take().ok_or("it is piped")?;
        let answers = BufReader::new(child.stdout.take().ok_or("it is piped")?);
        let mut client = PipedClient {
            child,
            ask,
            answers,
            requests: 0,
            tongue,
        };
        if tongue == Tongue::Modern {
            return Ok(client);
        }
        let introduction = json!({
            "protocolVersion": "2025-06-18",
            "capabilities": {"extensions": {"io.modelcontextprotocol/skills": {}}},
            "clientInfo": {"name": "bench", "version": "1"},
        });
        client.call("initialize", introduction)?;
        writeln!(
            client.ask,
            "{}",
            json!({"jsonrpc": "2.0", "method": "notifications/initialized"})
        )?;
        Ok(client)
    }

    pub(crate) fn call(&mut self, method: &str, mut params: Value) -> Result<Value, Failure> {
        self.requests += 1;
        if self.tongue == Tongue::Modern {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
                "io.modelcontextprotocol/clientCapabilities": {"extensions": {"io.modelcontextprotocol/skills": {}}},
            });
        }
        let request =
            json!({"jsonrpc": "2.0", "id": self.requests, "method": method, "params": params});
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
        let what = if self.tongue == Tongue::Resources {
            "resources"
        } else {
            "skills"
        };
        loop {
            let page = self.call(&format!("{what}/list"), params)?;
            let rows = page[what].as_array().ok_or("a page has rows")?;
            let listed = rows
                .iter()
                .filter_map(|row| row["uri"].as_str().filter(|uri| uri.ends_with("/SKILL.md")));
            uris.extend(listed.map(str::to_owned));
            match &page["nextCursor"] {
                Value::String(cursor) => params = json!({"cursor": cursor}),
                _ => return Ok(uris),
            }
        }
    }

    fn resident(&self) -> Result<f64, Failure> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("VmRSS:"))
            .ok_or("no `VmRSS`")?;
        Ok(line.trim().trim_end_matches(" kB").parse::<f64>()? * 1024.0)
    }
}

impl Drop for PipedClient {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
