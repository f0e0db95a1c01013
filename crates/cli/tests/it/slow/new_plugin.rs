//! A plugin that `repertoire plugin new` wrote, built and tested by cargo.

use std::path::PathBuf;
use std::process::Command;

use crate::test_env::{TestEnv, checkout};

#[test]
fn a_new_plugin_builds_and_passes_the_tests_of_every_source() {
    let env = TestEnv::new();
    let root = checkout("").canonicalize().expect("the checkout is there");
    let root = root.to_str().expect("the checkout has a plain path");
    assert_eq!(
        env.run(&["plugin", "new", "acme-shelf", "--checkout", root])
            .data(),
        "acme-shelf\n"
    );
    let failure = env
        .run(&["plugin", "new", "acme-shelf", "--checkout", root])
        .failure();
    assert!(
        failure.starts_with("error: `acme-shelf` already exists"),
        "{failure}"
    );
    let failure = env.run(&["plugin", "new", "released"]).failure();
    assert!(failure.contains("--checkout <DIR>"), "{failure}");
    let failure = env
        .run(&["plugin", "new", "released", "--checkout", "."])
        .failure();
    assert!(
        failure.starts_with("error: `.` is not a checkout of `repertoire`"),
        "{failure}"
    );
    assert!(!env.here().join("released").exists());
    let failure = env
        .run(&["plugin", "new", "../up", "--checkout", root])
        .failure();
    assert!(
        failure.starts_with("error: invalid plugin name `../up`"),
        "{failure}"
    );

    let plugin = env.here().join("acme-shelf");
    // The versions that the workspace was built with are the ones that are there without a network.
    std::fs::copy(checkout("Cargo.lock"), plugin.join("Cargo.lock"))
        .expect("the workspace is locked");
    let target = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
        .parent()
        .expect("it lies in the target folder")
        .join("external");
    let mut cargo = Command::new(env!("CARGO"));
    cargo
        .args(["test", "--quiet", "--offline", "--target-dir"])
        .arg(&target)
        .current_dir(&plugin);
    let output = cargo.output().expect("cargo runs");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "{said}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(said.contains("test result: ok. 48 passed"), "{said}");
}
