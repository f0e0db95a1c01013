#![allow(
    clippy::disallowed_methods,
    reason = "the test starts its own processes"
)]

use std::ffi::OsString;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::Command;
use std::time::Duration;

use super::{RunMark, kill_marked};

/// Each process replaces its program all the time: no scan may take it for a process without the mark.
#[test]
fn a_marked_process_in_exec_is_killed() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mark: Vec<(OsString, OsString)> = RunMark::unique().variables().collect();
    for number in 0..64 {
        // A process that is not killed ends by itself, with a status of its own.
        let end = folder.path().join(number.to_string());
        let program = r#"test -e "$END" && exit 7; exec sh -c "$PROGRAM""#;
        let mut child = Command::new("sh")
            .args(["-c", program])
            .env("PROGRAM", program)
            .env("END", &end)
            .envs(mark.iter().cloned())
            .process_group(0)
            .spawn()
            .expect("a shell can be started");
        kill_marked(&mark, Duration::ZERO);
        std::fs::write(end, "").expect("the file can be written");
        let ended = child.wait().expect("it is a child");
        assert_eq!(ended.signal(), Some(9), "process {number}: {ended}");
    }
}
