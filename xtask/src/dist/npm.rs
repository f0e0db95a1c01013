//! The program as a package for npm.

use std::fs;

use serde_json::Value;

use super::Release;
use crate::{Failure, venv, workspace};

/// Packs the npm package `repertoire-cli`: a script that starts the program of its platform.
pub(super) fn pack(release: &Release) -> Result<(), Failure> {
    let from = workspace::root().join("packaging/npm");
    let staged = tempfile::tempdir()?;
    let package = fs::read_to_string(from.join("package.json"))?;
    let mut package: Value = serde_json::from_str(&package)?;
    package["version"] = release.version.as_str().into();
    fs::write(
        staged.path().join("package.json"),
        serde_json::to_string_pretty(&package)?,
    )?;
    fs::copy(
        from.join("repertoire.js"),
        staged.path().join("repertoire.js"),
    )?;
    let programs = staged.path().join("bin").join(platform());
    fs::create_dir_all(&programs)?;
    fs::copy(
        release.program(),
        programs.join(super::shown(&release.program())),
    )?;
    let mut npm = release.tool("npm")?;
    npm.args(["pack", "--silent", "--pack-destination"])
        .arg(&release.folder)
        .current_dir(staged.path());
    venv::call(npm.stdout(std::process::Stdio::null()))
}

/// This platform, as Node names it.
fn platform() -> String {
    let system = match std::env::consts::OS {
        "macos" => "darwin",
        "windows" => "win32",
        other => other,
    };
    let processor = match std::env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => other,
    };
    format!("{system}-{processor}")
}
