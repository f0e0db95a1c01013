//! Clients that follow the events of a gateway while a skill is edited.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use tokio::sync::mpsc;

use super::client::MessageStream;
use super::server::{PATIENCE, Process};
use super::tree::Tree;
use super::{Options, Times};
use crate::Failure;
use crate::bench::{Figure, Goal};

/// The skills of the gateway.
const SKILLS: usize = 50;

/// The time between two edits: 100 of them in a minute.
const INTERVAL: Duration = Duration::from_millis(600);

/// The quiet time before a folder is read again, which is the default of a watched folder.
const DEBOUNCE: Duration = Duration::from_millis(100);

/// Connects clients, edits at a fixed rate, and waits until each client got one event of each edit.
pub(super) async fn figures(
    options: &Options,
    program: &Path,
    folder: &Path,
) -> Result<Vec<Figure>, Failure> {
    let folder = folder.join("events");
    let mut tree = Tree::lay(&folder, SKILLS)?;
    let file = folder.join("repertoire.toml");
    fs::write(&file, "[gateway]\nwatch = true\n")?;
    let gateway = Process::start_gateway(program, &file, &folder.join("state"))?;
    let clients = options.idle;
    let (sender, mut received) = mpsc::unbounded_channel();
    for number in 0..clients {
        let mut stream = MessageStream::events(gateway.address()).await?;
        // The first event is the state.
        stream.next().await?;
        tokio::spawn(report_edits(number, stream, sender.clone()));
    }
    drop(sender);
    let before = gateway.resident()?;
    let mut delays = Times::default();
    let edits = (Duration::from_secs(options.seconds).as_millis() / INTERVAL.as_millis()) as usize;
    let mut pace = tokio::time::interval(INTERVAL);
    let mut counts = vec![0; clients];
    for edit in 1..=edits {
        pace.tick().await;
        let edited = Instant::now();
        tree.edit()?;
        for _ in 0..clients {
            let next = tokio::time::timeout(PATIENCE, received.recv()).await;
            let next = next.map_err(|_| format!("not every client got an event of edit {edit}"))?;
            let (number, report) = next.ok_or("every stream ended")?;
            let at: Instant = report?;
            counts[number] += 1;
            if counts[number] != edit {
                let count = counts[number];
                return Err(format!("client {number} got {count} events of {edit} edits").into());
            }
            delays
                .0
                .push(at.saturating_duration_since(edited + DEBOUNCE));
        }
    }
    let after = gateway.resident()?;
    eprintln!("mcp-load: {clients} clients got one event of each of {edits} edits");
    gateway.stop()?;
    let name = |part: &str| format!("mcp-load/events/{part}");
    let milliseconds = |percent: usize| delays.at(percent).as_secs_f64() * 1e3;
    Ok(vec![
        Figure::new(name("p50"), milliseconds(50), "ms"),
        Figure::new(name("p99"), milliseconds(99), "ms").goal(Goal::AtMost(100.0)),
        Figure::new(name("resident"), after as f64 / 1e6, "MB")
            .against(before as f64 / 1e6, "before the edits")
            .goal(Goal::RatioAtMost(1.1)),
    ])
}

/// Reports the times at which a client gets an event of the edited skill.
async fn report_edits(
    number: usize,
    mut stream: MessageStream,
    sender: mpsc::UnboundedSender<(usize, Result<Instant, String>)>,
) {
    loop {
        let report = match stream.next().await {
            Ok(event) if event["registry"] == "skills" => Ok(Instant::now()),
            Ok(_) => continue,
            Err(failure) => Err(failure.to_string()),
        };
        let is_over = report.is_err();
        if sender.send((number, report)).is_err() || is_over {
            return;
        }
    }
}
