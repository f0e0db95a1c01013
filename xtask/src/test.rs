//! `cargo xtask test`: the tests that need nothing but this checkout.

use crate::Failure;
use crate::step::{command, succeeds};

/// Runs the quick checks first, and stops at the first failure.
///
/// The rules on dependencies, generated parts and files are tests of this package.
///
/// # Errors
/// Returns the first failure, with the command that repeats it.
pub(crate) fn run() -> Result<(), Failure> {
    command("format", "cargo fmt --all --check")?;
    if succeeds("cargo nextest --version") {
        // Some tests wait for processes and timers, so one more than there are processors runs.
        let threads = std::thread::available_parallelism()?.get() + 1;
        command(
            "tests",
            &format!("cargo nextest run --workspace --no-fail-fast --test-threads {threads}"),
        )?;
    } else {
        command("tests", &without_nextest("--skip slow::"))?;
    }
    command(
        "examples in the documentation",
        "cargo test --workspace --doc",
    )
}

/// Runs the tests of the nextest profile `slow`: those that run cargo, the bench or a load.
///
/// # Errors
/// Fails if a test fails.
pub(crate) fn slow() -> Result<(), Failure> {
    if succeeds("cargo nextest --version") {
        command(
            "slow tests",
            "cargo nextest run --workspace --profile slow --no-fail-fast",
        )
    } else {
        command("slow tests", &without_nextest("slow::"))
    }
}

fn without_nextest(filter: &str) -> String {
    format!("cargo test --workspace --lib --bins --tests --no-fail-fast -- {filter}")
}
