//! Servers that are programs.
#![cfg(unix)]

use std::ffi::OsStr;
use std::path::Path;
use std::time::Duration;

use crate::scripted::With;

use repertoire_core::{Source, SourceErrorKind};
use repertoire_source_mcp::{McpLimits, McpOptions, McpSource};

/// A program in the shell that answers the handshake, and then does as `then` says.
fn program(then: &str) -> McpOptions {
    let script = r#"
        read -r line
        printf '%s\n' '{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"resources":{},"extensions":{"io.modelcontextprotocol/skills":{}}},"serverInfo":{"name":"sh","version":"1"}}}'
        read -r line
        read -r line
    "#;
    McpOptions::command("/bin/sh", ["-c".to_owned(), format!("{script}\n{then}")])
}

fn source(options: McpOptions) -> McpSource {
    McpSource::new("acme", options).unwrap()
}

#[tokio::test]
async fn a_program_is_served_over_standard_streams() {
    let options =
        program(r#"printf '%s\n' '{"jsonrpc":"2.0","id":1,"result":{"skills":[]}}'; read -r line"#);
    assert!(source(options).list().await.unwrap().is_empty());
}

#[tokio::test]
async fn errors_quote_the_last_line_of_stderr() {
    let error = source(McpOptions::command("/no/such/program", ["a"]))
        .list()
        .await
        .unwrap_err();
    assert_eq!(error.to_string(), "`/no/such/program` cannot be started");
    let error = source(program("echo 'no licence' >&2; exit 1"))
        .list()
        .await
        .unwrap_err();
    assert_eq!(error.kind(), SourceErrorKind::Unavailable);
    assert_eq!(
        error.to_string(),
        "the server closed the connection; the last line of its standard error: no licence"
    );
}

/// T: exhaustion. A line that never ends is not kept.
#[tokio::test]
async fn a_message_that_never_ends_ends_the_connection() {
    let mut limits = McpLimits::default();
    limits.message_bytes = 64 << 10;
    let error = source(program("exec cat /dev/zero").with(|options| options.limits = limits))
        .list()
        .await
        .unwrap_err();
    assert_eq!(error.kind(), SourceErrorKind::TooLarge);
    assert_eq!(
        error.to_string(),
        "a message has more than 65536 bytes; the limit is `limits.message-bytes`"
    );
}

/// T: exhaustion. A short message of very many values is not kept either; commas in texts are none.
#[tokio::test]
async fn many_small_values_end_the_connection() {
    let mut limits = McpLimits::default();
    limits.message_bytes = 64 << 10;
    let many = |commas: &str| {
        format!(
            r#"printf '{{"jsonrpc":"2.0","id":1,"result":{{"skills":[],"more":'; {commas}; printf '}}}}\n'; read -r line"#
        )
    };
    let small = many("printf '['; head -c 10000 /dev/zero | tr '\\0' ','; printf '0]'");
    let error = source(program(&small).with(|options| options.limits = limits.clone()))
        .list()
        .await
        .unwrap_err();
    assert_eq!(error.kind(), SourceErrorKind::TooLarge);
    assert_eq!(
        error.to_string(),
        "a message has more than 4096 values; the limit is `limits.message-bytes`"
    );
    let text = many(r#"printf '"\\"'; head -c 10000 /dev/zero | tr '\0' ','; printf '"'"#);
    assert!(
        source(program(&text).with(|options| options.limits = limits))
            .list()
            .await
            .unwrap()
            .is_empty()
    );
}

/// M-16: a file of 16 MiB is taken over a program's standard output too, as 21 MiB of base64.
#[tokio::test]
async fn a_message_at_the_limit_is_read() {
    let mut options = program(
        r#"printf '{"jsonrpc":"2.0","id":1,"result":{"skills":[],"more":"'; head -c 23000000 /dev/zero | tr '\0' 'x'; printf '"}}\n'; read -r line"#,
    );
    options.list_ms = 60_000;
    assert!(
        source(options.with(|options| options.call_ms = 60000))
            .list()
            .await
            .unwrap()
            .is_empty()
    );
}

/// A program that ends in the middle of an answer is started again, and is whole again.
#[tokio::test]
async fn a_program_that_dies_is_restarted() {
    let folder = tempfile::tempdir().unwrap();
    let been = folder.path().join("been");
    let options = program(&format!(
        r#"if [ -e {been} ]; then printf '%s\n' '{{"jsonrpc":"2.0","id":1,"result":{{"skills":[]}}}}'; read -r line
        else touch {been}; printf '%s' '{{"jsonrpc":"2.0","id":1,"result":{{"ski'; echo 'out of memory' >&2; exit 1; fi"#,
        been = been.display()
    ));
    let source = source(options);
    let error = source.list().await.unwrap_err();
    assert_eq!(error.kind(), SourceErrorKind::Unavailable);
    assert_eq!(
        error.to_string(),
        "the server closed the connection; the last line of its standard error: out of memory"
    );
    assert!(source.list().await.unwrap().is_empty());
}

/// T: exhaustion. A program that never says anything whole is not waited for.
#[tokio::test]
async fn a_program_that_dawdles_is_not_waited_for() {
    let drips = "while :; do printf x; sleep 0.01; done";
    for (threat, mut options, expected) in [
        (
            "silent",
            McpOptions::command("/bin/sleep", ["1000"]),
            "no connection within 0.2 s",
        ),
        (
            "dripping",
            McpOptions::command("/bin/sh", ["-c", drips]),
            "no connection within 0.2 s",
        ),
        (
            "silent later",
            program("sleep 1000"),
            "the server has not answered within 0.2 s",
        ),
        (
            "dripping later",
            program(drips),
            "the server has not answered within 0.2 s",
        ),
    ] {
        if !threat.ends_with("later") {
            options.start_ms = 200;
        }
        let error = source(options.with(|options| options.call_ms = 200))
            .list()
            .await
            .unwrap_err();
        assert_eq!(error.kind(), SourceErrorKind::Unavailable, "{threat}");
        assert_eq!(error.to_string(), expected, "{threat}");
    }
}

#[tokio::test]
async fn output_that_is_not_a_message_is_skipped() {
    let options = program(
        r#"echo 'hello, world'; echo '{"a":'; printf '%s\n' '{"jsonrpc":"2.0","id":1,"result":{"skills":[]}}'; read -r line"#,
    );
    assert!(source(options).list().await.unwrap().is_empty());
}

/// X-8: a program gets the variables that it is given, and none of the host's own.
#[tokio::test]
async fn a_program_gets_its_variables() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("variables");
    let mut options = program(&format!("/usr/bin/env > {}; exit 1", file.display()));
    options.env.insert("GIVEN".to_owned(), "yes".to_owned());
    let options =
        options.with(|options| options.inherit(|name| (name == "LANG").then(|| OsStr::new("C"))));
    source(options).list().await.unwrap_err();
    let variables = std::fs::read_to_string(file).unwrap();
    let mut names: Vec<_> = variables
        .lines()
        .filter_map(|line| line.split_once('='))
        .map(|(name, _)| name)
        .collect();
    // What a shell sets by itself.
    names.retain(|name| !matches!(*name, "PWD" | "SHLVL" | "_" | "OLDPWD"));
    names.sort_unstable();
    assert_eq!(names, ["GIVEN", "LANG"]);
}

/// Nothing that a program started outlives the source.
#[tokio::test]
async fn programs_end_with_their_source() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pids");
    let options = program(&format!(
        r#"sleep 1000 & echo "$$ $!" > {}; printf '%s\n' '{{"jsonrpc":"2.0","id":1,"result":{{"skills":[]}}}}'; wait"#,
        file.display()
    ));
    let source = source(options);
    source.list().await.unwrap();
    let pids = std::fs::read_to_string(file).unwrap();
    let pids: Vec<&str> = pids.split_whitespace().collect();
    assert_eq!(pids.len(), 2);
    assert!(pids.iter().all(|pid| is_running(pid)), "{pids:?}");
    drop(source);
    let gone = async {
        while pids.iter().any(|pid| is_running(pid)) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), gone)
        .await
        .expect("both end");
}

/// Returns whether a process exists and is not a zombie.
fn is_running(pid: &str) -> bool {
    let status =
        std::fs::read_to_string(Path::new("/proc").join(pid).join("stat")).unwrap_or_default();
    status
        .rsplit_once(')')
        .is_some_and(|(_, rest)| !rest.trim_start().starts_with('Z'))
}
