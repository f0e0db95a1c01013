//! Cases whose files change while their registry runs.

use super::{Cases, Runner};

/// Runs `script` as the steps of one case, `count` of them, and checks `lines`.
fn run(script: &str, count: usize, lines: &[&str]) -> (bool, String) {
    let steps = format!("steps: steps.sh ({count})");
    let lines: Vec<_> = [steps.as_str()].iter().chain(lines).copied().collect();
    Cases::new()
        .case("x", &lines)
        .file("x/steps.sh", script)
        .run(&Runner::default())
}

#[track_caller]
fn all_hold(script: &str, count: usize, lines: &[&str]) {
    let (passed, out) = run(script, count, lines);
    assert!(passed && out.contains("1 passed"), "{out}");
}

#[track_caller]
fn all_fail(script: &str, count: usize, lines: &[&str]) {
    let (_, out) = run(script, count, lines);
    for (number, line) in (3..).zip(lines) {
        assert!(
            out.contains(&format!("FAILED x, line {number}: {line}\n")),
            "{line} held:\n{out}"
        );
    }
}

fn write(front_matter: &str, body: &str) -> String {
    format!("printf -- '---\\nname: tea\\n{front_matter}\\n---\\n{body}\\n' > root/tea/SKILL.md\n")
}

const UNCHANGED: &str = "after 1 catalog-version unchanged";
const WATCHES: &str = "(inotify lines in /proc/<pid>/fdinfo)";

#[test]
fn steps_run_in_order() {
    let second = "mkdir root/milk && printf -- '---\\nname: milk\\ndescription: D.\\n---\\n' > root/milk/SKILL.md";
    all_hold(
        &format!(
            "\n## step 1\n{}## step 2\n{second}\n\n## step 3\nrm -r root/tea\n",
            write("description: New.", "B")
        ),
        3,
        &[
            "loads: [\"tea\"]",
            "after 3 loads: [\"milk\"]",
            "after 1 field tea description = \"New.\"",
            "after 2 loads: [\"milk\", \"tea\"]",
            "after 2 either: loads cocoa | loads milk",
            "field tea description = \"Brews tea.\"",
        ],
    );
}

#[test]
fn false_expectations_of_a_step_fail() {
    all_fail(
        &format!("## step 1\n{}", write("description: New.", "B")),
        1,
        &[
            "after 1 loads: []",
            "after 1 field tea description = \"Old.\"",
            "after 1 diag error root/tea/SKILL.md",
            "after 1 catalog lacks \"New.\"",
            "after 1 body tea = \"Boil.\\n\"",
            "after 1 watches: <= 1 (inotify lines in /proc/<pid>/fdinfo)",
        ],
    );
}

#[test]
fn a_check_must_hold_after_the_refresh() {
    all_fail(
        "## step 1\nrm -r root/tea\n",
        1,
        &["after 1 loads: [\"tea\"]"],
    );
}

#[test]
fn an_unchanged_catalog_has_equal_bytes() {
    for front_matter in [
        "description: New.",
        "description: Brews tea.\ndisable-model-invocation: true",
    ] {
        all_fail(
            &format!("## step 1\n{}", write(front_matter, "B")),
            1,
            &[UNCHANGED],
        );
    }
    all_fail("## step 1\nmv root/tea away\n", 1, &[UNCHANGED]);
    let body = write("description: Brews tea.", "Another body.");
    all_hold(
        &format!("## step 1\n{body}"),
        1,
        &[UNCHANGED, "after 1 body tea = \"Another body.\\n\""],
    );
}

#[test]
fn a_catalog_is_compared_with_the_previous_step() {
    let script = format!(
        "## step 1\n{}## step 2\n:\n",
        write("description: New.", "B")
    );
    all_hold(
        &script,
        2,
        &[
            "after 1 field tea description = \"New.\"",
            "after 2 catalog-version unchanged",
        ],
    );
    let (_, out) = Cases::new()
        .case("x", &["catalog-version unchanged"])
        .run(&Runner::default());
    assert!(out.contains("expected: a step before it"), "{out}");
}

#[test]
fn watches_of_the_case_are_counted() {
    let two = format!("watches: <= 2 {WATCHES}");
    let many = format!("watches: <= 64 {WATCHES}");
    let (_, out) = Cases::new()
        .case("x", &[&many, &two, "loads: [\"tea\"]"])
        .run(&Runner::default());
    assert!(out.contains("FAILED x, line 3"), "{out}");
    assert_eq!(out.matches("FAILED").count(), 1, "{out}");
    let nothing = Cases::new().case("x", &[&format!("roots: [[\"nowhere\", \"user\"]]\n{many}")]);
    let (_, out) = nothing.run(&Runner::default());
    assert!(out.contains("found:    no root to put a skill in"), "{out}");
}

#[test]
fn a_call_of_the_session_is_made_once() {
    all_hold(
        &format!("## step 1\n{}", write("description: New.", "Fresh body.")),
        1,
        &[
            "after 1 session: activate tea -> has \"Fresh body.\"",
            "after 1 either: session: activate tea -> has \"already\" | loads cocoa",
        ],
    );
}

#[test]
fn never_lines_run_after_the_last_step() {
    all_fail("## step 1\ntouch root/tea/RAN\n", 1, &["never: a file RAN"]);
}

#[test]
fn a_check_needs_its_step() {
    all_fail(
        "## step 1\n:\n",
        1,
        &["after 0 loads: [\"tea\"]", "after 2 loads: [\"tea\"]"],
    );
    let (_, out) = Cases::new()
        .case("x", &["after 1 loads: [\"tea\"]"])
        .run(&Runner::default());
    assert!(out.contains("FAILED x, line 2"), "{out}");
}

#[test]
fn invalid_or_failing_steps_fail_the_case() {
    for (script, expected) in [
        ("## step 1\n:\n", "expected 2 steps, found 1"),
        (
            "## step 1\n:\n## step 3\n:\n",
            "expected `## step 2`, found `## step 3`",
        ),
        (
            ":\n## step 1\n:\n## step 2\n:\n",
            "expected `## step 1`, found `:`",
        ),
        (
            "## step 1\n:\n## step 2\necho no luck >&2\nfalse\n:\n",
            "step 2 ended with exit status: 1: no luck",
        ),
    ] {
        let (passed, out) = run(script, 2, &["loads: [\"tea\"]"]);
        assert!(!passed && out.contains(expected), "{out}");
    }
}
