//! The packages and folders of this workspace, from `cargo metadata`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;

use crate::Failure;

/// A package of `cargo metadata`.
#[derive(Debug, Deserialize)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) description: Option<String>,
    pub(crate) manifest_path: PathBuf,
    pub(crate) features: BTreeMap<String, Vec<String>>,
    #[cfg(test)]
    pub(crate) dependencies: Vec<Dependency>,
    #[cfg(test)]
    pub(crate) targets: Vec<Target>,
}

/// A library or a binary of a package.
#[cfg(test)]
#[derive(Debug, Deserialize)]
pub(crate) struct Target {
    pub(crate) kind: Vec<String>,
    /// Its first file.
    pub(crate) src_path: PathBuf,
    /// Whether cargo builds its tests.
    pub(crate) test: bool,
}

/// One line under `[dependencies]` or one of its siblings.
#[cfg(test)]
#[derive(Debug, Deserialize)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    /// `dev`, `build`, or `None` for a normal dependency.
    pub(crate) kind: Option<String>,
    /// The folder, for a package of this workspace.
    pub(crate) path: Option<PathBuf>,
}

/// The directory of the workspace.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("xtask lies in the workspace")
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    target_directory: PathBuf,
}

/// Returns a command of cargo for a workspace outside this one.
///
/// It shares the target folder, so a dependency with the same version and features is compiled once.
pub(crate) fn outside(command: &str, folder: &str, arguments: &str) -> String {
    format!(
        "cargo {command} --locked --manifest-path {folder}/Cargo.toml --target-dir target {arguments}"
    )
}

/// The packages of the workspace, by name.
pub(crate) fn packages() -> Result<Vec<Package>, Failure> {
    let Metadata { mut packages, .. } = metadata()?;
    packages.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(packages)
}

/// Returns the target directory.
pub(crate) fn target() -> Result<PathBuf, Failure> {
    Ok(metadata()?.target_directory)
}

fn metadata() -> Result<Metadata, Failure> {
    let output = Command::new("cargo")
        .args(["metadata", "--no-deps", "--format-version", "1"])
        .current_dir(root())
        .output()?;
    if !output.status.success() {
        return Err(format!(
            "`cargo metadata` failed: {}",
            String::from_utf8_lossy(&output.stderr)
        )
        .into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}
