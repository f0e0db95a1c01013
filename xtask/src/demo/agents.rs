//! The scene of agents: a task from allocation to writeback, with an agent that is a shell script.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Command;

use repertoire_cli::Exit;

use super::Ran;
use super::running::RunningCommand;
use crate::{Failure, venv, workspace};

const START: [&str; 5] = ["repertoire", "gateway", "start", "--state-dir", "state"];

/// The commands, each with a text that it has to print.
const COMMANDS: [(&str, &str); 3] = [
    (
        "agents spawn research count-the-files --agent-type reader --wait --state-dir state",
        " TERMINATED",
    ),
    ("agents list --store state/agents.db", "count-the-files"),
    (
        "agents audit verify --store state/agents.db",
        "rows are intact",
    ),
];

/// Runs a gateway of a copy of `examples/agents`; fails if the agent does not end in order.
pub(super) fn show(out: &mut impl Write) -> Result<(), Failure> {
    let folder = tempfile::tempdir()?;
    let root = folder.path().canonicalize()?;
    let example = workspace::root().join("examples/agents/.");
    venv::call(Command::new("cp").arg("-R").arg(example).arg(&root))?;
    let file = root.join("repertoire.toml");
    // The port of the example may be in use.
    let text = fs::read_to_string(&file)?.replace("127.0.0.1:8322", "127.0.0.1:0");
    fs::write(&file, text)?;
    writeln!(
        out,
        "\n## An agent runs a task, writes back and ends\n\n$ repertoire gateway start"
    )?;
    RunningCommand::during(&root, &START, |gateway| {
        gateway.copy_until("note: the gateway runs: ", out)?;
        COMMANDS
            .iter()
            .try_for_each(|(line, seen)| command(&root, line, seen, out))
    })
}

fn command(root: &Path, line: &str, seen: &str, out: &mut impl Write) -> Result<(), Failure> {
    writeln!(out, "\n$ repertoire {line}")?;
    let ran = Ran::of(root, ["repertoire"].into_iter().chain(line.split(' ')));
    write!(out, "{}{}", ran.stdout, ran.stderr)?;
    match ran.exit == Exit::Success && ran.stdout.contains(seen) {
        true => Ok(()),
        false => Err(format!("`{line}` did not print `{seen}`").into()),
    }
}
