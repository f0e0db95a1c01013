//! The cache of skills that were read.

use std::fs;
use std::path::PathBuf;

use crate::test_env::{TestEnv, checkout};

/// Skills that were not just written.
fn skills() -> String {
    let folder = checkout("xtask/demo").canonicalize();
    let folder = folder.expect("it is part of the checkout");
    folder.to_string_lossy().into_owned()
}

fn cached(env: &TestEnv) -> Vec<PathBuf> {
    let folder = env.here().join("../home/.cache/repertoire/scans");
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    files.map(|file| file.path()).collect()
}

#[test]
fn the_cache_changes_no_list() {
    let (env, skills) = (TestEnv::new(), skills());
    let expected = env.run(&["list", &skills, "--all", "--json", "--no-cache"]);
    assert_eq!(cached(&env), Vec::<PathBuf>::new());
    for _ in 0..2 {
        assert_eq!(env.run(&["list", &skills, "--all", "--json"]), expected);
        assert_eq!(cached(&env).len(), 1);
    }
}

#[test]
fn commands_about_content_write_no_cache() {
    let (env, skills) = (TestEnv::new(), skills());
    env.run(&["verify", &skills]);
    env.run(&["lock", &skills]);
    env.run(&["diff", &skills, &skills]);
    assert_eq!(cached(&env), Vec::<PathBuf>::new());
}

#[test]
fn a_damaged_cache_is_a_note() {
    let (env, skills) = (TestEnv::new(), skills());
    let expected = env.run(&["list", &skills, "--json"]).stdout;
    fs::write(&cached(&env)[0], "damaged").expect("the file can be written");
    let ran = env.run(&["list", &skills, "--json", "--verbose"]);
    assert_eq!(ran.stdout, expected);
    let note = "is not used: it is damaged, or of a different program";
    assert!(ran.stderr.contains(note), "{}", ran.stderr);
}

#[test]
fn cleaning_removes_the_cache() {
    let (env, skills) = (TestEnv::new(), skills());
    env.run(&["list", &skills]);
    let size = cached(&env)[0].metadata().expect("it is there").len();
    assert_eq!(
        env.run(&["cache", "clean"]).data(),
        format!("removed 1 file of {size} bytes\n")
    );
    assert_eq!(cached(&env), Vec::<PathBuf>::new());
    assert_eq!(
        env.run(&["cache", "clean"]).data(),
        "removed 0 files of 0 bytes\n"
    );
}
