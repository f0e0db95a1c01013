//! `cargo xtask fuzz [SECONDS]`: the fuzz target of the `SKILL.md` parser.

use crate::Failure;
use crate::step::{command, skipped, succeeds};

/// Fuzzes for `seconds`. Needs a nightly toolchain and cargo-fuzz; without them it says so and succeeds.
pub(crate) fn run(seconds: u32) -> Result<(), Failure> {
    if !succeeds("cargo +nightly --version") {
        skipped("fuzz", "there is no nightly toolchain");
        return Ok(());
    }
    if !succeeds("cargo +nightly fuzz --version") {
        skipped("fuzz", "cargo-fuzz is not installed; `cargo install --locked cargo-fuzz` brings it");
        return Ok(());
    }
    // New inputs go to the first folder; the others are where it starts from.
    let found = "fuzz/corpus/skill_md";
    std::fs::create_dir_all(found)?;
    let known = "crates/core/tests/fuzz-inputs tests/cases";
    command("fuzz", &format!("cargo +nightly fuzz run skill_md {found} {known} -- -max_total_time={seconds}"))
}
