//! `cargo xtask fuzz [SECONDS]`: the fuzz targets of the `SKILL.md` parser and formatter, of rendering, of triggers, of saved scans and of what MCP
//! clients write.

use crate::Failure;
use crate::step::{command, skipped, succeeds};

/// Fuzzes for `seconds`, split between the targets. Without a nightly toolchain and cargo-fuzz, reports the missing tool and succeeds.
pub(crate) fn run(seconds: u32) -> Result<(), Failure> {
    if !succeeds("cargo +nightly --version") {
        skipped("fuzz", "there is no nightly toolchain");
        return Ok(());
    }
    if !succeeds("cargo +nightly fuzz --version") {
        skipped(
            "fuzz",
            "cargo-fuzz is not installed; `cargo install --locked cargo-fuzz` brings it",
        );
        return Ok(());
    }
    let known = "crates/core/tests/fuzz-inputs tests/cases";
    let seconds = seconds / TARGETS.len() as u32;
    for target in TARGETS {
        // New inputs go to the first folder; the others are where it starts from.
        let found = format!("fuzz/corpus/{target}");
        std::fs::create_dir_all(&found)?;
        command(
            target,
            &format!(
                "cargo +nightly fuzz run --target-dir target/external {target} {found} {known} -- -max_total_time={seconds}"
            ),
        )?;
    }
    Ok(())
}

const TARGETS: [&str; 7] = [
    "skill_md",
    "fast_path",
    "format",
    "render",
    "triggers",
    "saved_scan",
    "mcp_message",
];
