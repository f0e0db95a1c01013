//! Other crates that load skills, each a program of the workspace `bench`.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Failure, workspace};

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
