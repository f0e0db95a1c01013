//! `cargo xtask cases DIR`: one directory per case.

use std::path::{Path, PathBuf};

use repertoire_testkit::cases::Runner;

use crate::Failure;
use crate::binary::Profile;

/// Runs every case of `dir` and prints the results. Without `binary`, builds it first.
pub(crate) fn run(dir: &Path, binary: Option<PathBuf>) -> Result<(), Failure> {
    let runner = match binary {
        // Checks run the binary in other folders.
        Some(binary) => Runner::new().binary(binary.canonicalize()?),
        None => {
            Profile::Debug.command_line()?;
            Runner::new()
        }
    };
    let passed = runner
        .run(dir, &mut std::io::stdout().lock())
        .map_err(|error| format!("the cases of `{}` could not be run: {error}", dir.display()))?;
    if passed {
        Ok(())
    } else {
        Err(format!("not every case of `{}` passed", dir.display()).into())
    }
}
