mod live;

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use tempfile::TempDir;

use super::fixture::Fixture;
use super::*;

/// Folders of cases, made as a test needs them.
struct Cases(TempDir);

impl Cases {
    fn new() -> Cases {
        Cases(TempDir::new().unwrap())
    }

    fn file(self, path: &str, text: &str) -> Cases {
        let path = self.0.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    /// A case with one skill.
    fn case(self, name: &str, lines: &[impl AsRef<str>]) -> Cases {
        let lines: String = lines
            .iter()
            .map(|line| format!("{}\n", line.as_ref()))
            .collect();
        let skill = "---\nname: tea\ndescription: Brews tea.\nhooks: x\n---\nBoil.\n";
        self.file(&format!("{name}/root/tea/SKILL.md"), skill)
            .file(&format!("{name}/expect.txt"), &format!("kind: A\n{lines}"))
    }

    fn run(&self, runner: &Runner) -> (bool, String) {
        let mut out = Vec::new();
        let passed = runner.run(self.0.path(), &mut out).unwrap();
        (passed, String::from_utf8(out).unwrap())
    }
}

/// A stand-in for the binary, written by another process: one that this process still had open could not be run.
fn script(folder: &Path, text: &str) -> Runner {
    let path = folder.join("stand-in");
    let mut shell = std::process::Command::new("sh");
    shell
        .args([
            "-c",
            "printf '#!/bin/sh\\n%s\\n' \"$2\" > \"$1\" && chmod +x \"$1\"",
            "sh",
        ])
        .arg(&path)
        .arg(text);
    assert!(shell.status().unwrap().success());
    Runner::default().binary(path)
}

/// Runs `lines` as one case and wants a failure of each.
#[track_caller]
fn all_fail(runner: &Runner, lines: &[&str]) {
    let (passed, out) = Cases::new().case("x", lines).run(runner);
    assert!(!passed, "{out}");
    for (number, line) in (2..).zip(lines) {
        assert!(
            out.contains(&format!("FAILED x, line {number}: {line}\n")),
            "{line} held:\n{out}"
        );
    }
}

#[test]
fn the_report_names_failures_and_totals() {
    let cases = Cases::new()
        .case("right", &["loads: [\"tea\"]"])
        .case("wrong", &["loads: [\"milk\"]", "count loads 1"]);
    let expected = "FAILED wrong, line 2: loads: [\"milk\"]\n  expected: [\"milk\"]\n  found:    [\"tea\"]\n\
                    A: 1 passed, 1 failed, 0 not applicable\ncases: 1 passed, 1 failed, 0 not applicable\n";
    assert_eq!(cases.run(&Runner::default()), (false, expected.to_owned()));
}

#[test]
fn checks_without_the_binary_are_not_applicable() {
    let cases = Cases::new()
        .case(
            "later",
            &[
                "loads: [\"tea\"]",
                "mcp list has \"tea\"",
                "cli list: exit 0",
            ],
        )
        .case("worse", &["loads: []", "mcp list has \"tea\""]);
    let (passed, out) = cases.run(&Runner::default());
    assert!(!passed);
    let expected = "not applicable without the binary, which is not built:\n  later, line 3: mcp list has \"tea\"\n  \
                    later, line 4: cli list: exit 0\n  worse, line 3: mcp list has \"tea\"\n\
                    A: 0 passed, 1 failed, 1 not applicable\ncases: 0 passed, 1 failed, 1 not applicable\n";
    assert!(out.ends_with(expected), "{out}");
}

#[test]
fn false_expectations_fail() {
    all_fail(
        &Runner::default(),
        &[
            "loads: []",
            "loads: [\"milk\", \"tea\"]",
            "loads-at-least: [\"milk\"]",
            "count loads 2",
            "skips: [\"root/tea/SKILL.md\"]",
            "skips: [\"root/milk/SKILL.md\"]",
            "shadowed: [[\"tea\", \"root/tea/SKILL.md\"]]",
            "field tea description = \"Brews\"",
            "field tea description length 9",
            "field tea license = \"MIT\"",
            "field tea extra.hooks = \"y\"",
            "field tea source = \"project\"",
            "field milk description = \"Brews tea.\"",
            "text tea extra.hooks = \"y\"",
            "body tea = \"Boil.\"",
            "body tea lacks \"Boil\"",
            "read tea SKILL.md = error",
            "read tea milk.md = ok",
            "read tea SKILL.md has \"milk\"",
            "resources tea = [\"SKILL.md\"]",
            "resources tea has \"milk.md\"",
            "activate model tea = error",
            "activate user milk = ok",
            "activate user milk = error has \"tea pot\"",
            "activate model tea lacks \"Boil\"",
            "activate model tea has the absolute path of root/milk",
            "activate model tea result <= 5 bytes",
            "session: activate tea -> lacks \"Boil\"",
            "session: activate tea again -> has \"Boil\"",
            "session: activate tea force -> lacks \"Boil\"",
            "session: reset, activate tea -> lacks \"Boil\"",
            "session: active list = []",
            "tools: []",
            "tools enum: [\"milk\"]",
            "with disabled=[\"tea\"] loads: [\"tea\"]",
            "with disabled=[\"tea\"] activate model tea = ok",
            "diag any root/tea/SKILL.md",
            "catalog lacks \"tea\"",
            "catalog = \"\"",
            "catalog count \"tea\" 1",
            "catalog order: [\"tea\", \"milk\"]",
            "catalog text tea = \"Brews milk.\"",
            "catalog has no character in U+0041..U+005A",
            "catalog budget=1000 names: all 2",
            "catalog budget=1 within budget",
            "catalog budget=1000 report: shortened >= 1",
            "catalog budget=1000 report names every shortened skill with its old and new length",
            "either: loads milk | extra.hooks = \"y\"",
            "either: loads milk | the diagnostic says that hooks was dropped",
            "never: the text \"Brews tea\"",
            "never: a file SKILL.*",
            "never: a skill named milk or tea with hooks",
            "never: a skill named tea",
        ],
    );
}

#[test]
fn a_quiet_case_is_quiet() {
    let noisy = ["diag none *", "diag none root/bad/SKILL.md"];
    let cases = Cases::new()
        .case("x", &noisy)
        .file("x/root/bad/SKILL.md", "no front matter\n");
    let (passed, out) = cases.run(&Runner::default());
    assert!(!passed);
    assert_eq!(out.matches("FAILED").count(), 2, "{out}");
}

#[test]
fn false_expectations_of_the_binary_fail() {
    let folder = TempDir::new().unwrap();
    let noisy = script(folder.path(), "printf 'a\\033b'; echo oops >&2; exit 3");
    all_fail(
        &noisy,
        &[
            "cli list: exit 0 or 2",
            "cli list: never 3",
            "cli list: valid JSON",
            "cli list: stderr empty",
            "cli list: no byte 0x1b",
            "cli list: no U+001B",
            "catalog bytes equal over 2 fresh processes",
            "never: a non-empty exit of the whole scan",
        ],
    );
    let slow = script(folder.path(), "exec sleep 600");
    all_fail(&slow, &["within: 10ms", "cli list: within 10ms"]);
    let different = script(folder.path(), "echo $$");
    all_fail(&different, &["catalog bytes equal over 2 fresh processes"]);
    let panics = script(
        folder.path(),
        "echo \"thread 'main' panicked at x\" >&2; exit 101",
    );
    all_fail(
        &panics,
        &[
            "never: a non-empty exit of the whole scan or a panic",
            "never: a panic",
        ],
    );
    let large = script(
        folder.path(),
        "exec head -c 400000000 /dev/zero | tail -c 400000000 >/dev/null",
    );
    all_fail(&large, &["memory: < 50 MB"]);
    let (passed, out) = Cases::new()
        .case("x", &["memory: < 50 MB", "within: 60s"])
        .run(&script(folder.path(), ":"));
    assert!(passed, "{out}");
}

#[test]
fn a_child_of_the_binary_is_seen() {
    let folder = TempDir::new().unwrap();
    for text in ["sleep 0", "sleep 600 >&- 2>&- &"] {
        all_fail(
            &script(folder.path(), text),
            &["never: a child process during list"],
        );
    }
    let alone = script(folder.path(), ":");
    let (passed, out) = Cases::new()
        .case("x", &["never: a child process during list"])
        .run(&alone);
    assert!(passed, "{out}");
}

#[test]
fn a_reader_that_leaves_early_closes_the_pipe() {
    let folder = TempDir::new().unwrap();
    let endless = script(folder.path(), "exec yes");
    let lines = [
        "cli list | head -1: stderr empty, exit 141",
        "cli list | head -c 3: exit 141",
    ];
    let (passed, out) = Cases::new().case("x", &lines).run(&endless);
    assert!(passed, "{out}");
}

#[test]
fn a_process_that_is_left_behind_is_seen() {
    let mut process = std::process::Command::new("sleep")
        .arg("641")
        .spawn()
        .unwrap();
    all_fail(
        &Runner::default(),
        &["never: a process \"sleep 640\" or \"sleep 641\" left behind"],
    );
    process.kill().unwrap();
    process.wait().unwrap();
    let (passed, out) = Cases::new()
        .case("x", &["never: a process \"sleep 641\" left behind"])
        .run(&Runner::default());
    assert!(passed, "{out}");
}

#[test]
fn unlinked_text_and_invalid_lines_fail() {
    all_fail(
        &Runner::default(),
        &["never: anything unexpected", "loads tea, perhaps"],
    );
    let (_, out) = Cases::new()
        .case("x", &["never: anything unexpected"])
        .run(&Runner::default());
    assert!(out.contains("or a linked test"), "{out}");
}

#[test]
fn words_are_bound_in_their_case_alone() {
    let row = bound::rows().next().unwrap();
    let line = format!("never: {}", row.words);
    let (passed, out) = Cases::new()
        .case(row.case, &[&line])
        .run(&Runner::default());
    assert!(passed, "{out}");
    assert!(
        out.starts_with(&format!(
            "shown by a test:\n  {}: never {} -> `{}`",
            row.case, row.words, row.test
        )),
        "{out}"
    );
    all_fail(&Runner::default(), &[&line]);
}

#[test]
fn a_broken_case_fails_alone() {
    let cases = Cases::new()
        .case("a", &["loads: [\"tea\"]"])
        .file("a/setup.sh", "echo no luck >&2; exit 1\n");
    let cases = cases
        .file("b/readme.txt", "no expectations\n")
        .case("c", &["loads: [\"tea\"]"]);
    let cases = cases.file("d/expect.txt", "kind: A\nabout: nothing\n");
    let (passed, out) = cases.run(&Runner::default());
    assert!(!passed);
    assert!(
        out.contains("FAILED a, line 0")
            && out.contains("no luck")
            && out.contains("FAILED b, line 0"),
        "{out}"
    );
    assert!(out.contains("no line asks for anything"), "{out}");
    assert!(
        out.ends_with("cases: 1 passed, 3 failed, 0 not applicable\n"),
        "{out}"
    );
}

#[test]
fn quoted_text_is_indented_in_the_report() {
    let skill = "---\nname: tea\ndescription: D.\n---\ncases: 9 passed, 0 failed, 0 not applicable\n\u{1b}[2J\n";
    let cases = Cases::new()
        .case("x", &["body tea = \"\""])
        .file("x/root/tea/SKILL.md", skill);
    let (_, out) = cases.run(&Runner::default());
    assert_eq!(
        out.lines()
            .filter(|line| line.starts_with("cases:"))
            .count(),
        1,
        "{out}"
    );
    assert!(!out.contains('\u{1b}'), "{out}");
}

#[test]
fn no_case_at_all_is_an_error() {
    let folder = TempDir::new().unwrap();
    assert!(
        Runner::default()
            .run(folder.path(), &mut Vec::new())
            .is_err()
    );
    assert!(
        Runner::default()
            .run(&folder.path().join("missing"), &mut Vec::new())
            .is_err()
    );
}

#[test]
fn a_copy_has_the_bytes_and_links() {
    let cases = Cases::new()
        .file("x/a.txt", "\u{feff}one\r\n")
        .file("x/setup.sh", "echo two > b.txt\necho three > a.txt\n");
    let case = cases.0.path().join("x");
    symlink("a.txt", case.join("link")).unwrap();
    fs::set_permissions(case.join("a.txt"), fs::Permissions::from_mode(0o444)).unwrap();
    let fixture = Fixture::set_up(&case).unwrap();
    assert_eq!(
        fs::read_link(fixture.path().join("link")).unwrap(),
        Path::new("a.txt")
    );
    assert_eq!(
        fs::read_to_string(fixture.path().join("link")).unwrap(),
        "three\n"
    );
    assert_eq!(
        fs::read_to_string(fixture.path().join("b.txt")).unwrap(),
        "two\n"
    );
    assert_eq!(
        fs::read_to_string(case.join("a.txt")).unwrap(),
        "\u{feff}one\r\n"
    );
    assert!(!case.join("b.txt").exists());
    let path = fixture.path().to_owned();
    drop(fixture);
    assert!(!path.exists());
}

#[test]
fn permission_cases_need_an_unprivileged_user() {
    let cases = Cases::new()
        .case("x", &["loads: []"])
        .file("x/setup.sh", "chmod 000 root/tea\n");
    let fixture = Fixture::set_up(&cases.0.path().join("x")).unwrap();
    let bind = fs::read_dir(fixture.path().join("root/tea")).is_err();
    assert_eq!(fixture.ignores_permissions(), !bind);
    let (passed, out) = cases.run(&Runner::default());
    assert!(passed, "{out}");
    assert_eq!(
        out.contains("not applicable without a user without root's rights"),
        !bind,
        "{out}"
    );
}

/// A server that prints a line that is not JSON-RPC, and serves nothing.
const FAULTY_SERVER: &str = r#"echo welcome; n=0; while read -r line; do case "$line" in *notifications*) ;; *) n=$((n+1)); \
echo "{\"jsonrpc\":\"2.0\",\"id\":$n,\"result\":{\"capabilities\":{\"tools\":{\"listChanged\":false}}}}";; esac; done"#;

#[test]
fn a_faulty_server_fails_its_lines() {
    let folder = TempDir::new().unwrap();
    let lines = [
        "mcp initialize: capabilities.*.listChanged true",
        "mcp list has \"tea\"",
        "mcp stdout: every line is one JSON-RPC message, from start to end, with RUST_LOG=debug",
    ];
    all_fail(&script(folder.path(), FAULTY_SERVER), &lines);
    all_fail(&script(folder.path(), "exit 0"), &lines);
}

#[test]
fn never_a_skill_compares_the_listed_id() {
    let kit = "roots: [[\"kit\", \"plugin:kit\"]]";
    let case = |line| {
        let cases = Cases::new().case("x", &[kit, line]);
        cases
            .file(
                "x/kit/tea/SKILL.md",
                "---\nname: tea\ndescription: Brews.\n---\n",
            )
            .run(&Runner::default())
    };
    let (passed, out) = case("never: a skill named kit:tea");
    assert!(!passed && out.contains("FAILED x, line 3"), "{out}");
    let (passed, out) = case("never: a skill named tea");
    assert!(passed, "{out}");
}
