//! A short load: no request fails, no byte differs, and every session is notified once. Its speed is not tested.

use std::process::Command;

#[test]
fn under_a_short_load_nothing_is_wrong() {
    let output = Command::new(env!("CARGO_BIN_EXE_xtask"))
        .args(["mcp-load", "--quick"])
        .output()
        .expect("the task starts");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let text = String::from_utf8(output.stdout).expect("figures are text");
    let names: Vec<&str> = text
        .lines()
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    let parts = [
        "page/cpu",
        "requests",
        "rate",
        "list/p50",
        "list/p99",
        "read/p50",
        "read/p99",
        "resident",
        "notified/edit/p50",
        "notified/first",
        "notified/p50",
        "notified/p99",
        "notified/last",
        "idle/resident",
        "idle/resident/notified",
        "events/p50",
        "events/p99",
        "events/resident",
        "passed/piped/p50",
        "passed/one/p50",
        "passed/sessions/p50",
        "passed/sessions/p99",
    ];
    assert_eq!(names, parts.map(|part| format!("mcp-load/{part}")));
}
