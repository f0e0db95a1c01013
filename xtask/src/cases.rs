//! `cargo xtask cases DIR`: one directory per case.

use std::path::Path;

use crate::Failure;

/// Runs every case of `dir` and prints how each ended.
pub(crate) fn run(dir: &Path) -> Result<(), Failure> {
    let passed = unwritten(dir, &mut std::io::stdout().lock())
        .map_err(|error| format!("the cases of `{}` could not be run: {error}", dir.display()))?;
    if passed { Ok(()) } else { Err(format!("not every case of `{}` passed", dir.display()).into()) }
}

fn unwritten(_: &Path, _: &mut dyn std::io::Write) -> std::io::Result<bool> {
    Err(std::io::ErrorKind::Unsupported.into())
}
