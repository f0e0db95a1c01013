//! The packages of a release: packed as for the registry, unpacked, and compiled one by one.

use std::fmt::Write as _;
use std::fs;
use std::process::Command;

use crate::step::command;
use crate::{Failure, venv, workspace};

/// The packages of the workspace with `publish = false`.
const UNPUBLISHED: [&str; 5] = [
    "xtask",
    "repertoire-tests",
    "repertoire-plugin-folder",
    "repertoire-plugin-git",
    "repertoire-plugin-hello",
];

/// The version of all packages.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Packs every published crate, and checks each with its own features and the other packages as they were packed.
///
/// cargo would verify each package in a workspace of its own, and build all others again for each.
///
/// # Errors
/// Returns the first failure, with the command that repeats it.
pub(crate) fn check() -> Result<(), Failure> {
    let excluded = UNPUBLISHED.map(|name| format!("--exclude {name}"));
    let excluded = excluded.join(" ");
    let line = format!("cargo package --no-verify --workspace --allow-dirty {excluded}");
    command("packing", &line)?;
    let published = workspace::packages()?.into_iter();
    let published = published.map(|package| package.name);
    let published: Vec<_> = published
        .filter(|name| !UNPUBLISHED.contains(&name.as_str()))
        .collect();
    unpack(&published)?;
    for name in &published {
        let manifest = "target/packed/Cargo.toml";
        let line = format!(
            "cargo check --quiet --offline --manifest-path {manifest} --target-dir target -p {name}"
        );
        command("packages", &line)?;
    }
    Ok(())
}

/// Unpacks packages into a workspace in which each depends on the others as they were packed.
fn unpack(names: &[String]) -> Result<(), Failure> {
    let folder = workspace::root().join("target/packed");
    if folder.is_dir() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    let mut manifest = "[workspace]\nresolver = \"3\"\nmembers = [\"repertoire*\"]\n\n".to_owned();
    manifest += "[patch.crates-io]\n";
    for name in names {
        let package = format!("{name}-{VERSION}");
        let packed = workspace::target()?.join(format!("package/{package}.crate"));
        venv::call(
            Command::new("tar")
                .arg("-xzf")
                .arg(packed)
                .current_dir(&folder),
        )?;
        let _ = writeln!(manifest, "{name} = {{ path = \"{package}\" }}");
    }
    fs::write(folder.join("Cargo.toml"), manifest)?;
    // The versions that the workspace is tested with.
    fs::copy(
        workspace::root().join("Cargo.lock"),
        folder.join("Cargo.lock"),
    )?;
    Ok(())
}
