//! A source kind outside the workspace, linked to its own command line.

use std::path::PathBuf;
use std::process::{Command, Output};

use snapbox::{assert_data_eq, str};

use crate::test_env::checkout;

/// Builds the example once and gives its binary.
fn build() -> PathBuf {
    let target = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
        .parent()
        .expect("it lies in the target folder")
        .join("external");
    let example = checkout("tests/external/own-source");
    // The versions that the workspace was built with are the ones that are there without a network.
    std::fs::copy(checkout("Cargo.lock"), example.join("Cargo.lock"))
        .expect("the workspace is locked");
    let output = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--offline", "--manifest-path"])
        .arg(example.join("Cargo.toml"))
        .arg("--target-dir")
        .arg(&target)
        .output()
        .expect("cargo runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    target
        .join("debug/haiku-repertoire")
        .with_extension(std::env::consts::EXE_EXTENSION)
}

#[test]
fn custom_kinds_work_in_configuration() {
    let binary = build();
    let run = |arguments: &[&str]| -> Output {
        let mut command = Command::new(&binary);
        command
            .args(arguments)
            .current_dir(checkout("tests/external/own-source"))
            .output()
            .expect("it was built")
    };
    let text = |bytes| String::from_utf8(bytes).expect("answers for people are UTF-8");

    let list = run(&["list", "--config", "repertoire.toml"]);
    assert_data_eq!(
        text(list.stdout),
        str![[r#"
name    source  tier  trust    surface    tokens  flags
spring  poems   user  trusted  tool-only       7
autumn  poems   user  trusted  tool-only       7

"#]]
    );
    let body = run(&[
        "body",
        "spring",
        "--source",
        "haiku:more:seasons = [\"spring\"]",
        "--no-defaults",
    ]);
    assert_data_eq!(
        text(body.stdout),
        str![[r#"
It is spring now.
A branch taps at the window.
Write down what it says.

"#]]
    );
    let unknown = run(&["list", "--source", "limerick:poems"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert_data_eq!(
        text(unknown.stderr),
        str![[r#"
error: unknown source kind `limerick`; known: client-plugins, fs, haiku, mcp, plugin, process, static
 --> --source:1:13
  |
1 | source = [{ kind = "limerick", name = "poems" }]
  |             ^^^^^^^^^^^^^^^^^

"#]]
    );
    let refused = run(&[
        "list",
        "--source",
        "haiku:more:seasons = [\"spring\", \"../up\"]",
    ]);
    assert_data_eq!(
        text(refused.stderr),
        str![[r#"
error: name `../up` holds `/`; a name is not a path
 --> --source:1:65
  |
1 | source = [{ kind = "haiku", name = "more", seasons = ["spring", "../up"] }]
  |                                                                 ^^^^^^^

"#]]
    );
}
