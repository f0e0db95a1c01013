//! A program of a different name with this command line.

use repertoire_cli::{Environment, Exit, Stream, run};

/// Returns the exit, the results and the messages of the program `acme`.
fn acme(arguments: &[&str]) -> (Exit, String, String) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let environment = Environment::new(folder.path()).program("acme", "9.8.7");
    let environment = environment
        .stdout(Stream::new(&mut stdout))
        .stderr(Stream::new(&mut stderr));
    let exit = run(std::iter::once(&"acme").chain(arguments), environment);
    let text = |bytes| String::from_utf8(bytes).expect("it prints text");
    (exit, text(stdout), text(stderr))
}

#[test]
fn a_program_has_its_own_version() {
    assert_eq!(
        acme(&["--version"]),
        (Exit::Success, "acme 9.8.7\n".to_owned(), String::new())
    );
}

#[test]
fn help_and_messages_name_the_program() {
    for arguments in [
        &["--help"][..],
        &["list", "--help"],
        &["mcp", "config", "--help"],
        &["serve", "--help"],
        &["plugin", "new", "--help"],
        &["completions", "bash"],
        &["man", "check"],
        &["list", "--no-defaults"],
        &["verify", "--no-defaults"],
        &["mcp", "config", "--agent", "cursor"],
    ] {
        let (_, stdout, stderr) = acme(arguments);
        let printed = stdout + &stderr;
        assert!(printed.contains("acme"), "{arguments:?}: {printed}");
        for command in [
            "  repertoire ",
            "`repertoire ",
            "\nrepertoire",
            "\"repertoire\"",
            "[default: repertoire]",
        ] {
            assert!(!printed.contains(command), "{arguments:?}: {printed}");
        }
    }
}
