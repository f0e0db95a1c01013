//! One step of a longer task: a heading, the time it took, and how to repeat it when it fails.

use std::process::{Command, Output};
use std::time::Instant;

use crate::{Failure, workspace};

/// Does `work` under `heading`; a failure names `command`, which repeats the step alone.
pub(crate) fn step(
    heading: &str,
    command: &str,
    work: impl FnOnce() -> Result<(), Failure>,
) -> Result<(), Failure> {
    eprintln!("\n=== {heading}: {command}");
    let begun = Instant::now();
    let ended = work();
    let seconds = begun.elapsed().as_secs_f32();
    match ended {
        Ok(()) => {
            eprintln!("--- {heading}: passed in {seconds:.1} s");
            Ok(())
        }
        Err(failure) => {
            Err(format!("{heading}: {failure} (after {seconds:.1} s)\nto repeat: {command}").into())
        }
    }
}

/// A step that is one command line, run in the root of the workspace.
pub(crate) fn command(heading: &str, line: &str) -> Result<(), Failure> {
    step(heading, line, || run(line))
}

/// Says, too loudly to be overlooked, that something was not checked.
pub(crate) fn skipped(heading: &str, reason: &str) {
    eprintln!("\n!!! {heading}: SKIPPED, not checked: {reason}");
}

/// Returns whether `line` succeeds, such as a tool that prints its version.
pub(crate) fn succeeds(line: &str) -> bool {
    output(line).is_ok_and(|output| output.status.success())
}

/// Runs `line` in the root of the workspace, and returns its output and status.
pub(crate) fn output(line: &str) -> Result<Output, Failure> {
    parse(line)
        .output()
        .map_err(|error| format!("`{line}` did not start: {error}").into())
}

/// Runs `line` in the root of the workspace.
pub(crate) fn run(line: &str) -> Result<(), Failure> {
    let status = parse(line)
        .status()
        .map_err(|error| format!("`{line}` did not start: {error}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("failed with {status}").into())
    }
}

/// Reads `NAME=value program argument…`. No quoting: what is printed is then what a shell would run.
fn parse(line: &str) -> Command {
    let mut words = line.split_whitespace().peekable();
    let mut variables = Vec::new();
    while let Some(variable) = words.next_if(|word| word.contains('=')) {
        variables.extend(variable.split_once('='));
    }
    let mut command = Command::new(words.next().expect("a command line names a program"));
    command
        .envs(variables)
        .args(words)
        .current_dir(workspace::root());
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_step_names_its_command() {
        let failure = command("version", "cargo --no-such-flag")
            .expect_err("cargo knows no such flag")
            .to_string();
        let (what, how) = failure.split_once('\n').expect("two lines");
        assert!(
            what.starts_with("version: failed with exit status: 1 (after "),
            "{what}"
        );
        assert_eq!(how, "to repeat: cargo --no-such-flag");
    }

    #[test]
    fn a_command_that_cannot_start_is_a_failure() {
        assert!(run("no-such-program-here").is_err());
        assert!(!succeeds("no-such-program-here"));
    }

    #[test]
    fn leading_assignments_are_variables() {
        let command = parse("RUSTDOCFLAGS=-Dwarnings cargo doc --config a=b");
        assert_eq!(command.get_program(), "cargo");
        assert_eq!(
            command.get_args().collect::<Vec<_>>(),
            ["doc", "--config", "a=b"]
        );
        assert_eq!(
            command.get_envs().collect::<Vec<_>>(),
            [("RUSTDOCFLAGS".as_ref(), Some("-Dwarnings".as_ref()))]
        );
    }
}
