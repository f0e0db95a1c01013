//! Other crates that load skills, each a program of the workspace `bench`.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Failure, venv, workspace};

/// The rivals: crates, and folders in `bench/rivals`.
pub(super) const RIVALS: [&str; 7] = [
    "skills-ref-rs",
    "skref",
    "agent-skills-rs",
    "agent-skills",
    "adk-skill",
    "skill-registry",
    "rmcp",
];

/// Builds a program of the workspace `bench`, and returns its path.
pub(super) fn build(package: &str) -> Result<PathBuf, Failure> {
    let target = workspace::target()?.join("external");
    let mut cargo = Command::new("cargo");
    cargo
        .args([
            "build",
            "--quiet",
            "--locked",
            "--release",
            "--package",
            package,
            "--target-dir",
        ])
        .arg(&target);
    let output = cargo
        .current_dir(workspace::root().join("bench"))
        .output()?;
    if output.status.success() {
        return Ok(target.join("release").join(package));
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let first = said
        .lines()
        .find(|line| line.starts_with("error"))
        .unwrap_or("cargo failed");
    Err(format!("`{package}` does not build: {first}").into())
}

/// The command that loads `tree` with a built rival.
pub(super) fn command(program: &Path, tree: &Path) -> Command {
    let mut command = Command::new(program);
    // One of them asks the environment for what it should leave out.
    command.arg(tree).env_remove("INSTALL_INTERNAL_SKILLS");
    command
}

/// Installs FastMCP, and returns the command that serves skills with it. Its arguments are a shape and a folder.
pub(super) fn fastmcp() -> Result<Command, Failure> {
    let own = workspace::root().join("bench/rivals/fastmcp");
    let scratch = workspace::target()?.join("external/fastmcp");
    std::fs::create_dir_all(&scratch)?;
    let programs = venv::venv(&scratch, &own.join("requirements.txt"))
        .map_err(|failure| format!("FastMCP cannot be installed: {failure}"))?;
    let mut command = Command::new(programs.join("python"));
    command.arg(own.join("serve.py"));
    Ok(command)
}
