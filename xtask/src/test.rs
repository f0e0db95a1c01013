//! `cargo xtask test`: everything that needs nothing but this checkout.

use std::time::Instant;

use crate::step::{self, command, skipped, step};
use crate::{Failure, book, generate, workspace};

/// The package whose features hosts choose from.
const FACADE: &str = "repertoire";

/// Runs every check, the quick ones first, and stops at the first failure.
///
/// The rules on dependencies and on files are tests of this package, so that plain `cargo test` checks them too.
pub(crate) fn run() -> Result<(), Failure> {
    let begun = Instant::now();
    command("format", "cargo fmt --all --check")?;
    step("generated parts", "cargo xtask gen --check", generate::check)?;
    command("lints", "cargo clippy --workspace --all-targets -- -D warnings")?;
    command("examples in the documentation", "cargo test --workspace --doc")?;
    command("documentation", "RUSTDOCFLAGS=-Dwarnings cargo doc --workspace --no-deps --lib")?;
    if step::succeeds("cargo nextest --version") {
        command("tests, by nextest", "cargo nextest run --workspace --no-fail-fast")?;
    } else {
        command(
            "tests, by cargo (nextest is not installed)",
            "cargo test --workspace --lib --bins --tests --no-fail-fast",
        )?;
    }
    for features in facade_features()? {
        let line = format!("cargo clippy -p {FACADE} --no-default-features{features} -- -D warnings");
        command("one feature at a time", &line)?;
    }
    command("the example for rig, lints", &rig("clippy", "--all-targets -- -D warnings"))?;
    command("the example for rig, tests", &rig("test", ""))?;
    book::build()?;
    if step::succeeds("cargo deny --version") {
        command("dependencies", "cargo deny check --hide-inclusion-graph bans licenses sources")?;
    } else {
        skipped("dependencies", "cargo-deny is not installed; `cargo install --locked cargo-deny` brings it");
    }
    eprintln!("\ntest: everything passed in {:.0} s", begun.elapsed().as_secs_f32());
    Ok(())
}

/// A command of cargo for the example that is a workspace of its own.
fn rig(command: &str, arguments: &str) -> String {
    format!("cargo {command} --locked --manifest-path examples/rig/Cargo.toml --target-dir target/examples {arguments}")
}

/// No feature, then each feature of the facade alone, as arguments for cargo.
fn facade_features() -> Result<Vec<String>, Failure> {
    let packages = workspace::packages()?;
    let facade = packages.iter().find(|package| package.name == FACADE).ok_or("the facade is gone")?;
    let named = facade.features.keys().filter(|name| *name != "default");
    Ok(std::iter::once(String::new()).chain(named.map(|name| format!(" --features {name}"))).collect())
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
