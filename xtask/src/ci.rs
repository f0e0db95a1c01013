//! `cargo xtask ci`: `test`, a short `soak`, clients that nobody here wrote, plugins under a checker of memory, then the shared
//! cases and the shared corpus.

use std::path::{Path, PathBuf};

use crate::step::{self, command, skipped, step};
use crate::{Failure, cases, corpus, test, workspace};

/// Runs all of it. Without `shared`, looks for a directory of that name beside the checkout.
pub(crate) fn run(shared: Option<PathBuf>) -> Result<(), Failure> {
    test::run()?;
    command("soak", "cargo xtask soak --seconds 10")?;
    command("clients that nobody here wrote", "cargo xtask mcp-clients")?;
    memory()?;
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

/// The tests of plugins under a checker of memory: buffers, handles and ends that only the other side would notice.
fn memory() -> Result<(), Failure> {
    if !step::succeeds("valgrind --version") {
        skipped("plugins under valgrind", "valgrind is not installed");
        return Ok(());
    }
    let runner = r#"target."cfg(all())".runner=["valgrind","-q","--error-exitcode=9"]"#;
    let tests = "lifetime::two lifetime::a_plugin_that_is_let hostile::a_call_that hostile::buffers conformance::c::direct::a_body panicking";
    let line =
        format!("cargo --config {runner} test -p repertoire-source-plugin --test it -- --test-threads=1 {tests}");
    step::command("plugins under valgrind", &line)
}

/// A directory in `shared`, and the command that runs it alone.
fn part(shared: &Path, name: &str) -> (PathBuf, String) {
    let dir = shared.join(name);
    let line = format!("cargo xtask {name} {}", dir.display());
    (dir, line)
}
