//! The scene of the gateway: four registries, and a file that changes, breaks and is repaired.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::Duration;

use repertoire_cli::{Environment, Exit, Signal, Stream};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::{Failure, workspace};

/// The timeout, far longer than the duration of any reload.
const PATIENCE: Duration = Duration::from_secs(60);

const START: [&str; 5] = ["repertoire", "gateway", "start", "--state-dir", "state"];
const STATUS: [&str; 5] = ["repertoire", "gateway", "status", "--state-dir", "state"];

/// Runs a gateway of a copy of `examples/gateway`; fails if it does not report one of the reloads.
pub(super) fn show(out: &mut impl Write) -> Result<(), Failure> {
    let folder = tempfile::tempdir()?;
    let root = folder.path().canonicalize()?;
    copy(&workspace::root().join("examples/gateway"), &root)?;
    let file = root.join("repertoire.toml");
    // The port of the example may be in use.
    let text = fs::read_to_string(&file)?.replace("127.0.0.1:8321", "127.0.0.1:0");
    fs::write(&file, &text)?;
    writeln!(
        out,
        "\n## Four registries in one process\n\n$ repertoire gateway start"
    )?;

    let (sender, lines) = mpsc::channel();
    let (signal, signals) = unbounded_channel();
    thread::scope(|scope| {
        let running = scope.spawn(|| run(&root, &START, sender, Some(signals)));
        let printed = acts(&root, &text, &signal, &lines, out);
        // Also after a failure, so that no thread waits forever.
        let _ = signal.send(Signal::Stop);
        printed?;
        match running.join() {
            Ok(Exit::Success) => Ok(()),
            Ok(exit) => Err(format!("`repertoire gateway start`: found {exit:?}").into()),
            Err(_) => Err("`repertoire gateway start` panicked".into()),
        }
    })
}

fn acts(
    root: &Path,
    text: &str,
    signal: &UnboundedSender<Signal>,
    lines: &Receiver<String>,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let started = "note: the gateway runs: 2 skills, 2 workflows, 2 agents, 2 MCP servers";
    copy_until(started, lines, out)?;
    let file = root.join("repertoire.toml");
    let third = format!("{text}\n[[registries.agents]]\nid = \"scribe\"\ncommand = \"scribe\"\n");
    for (what, text, last) in [
        (
            "a third agent",
            third.as_str(),
            "note: reloaded: agents +1 ~0 -0",
        ),
        (
            "a break: everything stays as it was",
            "[gateway\n",
            "note: reload failed; everything stays as it was",
        ),
        ("a repair", text, "note: reloaded: agents +0 ~0 -1"),
    ] {
        writeln!(out, "# {what}")?;
        fs::write(&file, text)?;
        signal.send(Signal::Reload)?;
        copy_until(last, lines, out)?;
    }
    writeln!(out, "\n$ repertoire gateway status")?;
    let (sender, status) = mpsc::channel();
    run(root, &STATUS, sender, None);
    for line in status {
        writeln!(out, "{line}")?;
    }
    Ok(())
}

fn run(
    root: &Path,
    arguments: &[&str],
    lines: Sender<String>,
    signals: Option<UnboundedReceiver<Signal>>,
) -> Exit {
    let (stdout, stderr) = (Stream::lines(lines.clone()), Stream::lines(lines));
    let environment = Environment::new(root).stdout(stdout).stderr(stderr);
    let environment = match signals {
        Some(signals) => environment.signals(signals),
        None => environment,
    };
    repertoire_cli::run(arguments, environment)
}

/// Copies lines up to the first with this prefix.
fn copy_until(start: &str, lines: &Receiver<String>, out: &mut impl Write) -> Result<(), Failure> {
    loop {
        let line = lines
            .recv_timeout(PATIENCE)
            .map_err(|_| format!("`repertoire gateway start` never said `{start}`"))?;
        writeln!(out, "{line}")?;
        if line.starts_with(start) {
            return Ok(());
        }
    }
}

fn copy(from: &Path, to: &Path) -> Result<(), Failure> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let to = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &to)?;
        } else {
            fs::copy(entry.path(), to)?;
        }
    }
    Ok(())
}
