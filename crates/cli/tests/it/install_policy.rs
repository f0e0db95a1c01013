//! The policy `[install]` of a user and of a project.

use std::fs;

use repertoire::skill::Digest;
use repertoire_cli::Exit;

use crate::test_env::TestEnv;

const PROGRAM: &str = "#!/bin/sh\nls\n";

fn shared() -> TestEnv {
    let env = TestEnv::new();
    env.skill("shared", "tidy", "Sorts.")
        .file("shared/tidy/scripts/run.sh", PROGRAM);
    env
}

fn user(env: &TestEnv, text: &str) {
    env.file("../home/.config/repertoire/repertoire.toml", text);
}

/// Runs a command that has to fail, and returns its messages.
fn refused(env: &TestEnv, arguments: &[&str]) -> String {
    let ran = env.run(arguments);
    assert_ne!(ran.exit, Exit::Success, "{arguments:?}: {}", ran.stdout);
    ran.stderr
}

fn good(env: &TestEnv, arguments: &[&str]) -> String {
    let ran = env.run(arguments);
    assert_eq!(ran.exit, Exit::Success, "{arguments:?}: {}", ran.stderr);
    ran.stdout
}

#[test]
fn a_project_only_tightens_the_sources() {
    let env = shared();
    user(&env, "[install]\nsources = [\"anthropics/skills\"]\n");
    env.file("repertoire.toml", "[install]\nsources = [\".\"]\n");
    let message = refused(&env, &["add", "./shared", "--yes"]);
    assert!(
        message.contains("`./shared` is not an allowed source"),
        "{message}"
    );
    assert!(
        message.contains("home/.config/repertoire/repertoire.toml"),
        "{message}"
    );
    user(
        &env,
        "[install]\nsources = [\"anthropics/skills\", \"./shared\"]\n",
    );
    good(&env, &["add", "./shared", "--yes"]);
    env.file(
        "repertoire.toml",
        "[install]\nsources = [\"oci://ghcr.io/team\"]\n",
    );
    for command in ["update", "sync"] {
        let message = refused(&env, &[command, "--yes"]);
        assert!(
            message.contains("`./shared` is not an allowed source"),
            "{message}"
        );
        assert!(message.contains("here/repertoire.toml"), "{message}");
    }
}

#[test]
fn denied_content_is_not_installed() {
    let env = shared();
    let denied = Digest::of(PROGRAM.as_bytes());
    user(&env, &format!("[install]\ndenied = [\"{denied}\"]\n"));
    let message = refused(&env, &["add", "./shared", "--yes"]);
    let expected = format!("the content `{denied}` of `tidy` is denied");
    assert!(message.contains(&expected), "{message}");
    assert!(!env.here().join("repertoire.lock.json").exists());
    user(&env, "");
    good(&env, &["add", "./shared", "--yes"]);
    env.file(
        "repertoire.toml",
        format!("[install]\ndenied = [\"{denied}\"]\n"),
    );
    fs::remove_dir_all(env.here().join(".agents")).expect("it was installed");
    let message = refused(&env, &["sync", "--yes"]);
    assert!(message.contains(&expected), "{message}");
    assert!(!env.here().join(".agents").exists());
}

#[test]
fn denied_content_is_not_printed() {
    let env = shared();
    good(&env, &["body", "tidy", "--root", "shared"]);
    let denied = Digest::of(PROGRAM.as_bytes());
    user(&env, &format!("[install]\ndenied = [\"{denied}\"]\n"));
    let message = refused(&env, &["body", "tidy", "--root", "shared"]);
    assert!(
        message.contains(&format!("the content `{denied}` of `tidy` is denied")),
        "{message}"
    );
}
