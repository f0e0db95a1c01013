//! A host that was built on its own, and plugins that were built in other ways.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use repertoire_core::{Digest, Source};
use repertoire_source_plugin::Inspection;
use serde_json::{Value, json};

use crate::library::{Compiled, Where, built, options, pinned, source, source_file};

/// A profile of cargo.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Profile {
    Debug,
    Release,
}

const PROFILES: [Profile; 2] = [Profile::Debug, Profile::Release];

/// Builds what is in `folder`, without a network, into the target folder of the tests, whose dependencies it shares.
fn cargo(folder: &Path, profile: Profile, arguments: &[&str]) -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let mut cargo = Command::new(env!("CARGO"));
    cargo
        .args(["build", "--quiet", "--offline", "--target-dir"])
        .arg(target)
        .args(arguments)
        .current_dir(folder);
    if profile == Profile::Release {
        cargo.arg("--release");
        // Any optimisation will do, and less takes less time. `cargo xtask dist --check` loads the plugin of a release.
        for less in ["opt-level=1", "codegen-units=16", "lto=false"] {
            cargo.args(["--config", &format!("profile.release.{less}")]);
        }
    }
    let output = cargo.output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    target.join(if profile == Profile::Release {
        "release"
    } else {
        "debug"
    })
}

fn library(name: &str) -> String {
    format!(
        "{}{name}{}",
        std::env::consts::DLL_PREFIX,
        std::env::consts::DLL_SUFFIX
    )
}

/// Builds a package of `tests/external`.
fn outside(name: &str, profile: Profile) -> PathBuf {
    let folder = source_file(&format!("../../tests/external/{name}"));
    // The versions that the workspace was built with are the ones that are there without a network.
    fs::copy(source_file("../../Cargo.lock"), folder.join("Cargo.lock")).unwrap();
    cargo(&folder, profile, &[])
}

/// The library of a package of `tests/external`.
pub(crate) fn built_outside(name: &str) -> PathBuf {
    outside(name, Profile::Debug).join(library(name))
}

fn hello(profile: Profile) -> PathBuf {
    match profile {
        Profile::Debug => built("hello"),
        Profile::Release => cargo(
            &source_file("../.."),
            profile,
            &["-p", "repertoire-plugin-hello"],
        )
        .join(library("hello")),
    }
}

fn listed(host: &Path, library: &Path, options: &Value) -> String {
    let digest = Digest::of(&fs::read(library).unwrap()).to_string();
    let mut command = Command::new(host);
    command
        .arg("plugin")
        .arg(library)
        .args([options.to_string(), digest]);
    let output = command.output().unwrap();
    String::from_utf8(output.stdout).unwrap() + &String::from_utf8_lossy(&output.stderr)
}

#[test]
fn hosts_and_plugins_of_two_profiles_are_compatible() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("tea.md"),
        "---\nname: tea\ndescription: Brews tea.\n---\nBoil water.\n",
    )
    .unwrap();
    let in_c = Compiled::hello();
    for host in PROFILES.map(|profile| outside("plugin-host", profile).join("plugin-host")) {
        for library in PROFILES.map(hello) {
            assert_eq!(
                listed(&host, &library, &json!({ "people": ["Ann"] })),
                "greet-ann (restricted): Say hello to Ann.\nplugin-apart:greet-ann (restricted): Say hello to Ann.\n",
                "{} {}",
                host.display(),
                library.display()
            );
        }
        assert_eq!(
            listed(&host, &in_c.path, &json!({ "folder": folder.path() })),
            "tea (restricted): Boil water.\nplugin-apart:tea (restricted): Boil water.\n"
        );
    }
}

/// A workspace with crates of this one under another version, which makes every type and symbol of them another one.
fn of_another_version() -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("another-version");
    let renumbered = |text: String| text.replace("version = \"0.1.0\"", "version = \"0.2.0\"");
    let read = |path: &str| fs::read_to_string(source_file("../..").join(path)).unwrap();
    let members = ["crates/core", "crates/plugin-sdk", "plugins/hello"];
    let all = read("Cargo.toml").replace(
        "members = [\"crates/*\", \"plugins/*\", \"tests\", \"xtask\"]",
        &format!("members = {members:?}"),
    );
    write_if_new(&folder.join("Cargo.toml"), &renumbered(all));
    write_if_new(&folder.join("Cargo.lock"), &read("Cargo.lock"));
    for member in members {
        // What its tests need is not needed to build it.
        let text = read(&format!("{member}/Cargo.toml"));
        let (before, after) = text.split_once("[dev-dependencies]").unwrap_or((&text, ""));
        let rest = after
            .split_once("\n[")
            .map_or(String::new(), |(_, rest)| format!("[{rest}"));
        write_if_new(
            &folder.join(member).join("Cargo.toml"),
            // A library of the same name would replace the one of the workspace.
            &format!("{before}{rest}").replace("name = \"hello\"", "name = \"other_hello\""),
        );
        let _ = symlink(
            source_file("../..")
                .join(member)
                .join("src")
                .canonicalize()
                .unwrap(),
            folder.join(member).join("src"),
        );
    }
    cargo(&folder, Profile::Debug, &["-p", "repertoire-plugin-hello"]).join(library("other_hello"))
}

/// Writes a file unless it has this content already, because cargo builds a written file again.
fn write_if_new(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    if fs::read_to_string(path).ok().as_deref() != Some(text) {
        fs::write(path, text).unwrap();
    }
}

#[tokio::test]
async fn crate_versions_of_host_and_plugin_may_differ() {
    let library = of_another_version();
    assert_eq!(Inspection::read(&library).unwrap().version, "0.2.0");
    for at in [Where::Here, Where::There] {
        let options = pinned(&library).with_options(options(json!({ "people": ["Ann"] })));
        let plugin = source(at, options.within(Duration::from_secs(3600)));
        let listing = plugin.list().await.unwrap();
        assert_eq!(
            listing
                .iter()
                .map(|row| row.item.id.as_str())
                .collect::<Vec<_>>(),
            ["greet-ann"],
            "{at:?}"
        );
    }
}
