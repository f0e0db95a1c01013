//! Other crates that load skills, each a program of the workspace `bench`.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Failure, venv, workspace};

/// The rivals: crates, and folders in `bench/rivals`.
pub(super) const RIVALS: [&str; 7] =
    ["skills-ref-rs", "skref", "agent-skills-rs", "agent-skills", "adk-skill", "skill-registry", "rmcp"];

/// A program of the workspace `bench`, built; an error tells why it could not be.
pub(super) fn build(package: &str) -> Result<PathBuf, Failure> {
    let bench = workspace::root().join("bench");
    let arguments = ["build", "--quiet", "--release", "--target-dir", "target", "--package", package];
    let output = Command::new("cargo").args(arguments).current_dir(&bench).output()?;
    if output.status.success() {
        return Ok(bench.join("target/release").join(package));
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let first = said.lines().find(|line| line.starts_with("error")).unwrap_or("cargo failed");
    Err(format!("`{package}` does not build: {first}").into())
}

/// The command that loads `tree` with a built rival.
pub(super) fn command(program: &Path, tree: &Path) -> Command {
    let mut command = Command::new(program);
    // One of them asks the environment for what it should leave out.
    command.arg(tree).env_remove("INSTALL_INTERNAL_SKILLS");
    command
}

/// The command that serves skills with FastMCP, installed; it takes a shape and a folder.
pub(super) fn fastmcp() -> Result<Command, Failure> {
    let bench = workspace::root().join("bench");
    let (own, scratch) = (bench.join("rivals/fastmcp"), bench.join("target/fastmcp"));
    std::fs::create_dir_all(&scratch)?;
    let programs = venv::venv(&scratch, &own.join("requirements.txt"))
        .map_err(|failure| format!("FastMCP cannot be installed: {failure}"))?;
    let mut command = Command::new(programs.join("python"));
    command.arg(own.join("serve.py"));
    Ok(command)
}
