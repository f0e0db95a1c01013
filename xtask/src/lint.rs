//! `cargo xtask lint`: the checks of code and documentation that compile the workspace in other ways than its tests.

use crate::step::{command, skipped, succeeds};
use crate::{Failure, book, workspace};

/// The packages whose features hosts choose from.
const CHOSEN: [&str; 2] = ["repertoire", "repertoire-cli"];

/// The features that bring many crates, which are off by default.
pub(crate) const OPTIONAL_FEATURES: &str = "--features repertoire-cli/acp,repertoire-cli/oauth,repertoire-cli/otlp,repertoire-cli/postgres";

/// The command that documents every library with all features, as pages and as JSON.
pub(crate) const DOCUMENTATION: &str = "RUSTDOC=xtask/rustdoc RUSTDOCFLAGS=-Dwarnings cargo doc --workspace --all-features --no-deps --lib";

/// Checks lints, documentation, each feature alone, the book and dependencies.
///
/// # Errors
/// Returns the first failure, with the command that repeats it.
pub(crate) fn run() -> Result<(), Failure> {
    command(
        "lints",
        &format!("cargo clippy --workspace --all-targets {OPTIONAL_FEATURES} -- -D warnings"),
    )?;
    for package in CHOSEN {
        for features in features_of(package)? {
            let line =
                format!("cargo clippy -p {package} --no-default-features{features} -- -D warnings");
            command("one feature at a time", &line)?;
        }
    }
    command(
        "lints of the example for rig",
        &workspace::outside("clippy", "examples/rig", "--all-targets -- -D warnings"),
    )?;
    command(
        "lints of the tests in a browser",
        &workspace::outside("clippy", "tests/browser", "--all-targets -- -D warnings"),
    )?;
    let fuzz = workspace::outside("check", "fuzz", "");
    command("fuzz targets", &format!("RUSTFLAGS=--cfg=fuzzing {fuzz}"))?;
    command(
        "allocation counts",
        &workspace::outside("check", "bench", "-p bench-allocations"),
    )?;
    command("documentation", DOCUMENTATION)?;
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

/// Returns the arguments for cargo: no feature, then each feature of the package alone.
fn features_of(package: &str) -> Result<Vec<String>, Failure> {
    let packages = workspace::packages()?;
    let chosen = packages.iter().find(|known| known.name == package);
    let named = chosen
        .ok_or_else(|| format!("no package is called `{package}`"))?
        .features
        .keys()
        .filter(|name| *name != "default");
    Ok(std::iter::once(String::new())
        .chain(named.map(|name| format!(" --features {name}")))
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_is_first_checked_without_features() {
        let features = features_of("repertoire-cli").expect("cargo metadata works in tests");
        let expected = [
            "", "acp", "agents", "gateway", "install", "man", "mcp", "notify", "oauth", "otlp",
            "plugin", "postgres", "process", "render", "schema", "watch", "yaml",
        ];
        let expected = expected.map(|name| {
            if name.is_empty() {
                String::new()
            } else {
                format!(" --features {name}")
            }
        });
        assert_eq!(features, expected);
    }
}
