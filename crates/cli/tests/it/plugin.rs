//! `repertoire plugin`, and the kinds of sources that it is about.

use std::process::Command;

use repertoire::skill::Digest;
use snapbox::{assert_data_eq, str};

use crate::test_env::TestEnv;

const CONFIG: &str = "\
[[source]]
kind = \"plugin\"
name = \"hello\"
path = \"libhello.so\"
options = { people = [\"Ann\"] }

[[source]]
kind = \"fs\"
name = \"mine\"
roots = [\"mine\"]
";

fn env() -> TestEnv {
    let env = TestEnv::new();
    env.library("libhello.so")
        .file("repertoire.toml", CONFIG)
        .skill("mine", "greet-ann", "Greets Ann my way.");
    env
}

#[test]
fn an_approved_plugin_is_last_and_restricted() {
    let env = env();
    let list =
        |env: &TestEnv| env.run(&["list", "--all", "--connect", "--config", "repertoire.toml"]);
    let before = list(&env);
    assert_data_eq!(
        before.stdout,
        str![[r#"
name       source  tier  trust    surface    tokens  flags
greet-ann  mine    user  trusted  tool-only      10

"#]]
    );
    let diagnostic = env
        .run(&["check", "--connect", "--config", "repertoire.toml"])
        .stdout;
    assert!(diagnostic.contains("error[source-failed]"), "{diagnostic}");
    assert!(
        diagnostic.contains(
            "is not approved; if you trust it, `repertoire plugin approve [WORLD]/here/libhello.so`"
        ),
        "{diagnostic}"
    );

    let failure = env.run(&["plugin", "approve", "libhello.so"]).failure();
    assert!(
        failure.contains("error: cannot prompt: standard input is not a terminal"),
        "{failure}"
    );
    assert!(
        failure.contains("review with `repertoire plugin inspect libhello.so`, then pass --yes"),
        "{failure}"
    );
    let declined = env.run_answering("n\n", &["plugin", "approve", "libhello.so"]);
    assert!(
        declined.stderr.ends_with("error: not approved\n"),
        "{}",
        declined.stderr
    );
    assert!(
        env.run(&["plugin", "list"])
            .stderr
            .contains("no approved plugins")
    );
    let approved = env
        .run_answering("y\n", &["plugin", "approve", "libhello.so"])
        .stdout;
    assert!(
        approved.starts_with("repertoire-plugin-hello 0.1.0  sha256:"),
        "{approved}"
    );
    assert!(
        approved.contains("\nneeds     libc"),
        "no digest covers what it needs: {approved}"
    );
    assert_data_eq!(
        list(&env).stdout,
        str![[r#"
name             source  tier    trust       surface    tokens  flags
greet-ann        mine    user    trusted     tool-only      10  1 shadow
hello:greet-ann  hello   plugin  restricted  tool-only       8  shadow of mine:greet-ann

"#]]
    );
    assert_data_eq!(
        env.run(&["body", "hello:greet-ann", "--config", "repertoire.toml"])
            .data(),
        str![[r#"
Say hello to Ann.

"#]]
    );
    assert_data_eq!(
        env.run(&["plugin", "list"]).data(),
        str![[r#"
name                     version  state     path[..]needs
repertoire-plugin-hello  0.1.0    approved  [WORLD]/here/libhello.so[..]

"#]]
    );

    env.file("libhello.so", "another");
    let diagnostic = env
        .run(&["check", "--connect", "--config", "repertoire.toml"])
        .stdout;
    assert!(
        diagnostic.contains("has changed: expected sha256:"),
        "{diagnostic}"
    );
    assert!(env.run(&["plugin", "list"]).data().contains("  changed  "));
    env.run(&["plugin", "revoke", "libhello.so"]).data();
    let failure = env.run(&["plugin", "revoke", "libhello.so"]).failure();
    assert!(
        failure.starts_with("error: the plugin `[WORLD]/here/libhello.so` is not approved"),
        "{failure}"
    );
}

/// Covers an installation by `cargo install`: one binary, which also runs the plugins.
#[cfg(unix)]
#[test]
fn an_installed_program_runs_process_plugins() {
    let env = env();
    let bin = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a temporary folder");
    let installed = bin.path().join("repertoire");
    std::fs::hard_link(env!("CARGO_BIN_EXE_repertoire"), &installed)
        .expect("both lie in the target folder");
    let library = env.here().join("libhello.so");
    let digest = Digest::of(&std::fs::read(&library).expect("it is there"));
    env.file("process.toml", format!("[[source]]\nkind = \"process\"\nname = \"hello\"\npath = \"libhello.so\"\ndigest = \"{digest}\"\noptions = {{ people = [\"Ann\"] }}\n"));
    let mut command = Command::new(&installed);
    let ran = command
        .args(["body", "greet-ann", "--config", "process.toml"])
        .current_dir(env.here())
        .output();
    let ran = ran.expect("it runs");
    let (said, talk) = (
        String::from_utf8_lossy(&ran.stdout),
        String::from_utf8_lossy(&ran.stderr),
    );
    assert_eq!((said.as_ref(), talk.as_ref()), ("Say hello to Ann.\n", ""));

    let ran = Command::new(&installed)
        .arg("plugin-host")
        .output()
        .expect("it runs");
    assert_eq!(ran.status.code(), Some(2));
    let usage = String::from_utf8_lossy(&ran.stderr);
    assert!(
        usage.starts_with("usage: plugin-host FILE DIGEST BYTES SECONDS\n"),
        "{usage}"
    );
}

#[test]
fn inspect_runs_nothing() {
    let env = env();
    let said = env.run(&["plugin", "inspect", "libhello.so"]).data();
    for expected in [
        "path      [WORLD]/here/libhello.so\n",
        "name      repertoire-plugin-hello\n",
        "version   0.1.0\n",
        "interface 1.0\n",
        "approval  none\n",
        "needs     libc",
        "exports   repertoire_plugin\n",
        "exports   repertoire_plugin_note\n",
    ] {
        assert!(said.contains(expected), "{expected} in {said}");
    }
    env.file("notes.txt", "no library");
    let failure = env.run(&["plugin", "inspect", "notes.txt"]).failure();
    assert_eq!(
        failure,
        "error: `[WORLD]/here/notes.txt` is not a plugin: it is not a shared library\n"
    );
}

#[test]
fn plugins_are_never_builtin() {
    let env = env();
    env.file(
        "repertoire.toml",
        CONFIG.replace("path =", "tier = \"builtin\"\npath ="),
    );
    let failure = env
        .run(&["list", "--connect", "--config", "repertoire.toml"])
        .failure();
    assert!(
        failure.starts_with("error: a source of the kind `plugin` loads content of other people, and cannot be builtin\n --> repertoire.toml:4:1"),
        "{failure}"
    );
    for (wrong, expected) in [
        (
            "runner = \"x\"",
            "unknown field `runner`, expected one of `path`, `digest`, `options`, `deadline-ms`",
        ),
        ("digest = \"sha1:0\"", "`sha1:0` is not a digest"),
    ] {
        env.file(
            "repertoire.toml",
            CONFIG.replace("path =", &format!("{wrong}\npath =")),
        );
        let failure = env
            .run(&["list", "--connect", "--config", "repertoire.toml"])
            .failure();
        assert!(
            failure.starts_with(&format!("error: {expected}")),
            "{failure}"
        );
    }
    env.file(
        "repertoire.toml",
        CONFIG.replace("path =", "tier = \"user\"\npath ="),
    );
    env.run(&["plugin", "approve", "libhello.so", "--yes"])
        .data();
    let list = env
        .run(&["list", "--connect", "--config", "repertoire.toml"])
        .stdout;
    assert!(
        list.contains("greet-ann  hello   user  restricted"),
        "only the configuration trusts a plugin: {list}"
    );
}
