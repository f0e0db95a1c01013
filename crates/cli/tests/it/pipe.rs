//! Readers that go away.

use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};

use crate::test_env::TestEnv;

#[test]
fn a_closed_pipe_ends_the_run_quietly() {
    let env = TestEnv::new();
    for number in 0..3000 {
        env.skill(
            "root",
            &format!("s{number}"),
            "One of many, with enough words to fill the buffer of a pipe quickly.",
        );
    }
    for arguments in [
        &["list", "root"][..],
        &["list", "--json", "root"],
        &["catalog", "root"],
    ] {
        let mut child = env.spawn(arguments);
        let mut stdout = BufReader::new(child.stdout.take().expect("it is piped"));
        let mut first = String::new();
        stdout.read_line(&mut first).expect("there is a first line");
        assert!(!first.is_empty(), "{arguments:?}");
        drop(stdout);
        let mut stderr = String::new();
        child
            .stderr
            .take()
            .expect("it is piped")
            .read_to_string(&mut stderr)
            .expect("it is text");
        let status = child.wait().expect("it ends");
        assert_eq!(
            (status.code(), stderr.as_str()),
            (Some(0), ""),
            "{arguments:?}"
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn unwritable_output_is_a_failure() {
    let full = std::fs::File::create("/dev/full").expect("Linux has it");
    let output = Command::new(env!("CARGO_BIN_EXE_repertoire"))
        .arg("kinds")
        .stdout(full)
        .stderr(Stdio::piped())
        .output()
        .expect("the binary was built for this test");
    assert_eq!(output.status.code(), Some(2));
    let stderr = String::from_utf8(output.stderr).expect("it is text");
    assert!(
        stderr.starts_with("error: cannot write the output: "),
        "{stderr}"
    );
}
