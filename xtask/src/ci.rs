//! `cargo xtask ci`: `test`, a short `soak`, then the shared cases and the shared corpus.

use std::path::{Path, PathBuf};

use crate::step::{command, skipped, step};
use crate::{Failure, cases, corpus, test, workspace};

/// Runs all of it. Without `shared`, looks for a directory of that name beside the checkout.
pub(crate) fn run(shared: Option<PathBuf>) -> Result<(), Failure> {
    test::run()?;
    command("soak", "cargo xtask soak --seconds 10")?;
    let shared = match shared {
        Some(named) => named,
        None => {
            let beside = workspace::root().with_file_name("shared");
            if !beside.is_dir() {
                skipped(
                    "shared cases and corpus",
                    "there is no `shared` beside the checkout; `--shared DIR` names one",
                );
                return Ok(());
            }
            beside
        }
    };
    let (dir, line) = part(&shared, "cases");
    step("shared cases", &line, || cases::run(&dir, None))?;
    let (dir, line) = part(&shared, "corpus");
    step("shared corpus", &line, || corpus::run(&dir))
}

/// A directory in `shared`, and the command that runs it alone.
fn part(shared: &Path, name: &str) -> (PathBuf, String) {
    let dir = shared.join(name);
    let line = format!("cargo xtask {name} {}", dir.display());
    (dir, line)
}
