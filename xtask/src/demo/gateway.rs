//! The scene of the gateway: four registries, and a file that changes, breaks and is repaired.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Command;

use super::Ran;
use super::running::RunningCommand;
use crate::{Failure, venv, workspace};

const START: [&str; 5] = ["repertoire", "gateway", "start", "--state-dir", "state"];
const STATUS: [&str; 5] = ["repertoire", "gateway", "status", "--state-dir", "state"];

/// Runs a gateway of a copy of `examples/gateway`; fails if it does not report one of the reloads.
pub(super) fn show(out: &mut impl Write) -> Result<(), Failure> {
    let folder = tempfile::tempdir()?;
    let root = folder.path().canonicalize()?;
    let example = workspace::root().join("examples/gateway/.");
    venv::call(Command::new("cp").arg("-R").arg(example).arg(&root))?;
    let file = root.join("repertoire.toml");
    // The port of the example may be in use.
    let text = fs::read_to_string(&file)?.replace("127.0.0.1:8321", "127.0.0.1:0");
    fs::write(&file, &text)?;
    writeln!(
        out,
        "\n## Four registries in one process\n\n$ repertoire gateway start"
    )?;
    RunningCommand::during(&root, &START, |gateway| acts(gateway, &root, &text, out))
}

fn acts(
    gateway: &RunningCommand<'_>,
    root: &Path,
    text: &str,
    out: &mut impl Write,
) -> Result<(), Failure> {
    gateway.copy_until(
        "note: the gateway runs: 2 skills, 2 workflows, 2 agents, 2 MCP servers",
        out,
    )?;
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
        gateway.reload()?;
        gateway.copy_until(last, out)?;
    }
    writeln!(out, "\n$ repertoire gateway status")?;
    let status = Ran::of(root, STATUS);
    Ok(write!(out, "{}{}", status.stdout, status.stderr)?)
}
