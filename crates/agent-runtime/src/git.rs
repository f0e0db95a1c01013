//! Calls of `git`.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use tokio::process::Command;

use crate::WorktreeError;

/// The longest time for one call; a large checkout takes a while.
const TIMEOUT: Duration = Duration::from_secs(300);

/// The variables that `git` gets from the host.
const VARIABLES: [&str; 4] = ["PATH", "HOME", "XDG_CONFIG_HOME", "TMPDIR"];

/// Runs `git` in a repository, without its hooks, and returns standard output.
pub(crate) async fn run(
    repository: &Path,
    variables: &[(OsString, OsString)],
    args: &[&OsStr],
) -> Result<Vec<u8>, WorktreeError> {
    let passed = variables
        .iter()
        .filter(|(name, _)| VARIABLES.iter().any(|known| name == known));
    let mut command = Command::new("git");
    command
        .arg("-C")
        .arg(repository)
        // Hooks and monitors of the repository are programs that the caller did not ask for.
        .args([
            "-c",
            "core.hooksPath=/dev/null",
            "-c",
            "core.fsmonitor=false",
        ])
        .args(args)
        .env_clear()
        .envs(passed.map(|(name, value)| (name, value)))
        .env("LC_ALL", "C")
        .env("GIT_TERMINAL_PROMPT", "0")
        .stdin(Stdio::null())
        .kill_on_drop(true);
    let ended = tokio::time::timeout(TIMEOUT, command.output())
        .await
        .map_err(|_| failure(args, "it took longer than 300 seconds".to_owned()))?;
    let output = ended.map_err(|error| failure(args, error.to_string()))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let text = String::from_utf8_lossy(&output.stderr);
    let last = text.lines().rev().find(|line| !line.trim().is_empty());
    let reason = last.map_or_else(|| output.status.to_string(), |line| line.trim().to_owned());
    Err(failure(args, reason))
}

fn failure(args: &[&OsStr], reason: String) -> WorktreeError {
    let words: Vec<_> = args
        .iter()
        .take(2)
        .map(|word| word.to_string_lossy())
        .collect();
    WorktreeError::Git {
        command: words.join(" "),
        reason,
    }
}
