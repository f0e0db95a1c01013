//! Crates that `plugin new` and `source new` write, built and tested by cargo.

use std::path::Path;
use std::process::{Command, Output};

use snapbox::{assert_data_eq, str};

use super::external::target;
use crate::test_env::{TestEnv, checkout};

/// Runs the tests of a new crate, and returns what they print.
fn test(krate: &Path) -> String {
    // The versions that the workspace was built with are available without a network.
    std::fs::copy(checkout("Cargo.lock"), krate.join("Cargo.lock"))
        .expect("the workspace is locked");
    let mut cargo = Command::new(env!("CARGO"));
    cargo
        .args(["test", "--quiet", "--offline", "--target-dir"])
        .arg(target())
        .current_dir(krate);
    let output = cargo.output().expect("cargo runs");
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && !errors.contains("warning"),
        "{printed}{errors}"
    );
    printed
}

#[test]
fn a_new_plugin_builds_and_passes_its_tests() {
    let env = TestEnv::new();
    assert_eq!(
        env.run(&["plugin", "new", "acme-shelf"]).data(),
        "acme-shelf\n"
    );
    let failure = env.run(&["plugin", "new", "acme-shelf"]).failure();
    assert!(
        failure.starts_with("error: `acme-shelf` already exists"),
        "{failure}"
    );
    let failure = env
        .run(&["plugin", "new", "released", "--checkout", "."])
        .failure();
    assert!(
        failure.starts_with("error: `.` is not a checkout of `repertoire`"),
        "{failure}"
    );
    assert!(!env.here().join("released").exists());
    let failure = env.run(&["plugin", "new", "../up"]).failure();
    assert!(
        failure.starts_with("error: invalid plugin name `../up`"),
        "{failure}"
    );

    let printed = test(&env.here().join("acme-shelf"));
    assert!(printed.contains("test result: ok. 56 passed"), "{printed}");
}

#[test]
fn a_new_source_extends_the_command_line() {
    let env = TestEnv::new();
    assert_eq!(
        env.run(&["source", "new", "acme-shelf"]).data(),
        "acme-shelf\n"
    );
    let failure = env.run(&["source", "new", "fs"]).failure();
    assert!(
        failure.starts_with("error: the source type `fs` exists"),
        "{failure}"
    );
    let krate = env.here().join("acme-shelf");
    let printed = test(&krate);
    assert!(printed.contains("test result: ok. 57 passed"), "{printed}");

    let mut cargo = Command::new(env!("CARGO"));
    cargo
        .args(["build", "--quiet", "--offline", "--target-dir"])
        .arg(target())
        .current_dir(&krate);
    assert!(cargo.status().expect("cargo runs").success());
    let binary = target()
        .join("debug/acme-shelf")
        .with_extension(std::env::consts::EXE_EXTENSION);
    let run = |arguments: &[&str]| -> Output {
        Command::new(&binary)
            .args(arguments)
            .current_dir(env.here())
            .output()
            .expect("it was built")
    };
    env.file(
        "docs/tidy.md",
        "---\nname: tidy\ndescription: Sorts a folder.\n---\nSort it.\n",
    );
    env.file(
        "repertoire.toml",
        "[[source]]\nkind = \"acme-shelf\"\nname = \"shelf\"\nfolder = \"docs\"\n",
    );
    let listed = run(&["body", "tidy", "--config", "repertoire.toml"]);
    assert_eq!(
        String::from_utf8_lossy(&listed.stdout),
        "Sort it.\n",
        "{listed:?}"
    );
    assert_eq!(
        String::from_utf8_lossy(&run(&["--version"]).stdout),
        "acme-shelf 0.1.0\n"
    );
    let unknown = run(&["show", "deploy", "--config", "repertoire.toml"]);
    assert_data_eq!(
        String::from_utf8_lossy(&unknown.stderr).into_owned(),
        str![[r#"
error: no skill `deploy`
 |
 = help: run `acme-shelf list --all` to see every name

"#]]
    );
}

#[test]
fn a_new_crate_may_depend_on_git() {
    let env = TestEnv::new();
    let url = "https://git.example/repertoire";
    env.run(&["source", "new", "acme", "--git", url]).data();
    let manifest =
        std::fs::read_to_string(env.here().join("acme/Cargo.toml")).expect("it was written");
    let dependency = format!("repertoire-cli = {{ git = \"{url}\", default-features = false }}\n");
    assert!(manifest.contains(&dependency), "{manifest}");
}
