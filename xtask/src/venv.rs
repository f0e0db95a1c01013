//! Programs of other projects, from PyPI and npm.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Failure;

/// Creates a virtual environment in `folder` with the packages of `pins`, unless it exists, and returns the folder of its programs.
pub(crate) fn venv(folder: &Path, pins: &Path) -> Result<PathBuf, Failure> {
    let (venv, installed) = (folder.join("venv"), folder.join("python-pins"));
    if !is_installed(pins, &installed)? {
        call(
            Command::new("python3")
                .args(["-m", "venv", "--clear"])
                .arg(&venv),
        )?;
        let pip = venv.join("bin/pip");
        call(
            Command::new(pip)
                .args([
                    "install",
                    "--quiet",
                    // Python compiles what is imported, which is a small part.
                    "--no-compile",
                    "--disable-pip-version-check",
                    "--requirement",
                ])
                .arg(pins),
        )?;
        fs::copy(pins, installed)?;
    }
    Ok(venv.join("bin"))
}

/// Installs the packages of `pins` in `folder` with the npm of its virtual environment, unless they are installed.
pub(crate) fn npm(folder: &Path, pins: &Path) -> Result<(), Failure> {
    if is_installed(pins, &folder.join("node-pins"))? {
        return Ok(());
    }
    fs::copy(pins, folder.join("package.json"))?;
    let programs = folder.join("venv/bin");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(
        std::iter::once(programs.clone()).chain(std::env::split_paths(&path)),
    )?;
    let mut npm = Command::new(programs.join("npm"));
    npm.args(["install", "--silent", "--no-audit", "--no-fund"])
        .current_dir(folder)
        .env("PATH", path);
    call(&mut npm)?;
    fs::copy(pins, folder.join("node-pins"))?;
    Ok(())
}

/// Returns whether `pins` were installed last.
fn is_installed(pins: &Path, installed: &Path) -> Result<bool, Failure> {
    let pins = fs::read(pins)?;
    Ok(fs::read(installed).is_ok_and(|installed| installed == pins))
}

/// Runs `command`, which has to go well.
pub(crate) fn call(command: &mut Command) -> Result<(), Failure> {
    let status = command
        .status()
        .map_err(|error| format!("{:?} did not start: {error}", command.get_program()))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("{:?} failed with {status}", command.get_program()).into())
    }
}
