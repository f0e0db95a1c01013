//! Calls that a gateway passes to a server, next to calls of the same server.

use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::client::Session;
use super::server::{PATIENCE, Process};
use super::tree::Tree;
use super::{Options, Times};
use crate::Failure;
use crate::bench::{Figure, Goal, PipedClient, Tongue};

/// The skills of the server that is called.
const SKILLS: usize = 50;
/// The calls of one client, and how many of one kind follow one another.
const CALLS: usize = 2000;
const ROUND: usize = 50;
/// Calls of all sessions together in a second.
const RATE: u32 = 200;

const CONFIGURATION: &str = "\
[gateway]
watch = false

[[registries.mcp-servers]]
id = \"inner\"
start = \"at-once\"
url = \"http://ADDRESS/mcp\"

[[registries.mcp-servers]]
id = \"piped\"
start = \"at-once\"
command = \"PROGRAM\"
args = [\"serve\", \"SKILLS\"]
";

const SKILL: &str = "\
---
name: caller
description: Calls the server.
required_tools: [mcp__inner__read_skill_resource, mcp__piped__read_skill_resource]
---
Call it.
";

/// The tool of the server, and its names in the gateway.
const TOOL: &str = "read_skill_resource";
const PASSED_TOOL: &str = "mcp__inner__read_skill_resource";
const PIPED_TOOL: &str = "mcp__piped__read_skill_resource";

/// The durations of calls.
#[derive(Debug, Default)]
struct Calls {
    direct: Times,
    passed: Times,
}

/// Measures one caller, then `sessions` of them at a fixed rate.
///
/// Direct and passed calls take turns, so that a change of the machine's speed affects both.
pub(super) async fn figures(
    options: &Options,
    program: &Path,
    folder: &Path,
) -> Result<Vec<Figure>, Failure> {
    let folder = folder.join("passed");
    let tree = Tree::lay(&folder, SKILLS)?;
    let sessions = options.sessions;
    let server = Process::start(program, tree.root(), 2 * sessions)?;
    let project = folder.join("project");
    fs::create_dir_all(project.join("skills/caller"))?;
    fs::write(project.join("skills/caller/SKILL.md"), SKILL)?;
    let address = server.address().to_string();
    let file = project.join("repertoire.toml");
    let configuration = CONFIGURATION
        .replace("ADDRESS", &address)
        .replace("PROGRAM", &program.to_string_lossy())
        .replace("SKILLS", &tree.root().to_string_lossy());
    fs::write(&file, configuration)?;
    let gateway = Process::start_gateway(program, &file, &folder.join("state"))?;

    let mut caller = passed(gateway.address()).await?;
    let alone = in_turns(direct(server.address()).await?, &mut caller).await?;
    caller.tool = PIPED_TOOL;
    let piped = in_turns(piped(program, tree.root())?, &mut caller).await?;
    let time = Duration::from_secs(options.seconds.min(20));
    let direct = open(server.address(), sessions, direct).await?;
    let passed = open(gateway.address(), sessions, passed).await?;
    let together = together(direct, passed, time).await?;
    let figures = [
        figure("piped/p50", &piped, 50, 0.3),
        figure("one/p50", &alone, 50, 0.3),
        figure("sessions/p50", &together, 50, f64::INFINITY),
        figure("sessions/p99", &together, 99, 2.0),
    ];
    gateway.stop()?;
    server.stop()?;
    Ok(figures.into())
}

/// Returns what passing a call costs at `percent`, in milliseconds.
fn figure(name: &str, calls: &Calls, percent: usize, most: f64) -> Figure {
    let milliseconds = |times: &Times| times.at(percent).as_secs_f64() * 1e3;
    let (passed, direct) = (milliseconds(&calls.passed), milliseconds(&calls.direct));
    eprintln!("mcp-load: {name}: {passed:.3} ms passed, {direct:.3} ms direct");
    let figure = Figure::new(format!("mcp-load/passed/{name}"), passed - direct, "ms");
    if most.is_finite() {
        figure.goal(Goal::AtMost(most))
    } else {
        figure
    }
}

/// Calls a server directly and through the gateway, in rounds.
async fn in_turns(mut direct: Caller, passed: &mut Caller) -> Result<Calls, Failure> {
    let mut calls = Calls::default();
    // The first round warms up.
    for round in 0..=CALLS / ROUND {
        for (caller, times) in [
            (&mut direct, &mut calls.direct),
            (&mut *passed, &mut calls.passed),
        ] {
            for _ in 0..ROUND {
                let took = caller.call().await?;
                if round > 0 {
                    times.0.push(took);
                }
            }
        }
    }
    Ok(calls)
}

/// Opens `count` sessions.
async fn open<F: Future<Output = Result<Caller, Failure>>>(
    address: SocketAddr,
    count: usize,
    one: fn(SocketAddr) -> F,
) -> Result<Vec<Caller>, Failure> {
    let mut callers = Vec::with_capacity(count);
    for _ in 0..count {
        callers.push(one(address).await?);
    }
    Ok(callers)
}

/// Lets the sessions of both kinds call in rounds, until each kind has called for `time`.
async fn together(
    mut direct: Vec<Caller>,
    mut passed: Vec<Caller>,
    time: Duration,
) -> Result<Calls, Failure> {
    let mut calls = Calls::default();
    let rounds = (time.as_secs_f64() / round_of(direct.len()).as_secs_f64()).ceil();
    // The first round warms up.
    for number in 0..=rounds as usize {
        for (callers, times) in [
            (&mut direct, &mut calls.direct),
            (&mut passed, &mut calls.passed),
        ] {
            let took = round(callers).await?;
            if number > 0 {
                times.0.extend(took);
            }
        }
    }
    Ok(calls)
}

/// Returns the time in which `callers` call once each at the fixed rate.
fn round_of(callers: usize) -> Duration {
    Duration::from_secs(1) * callers as u32 / RATE
}

/// Lets each of `callers` call once, at equal distances.
async fn round(callers: &mut Vec<Caller>) -> Result<Vec<Duration>, Failure> {
    let (begun, count) = (Instant::now(), callers.len() as u32);
    let mut tasks = JoinSet::new();
    for (number, mut caller) in callers.drain(..).enumerate() {
        let turn = begun + round_of(count as usize) * number as u32 / count;
        tasks.spawn(async move {
            tokio::time::sleep_until(turn.into()).await;
            let took = caller.call().await.map_err(|failure| failure.to_string())?;
            Ok::<_, String>((caller, took))
        });
    }
    let mut times = Vec::with_capacity(tasks.len());
    while let Some(done) = tasks.join_next().await {
        let (caller, took) = done??;
        callers.push(caller);
        times.push(took);
    }
    Ok(times)
}

/// A session, and the tool that it calls.
struct Caller {
    session: CallerSession,
    tool: &'static str,
}

enum CallerSession {
    Http(Session),
    Piped(PipedClient),
}

async fn direct(server: SocketAddr) -> Result<Caller, Failure> {
    Ok(Caller {
        session: CallerSession::Http(Session::begin(server).await?),
        tool: TOOL,
    })
}

/// Starts a program that serves over its standard input and output.
fn piped(program: &Path, skills: &Path) -> Result<Caller, Failure> {
    let mut command = Command::new(program);
    let client = PipedClient::start(command.arg("serve").arg(skills), Tongue::Extension)?;
    Ok(Caller {
        session: CallerSession::Piped(client),
        tool: TOOL,
    })
}

/// Opens a session of the gateway, which activates the skill.
async fn passed(gateway: SocketAddr) -> Result<Caller, Failure> {
    let mut session = Session::begin(gateway).await?;
    let read = json!({"name": "read_skill", "arguments": {"id": "caller"}});
    let begun = Instant::now();
    // A server that still starts lists its tools later.
    loop {
        let answer = session.call("tools/call", read.clone()).await?.to_string();
        if [PASSED_TOOL, PIPED_TOOL]
            .iter()
            .all(|tool| answer.contains(tool))
        {
            break;
        }
        if begun.elapsed() > PATIENCE {
            return Err(format!("the skill does not bring its tools: {answer}").into());
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    Ok(Caller {
        session: CallerSession::Http(session),
        tool: PASSED_TOOL,
    })
}

impl Caller {
    async fn call(&mut self) -> Result<Duration, Failure> {
        let given = json!({"id": "skill-00001", "path": "SKILL.md"});
        let call = json!({"name": self.tool, "arguments": given});
        let begun = Instant::now();
        let answer = match &mut self.session {
            CallerSession::Http(session) => session.call("tools/call", call).await?,
            CallerSession::Piped(client) => client.call("tools/call", call)?,
        };
        let took = begun.elapsed();
        match answer["content"][0]["text"].as_str() {
            Some(text)
                if text.contains("name: skill-00001") && answer["isError"] != Value::Bool(true) =>
            {
                Ok(took)
            }
            _ => Err(format!("a call failed: {answer}").into()),
        }
    }
}
