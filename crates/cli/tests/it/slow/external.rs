//! Programs outside the workspace: sources, hosts, and command lines of their own.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use repertoire::skill::Digest;
use snapbox::{assert_data_eq, str};

use crate::test_env::checkout;

/// Returns the target folder of the workspace, in which other packages share the dependencies of the tests.
pub(super) fn target() -> &'static Path {
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR"));
    scratch.parent().expect("it is in the target folder")
}

/// Builds a package of `tests/external`, and returns the folder of its binaries.
fn build(name: &str) -> PathBuf {
    let package = checkout(&format!("tests/external/{name}"));
    // The versions that the workspace was built with are the ones that are there without a network.
    std::fs::copy(checkout("Cargo.lock"), package.join("Cargo.lock"))
        .expect("the workspace is locked");
    let output = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--offline", "--manifest-path"])
        .arg(package.join("Cargo.toml"))
        .arg("--target-dir")
        .arg(target())
        .output()
        .expect("cargo runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    target().join("debug")
}

/// Runs a program, which succeeds, and returns its output.
fn printed(folder: &Path, program: &str, arguments: &[&OsStr]) -> String {
    let program = folder
        .join(program)
        .with_extension(std::env::consts::EXE_EXTENSION);
    let output = Command::new(program)
        .args(arguments)
        .output()
        .expect("it was built");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn custom_kinds_work_in_configuration() {
    let binary = build("own-source")
        .join("haiku-repertoire")
        .with_extension(std::env::consts::EXE_EXTENSION);
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
error: unknown source kind `limerick`; known: client-plugins, fs, haiku, http, mcp, oci, plugin, process, static
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

/// Writes a skill of this name into `folder`, and returns its own folder.
fn write_skill(folder: &Path, name: &str) -> PathBuf {
    let skill = folder.join(name);
    std::fs::create_dir_all(&skill).expect("the folder is writable");
    let text = format!("---\nname: {name}\ndescription: Does {name}.\n---\nThis is {name}.\n");
    std::fs::write(skill.join("SKILL.md"), text).expect("the folder is writable");
    skill
}

#[test]
fn programs_of_a_stranger_run() {
    let programs = build("stranger");
    let temp = tempfile::tempdir().expect("a folder");
    let [home, project, new] = ["home", "project", "new"].map(|name| temp.path().join(name));
    write_skill(&home, "tidy");
    write_skill(&project, "deploy");
    let new = write_skill(&new, "greet");
    let folders = [home.as_os_str(), project.as_os_str(), new.as_os_str()];
    assert_data_eq!(
        printed(&programs, "host", &folders),
        str![[r#"
before: tidy
admitted: deploy tidy
changed: + greet
body: This is greet.


"#]]
    );
    assert_data_eq!(
        printed(&programs, "agents", &[]),
        str![[r#"
reviewer on large: Review strictly.
writer on small: Write.
home:reviewer on small
no agent `editor`

"#]]
    );
    assert_data_eq!(
        printed(&programs, "memory", &[]),
        str![[r#"
system: It is 8.; messages: ["It is sunny."]
system: It is 9.; messages: []
system: It is 10.; messages: ["It rains."]

"#]]
    );
    let arguments = ["catalog", "--no-defaults", "--style", "lines", "--source"];
    let source = "tides:harbours:ports = [\"brest\", \"dover\"], high = \"noon\"";
    let arguments: Vec<&OsStr> = arguments.iter().chain([&source]).map(OsStr::new).collect();
    assert_data_eq!(
        printed(&programs, "stranger-repertoire", &arguments),
        str![[r#"
brest: Knows the tides of brest.
dover: Knows the tides of dover.

"#]]
    );
    assert_data_eq!(
        printed(&programs, "stranger-repertoire", &[OsStr::new("--version")]),
        str![[r#"
stranger-repertoire 2.5.0

"#]]
    );
}

#[cfg(unix)]
#[test]
fn a_plugin_in_c_of_a_stranger_lists() {
    let programs = build("stranger");
    let temp = tempfile::tempdir().expect("a folder");
    let library = temp.path().join("libgreetings.so");
    let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
    let status = Command::new(compiler)
        .args(["-shared", "-fPIC", "-Wall", "-Wextra", "-Werror", "-I"])
        .arg(checkout("crates/plugin-sdk/include"))
        .arg("-o")
        .arg(&library)
        .arg(checkout("tests/external/stranger/plugin/greetings.c"))
        .status()
        .expect("there is a C compiler");
    assert!(status.success());
    let digest = Digest::of(&std::fs::read(&library).expect("it was compiled"));
    let source = format!("plugin:greetings:path = {library:?}, digest = \"{digest}\"");
    let arguments = [
        "catalog",
        "--no-defaults",
        "--style",
        "lines",
        "--source",
        &source,
    ];
    let arguments: Vec<&OsStr> = arguments.iter().map(OsStr::new).collect();
    assert_data_eq!(
        printed(&programs, "stranger-repertoire", &arguments),
        str![[r#"
evening (source: greetings): Greets in the evening.
morning (source: greetings): Greets in the morning.

"#]]
    );
}
