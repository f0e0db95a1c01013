//! `cargo xtask lint`: the checks of code and documentation that compile the workspace in other ways than its tests.

use crate::step::{command, skipped, succeeds};
use crate::{Failure, book, workspace};

/// The package whose features hosts choose from.
const FACADE: &str = "repertoire";

/// Checks lints, documentation, each feature alone, the book and dependencies.
///
/// # Errors
/// Returns the first failure, with the command that repeats it.
pub(crate) fn run() -> Result<(), Failure> {
    command(
        "lints",
        "cargo clippy --workspace --all-targets -- -D warnings",
    )?;
    for features in facade_features()? {
        let line =
            format!("cargo clippy -p {FACADE} --no-default-features{features} -- -D warnings");
        command("one feature at a time", &line)?;
    }
    command(
        "lints of the example for rig",
        &workspace::outside("clippy", "examples/rig", "--all-targets -- -D warnings"),
    )?;
    let fuzz = workspace::outside("check", "fuzz", "");
    command("fuzz targets", &format!("RUSTFLAGS=--cfg=fuzzing {fuzz}"))?;
    command(
        "allocation counts",
        &workspace::outside("check", "bench", "-p bench-allocations"),
    )?;
    command(
        "documentation",
        "RUSTDOCFLAGS=-Dwarnings cargo doc --workspace --no-deps --lib",
    )?;
    book::build()?;
    if succeeds("cargo deny --version") {
        command(
            "dependencies",
            "cargo deny check --hide-inclusion-graph bans licenses sources",
        )
    } else {
        skipped(
            "dependencies",
            "`cargo install --locked cargo-deny` installs the missing tool",
        );
        Ok(())
    }
}

/// Returns the arguments for cargo: no feature, then each feature of the facade alone.
fn facade_features() -> Result<Vec<String>, Failure> {
    let packages = workspace::packages()?;
    let facade = packages
        .iter()
        .find(|package| package.name == FACADE)
        .ok_or("the facade is gone")?;
    let named = facade.features.keys().filter(|name| *name != "default");
    Ok(std::iter::once(String::new())
        .chain(named.map(|name| format!(" --features {name}")))
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_facade_is_first_checked_without_features() {
        let features = facade_features().expect("cargo metadata works in tests");
        assert_eq!(features[0], "");
        assert!(!features.contains(&" --features default".to_owned()));
    }
}
