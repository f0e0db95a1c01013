//! The scene of the gateway: four registries, and a file that changes, breaks and is repaired.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use super::Ran;
use super::running::RunningCommand;
use crate::{Failure, venv, workspace};

/// An MCP server with one tool, in the language of `/bin/sh`, in the place of one that would have to be installed.
const CLOCK: &str = r#"
answer() { id=${line#*\"id\":}; id=${id%%[,\}]*}; printf '%s\n' "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":$1}"; }
while read -r line; do
  case $line in
    *'"initialize"'*) answer '{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"clock","version":"1"}}' ;;
    *'"tools/list"'*) answer '{"tools":[{"name":"get_current_time","inputSchema":{"type":"object"}}]}' ;;
  esac
done
"#;

/// The time limit for the start of the server, far longer than it takes.
const TIMEOUT: Duration = Duration::from_secs(60);

const START: [&str; 5] = ["repertoire", "gateway", "start", "--state-dir", "state"];
const STATUS: [&str; 5] = ["repertoire", "gateway", "status", "--state-dir", "state"];

/// Runs a gateway of a copy of `examples/gateway`; fails if it does not report one of the reloads.
pub(super) fn show(out: &mut impl Write) -> Result<(), Failure> {
    let folder = tempfile::tempdir()?;
    let root = folder.path().canonicalize()?;
    let example = workspace::root().join("examples/gateway/.");
    venv::call(Command::new("cp").arg("-R").arg(example).arg(&root))?;
    let file = root.join("repertoire.toml");
    fs::write(root.join("clock.sh"), CLOCK)?;
    let clock = "command = \"/bin/sh\"\nargs = [\"clock.sh\"]\nstart = \"at-once\"";
    // The port of the example may be in use.
    let text = fs::read_to_string(&file)?
        .replace("127.0.0.1:8321", "127.0.0.1:0")
        .replace("command = \"mcp-server-time\"", clock);
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
    let begun = Instant::now();
    loop {
        let status = Ran::of(root, STATUS);
        if status.stdout.contains("time: running, 1 tool") {
            return Ok(write!(out, "{}{}", status.stdout, status.stderr)?);
        }
        if begun.elapsed() > TIMEOUT {
            let status = status.stdout;
            return Err(format!("the server `time` does not run: {status}").into());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}
