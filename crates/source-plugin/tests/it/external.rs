//! A host that was built on its own, and plugins that were built in other ways.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use repertoire_core::Digest;
use serde_json::{Value, json};

use crate::library::{Compiled, built, source_file};

/// Builds in a target folder of its own, without a network.
fn cargo(folder: &Path, arguments: &[&str]) -> PathBuf {
    let target = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).parent().unwrap().join("external");
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--quiet", "--offline", "--target-dir"]).arg(&target).args(arguments).current_dir(folder);
    let output = cargo.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    target
}

fn host() -> PathBuf {
    let example = source_file("../../tests/external/plugin-host");
    // The versions that the workspace was built with are the ones that are there without a network.
    fs::copy(source_file("../../Cargo.lock"), example.join("Cargo.lock")).unwrap();
    cargo(&example, &[]).join("debug/plugin-host")
}

fn listed(host: &Path, library: &Path, options: &Value) -> String {
    let digest = Digest::of(&fs::read(library).unwrap()).to_string();
    let mut command = Command::new(host);
    command.arg("plugin").arg(library).args([options.to_string(), digest]);
    let output = command.output().unwrap();
    String::from_utf8(output.stdout).unwrap() + &String::from_utf8_lossy(&output.stderr)
}

#[test]
fn a_host_of_its_own_loads_plugins_of_every_profile() {
    let host = host();
    let name = format!("release/{}hello{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let release = cargo(&source_file("../.."), &["--release", "-p", "repertoire-plugin-hello"]).join(name);
    let people = json!({ "people": ["Ann"] });
    for library in [built("hello"), release] {
        assert_eq!(
            listed(&host, &library, &people),
            "greet-ann (restricted): Say hello to Ann.\nplugin-apart:greet-ann (restricted): Say hello to Ann.\n"
        );
    }
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("tea.md"), "---\nname: tea\ndescription: Brews tea.\n---\nBoil water.\n").unwrap();
    assert_eq!(
        listed(&host, &Compiled::hello().path, &json!({ "folder": folder.path() })),
        "tea (restricted): Boil water.\nplugin-apart:tea (restricted): Boil water.\n"
    );
}
