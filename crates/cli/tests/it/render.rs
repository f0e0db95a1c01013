//! Bodies as a model gets them, and what they may run.

use std::fs;
use std::path::PathBuf;

use repertoire_cli::{Environment, Exit, Stream};
use serde_json::{Value, json};

use crate::test_env::{Ran, TestEnv};

/// A skill that runs one thing of each kind and takes arguments.
const CLOCK: &str = "---\nname: clock\ndescription: Tells the time.\n---\n\
    Now: !`printf %s tick` for $ARGUMENTS in ${CITY}.\n\n!{script: chime.sh, times: 2}\n";

fn env() -> TestEnv {
    let env = TestEnv::new();
    env.file("a/clock/SKILL.md", CLOCK)
        .file("a/clock/chime.sh", "cat > /dev/null\necho chimed\n");
    env
}

/// Returns the path of the approvals.
fn store(env: &TestEnv) -> PathBuf {
    env.here()
        .with_file_name("home")
        .join(".local/state/repertoire/approvals.json")
}

fn document(ran: &Ran) -> Value {
    serde_json::from_str(&ran.stdout).expect("one JSON document")
}

#[test]
fn render_fills_in_arguments_and_runs_nothing() {
    let env = env();
    let ran = env.run(&[
        "render",
        "clock",
        "--root",
        "a",
        "--var",
        "CITY=Basel",
        "big",
        "small bell",
    ]);
    assert_eq!(
        ran.stdout,
        "Now: !`printf %s tick` [shell command execution disabled by policy] for big \"small bell\" in Basel.\n\n\
         !{script: chime.sh, times: 2} [script execution disabled by policy]\n"
    );
    assert_eq!(
        ran.stderr,
        "note: line 1: not run: commands and scripts are switched off\n\
         note: line 3: not run: commands and scripts are switched off\n"
    );
    assert_eq!(ran.exit, Exit::Success);
}

#[test]
fn one_argument_is_passed_verbatim() {
    let env = TestEnv::new();
    env.file(
        "a/x/SKILL.md",
        "---\nname: x\ndescription: X.\n---\n$1 of $ARGUMENTS\n",
    );
    let run = |arguments: &[&str]| env.run(&[&["render", "--root", "a"], arguments].concat());
    assert_eq!(run(&["x", "one two"]).data(), "$1 of one two\n");
    assert_eq!(
        run(&["--dialect", "claude", "x", "one two"]).data(),
        "two of one two\n"
    );
    assert_eq!(
        run(&["--dialect", "cortex", "x", "one two", "three"]).data(),
        "one two of \"one two\" three\n"
    );
    assert_eq!(
        run(&["--dialect", "none", "x"]).data(),
        "$1 of $ARGUMENTS\n"
    );
    let ran = run(&["--dialect", "claude", "x", "one"]);
    assert_eq!(ran.stderr, "note: line 1: there is no argument for `$1`\n");
    assert!(
        run(&["--dialect", "zsh", "x"])
            .failure()
            .contains("[possible values: claude, opencode, cortex, openclaw, none]")
    );
}

#[test]
fn directives_are_listed_without_running() {
    let env = env();
    let ran = env.run(&["directives", "clock", "--root", "a"]);
    let (shown, digests): (Vec<_>, Vec<_>) = ran
        .stdout
        .lines()
        .partition(|line| !line.starts_with("file "));
    assert_eq!(
        shown,
        [
            "command in line 1",
            "    printf %s tick",
            "script in line 3",
            "    script chime.sh {\"times\":2}"
        ]
    );
    assert!(
        matches!(digests[..], [line] if line.starts_with("file chime.sh  sha256:")),
        "{digests:?}"
    );
    assert_eq!(
        ran.stderr,
        "note: not approved; run `repertoire approve clock`\n"
    );
    env.skill("a", "calm", "Runs nothing.");
    assert_eq!(
        env.run(&["directives", "calm", "--root", "a"]).data(),
        "no commands or scripts\n"
    );
    assert_eq!(
        env.run(&["approve", "calm", "--root", "a"]).data(),
        "`calm` runs nothing and needs no approval\n"
    );
}

#[test]
fn approvals_last_until_the_contents_change() {
    let env = env();
    let render = || {
        env.run(&[
            "render",
            "clock",
            "--root",
            "a",
            "--allow-commands",
            "--var",
            "CITY=Bern",
            "--",
            "all",
        ])
    };
    let ran = env.run_answering("y\n", &["approve", "clock", "--root", "a"]);
    assert_eq!(
        (ran.exit, ran.stdout.as_str()),
        (Exit::Success, "approved `clock` (current contents)\n")
    );
    assert_eq!(
        ran.stderr,
        "command in line 1\n    printf %s tick\nscript in line 3\n    script chime.sh {\"times\":2}\n\
         Allow these commands while SKILL.md and the file next to it are unchanged? [y/N] "
    );
    assert_eq!(render().data(), "Now: tick for all in Bern.\n\nchimed\n");
    // Any file that appears may be found first by what runs.
    env.file("a/clock/README.md", "New.\n");
    assert!(
        render()
            .stdout
            .contains("[not run: it changed since it was approved]")
    );
    fs::remove_file(env.here().join("a/clock/README.md")).expect("it was written");
    assert_eq!(render().data(), "Now: tick for all in Bern.\n\nchimed\n");

    env.file("a/clock/chime.sh", "echo other\n");
    let ran = render();
    assert!(
        ran.stdout
            .contains("[not run: it changed since it was approved]")
            && !ran.stdout.contains("other\n")
    );
    let ran = env.run(&["directives", "clock", "--root", "a"]);
    assert_eq!(
        ran.stderr,
        "note: changed since it was approved; run `repertoire approve clock`\n"
    );
    env.run(&["approve", "clock", "--root", "a", "--yes"])
        .data();
    assert!(render().data().ends_with("\n\nother\n"));

    assert_eq!(
        env.run(&["approve", "clock", "--root", "a", "--revoke"])
            .data(),
        "revoked the approval of `clock`\n"
    );
    assert!(render().stdout.contains("[not run: it is not approved]"));
}

#[test]
fn a_script_that_prints_nothing_is_named() {
    let env = TestEnv::new();
    env.file(
        "a/quiet/SKILL.md",
        "---\nname: quiet\ndescription: Q.\n---\nOne.\n\n!{script: lib/a.sh}\n",
    );
    env.file("a/quiet/lib/a.sh", "main() { echo never called; }\n");
    env.run(&["approve", "quiet", "--root", "a", "--yes"])
        .data();
    let ran = env.run(&["render", "quiet", "--root", "a", "--allow-commands"]);
    assert_eq!(
        (ran.exit, ran.stdout.as_str()),
        (Exit::Success, "One.\n\n\n")
    );
    assert!(
        ran.stderr
            .contains("note: line 3: script `lib/a.sh` printed nothing to standard output\n"),
        "{ran:?}"
    );
}

#[test]
fn the_user_is_asked_for_each_command() {
    let env = env();
    let ran = env.run_answering(
        "y\nn\n",
        &[
            "render",
            "clock",
            "--root",
            "a",
            "--allow-commands",
            "--var",
            "CITY=Bern",
        ],
    );
    assert_eq!(
        ran.stdout,
        "Now: tick for  in Bern.\n\n!{script: chime.sh, times: 2} [not run: declined]\n"
    );
    assert_eq!(
        ran.stderr,
        "command in line 1\n    printf %s tick\nRun this command once? [y/N] \
         script in line 3\n    script chime.sh {\"times\":2}\nRun this command once? [y/N] \
         note: line 3: not run: declined\n"
    );
    // It was for that time alone.
    assert!(!store(&env).exists());
}

#[test]
fn approval_without_an_answer_fails() {
    let env = env();
    let failure = env.run(&["approve", "clock", "--root", "a"]).failure();
    assert!(
        failure.contains("cannot prompt: standard input is not a terminal"),
        "{failure}"
    );
    let ran = env.run_answering("", &["approve", "clock", "--root", "a"]);
    assert!(
        ran.exit == Exit::Failure
            && ran
                .stderr
                .contains("cannot prompt: standard input is not a terminal"),
        "{ran:?}"
    );
    let ran = env.run_answering("what?\n", &["approve", "clock", "--root", "a"]);
    assert!(
        ran.exit == Exit::Failure && ran.stderr.contains("not approved"),
        "{ran:?}"
    );
    assert!(!store(&env).exists());
}

#[test]
fn a_project_runs_nothing_before_it_is_admitted() {
    let env = TestEnv::new();
    env.file(
        ".agents/skills/clock/SKILL.md",
        "---\nname: clock\ndescription: Tells.\n---\n!`printf tick`\n",
    );
    let ran = env.run(&["approve", "clock", "--yes"]);
    assert_eq!(ran.exit, Exit::Success);
    assert!(
        ran.stderr
            .contains("is pending, not trusted, so none of its commands will run"),
        "{ran:?}"
    );
    let ran = env.run(&["render", "clock", "--allow-commands"]);
    assert_eq!(
        ran.stdout,
        "!`printf tick` [not run: its source is pending]\n"
    );
    let ran = env.run(&["render", "clock", "--allow-commands", "--trust-project"]);
    assert_eq!(ran.data(), "tick\n");
}

#[cfg(unix)]
#[test]
fn approvals_are_their_owners_alone() {
    use std::os::unix::fs::PermissionsExt;
    let env = env();
    env.run(&["approve", "clock", "--root", "a", "--yes"])
        .data();
    let mode = fs::metadata(store(&env))
        .expect("it was written")
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    fs::set_permissions(store(&env), fs::Permissions::from_mode(0o620)).expect("it is ours");
    let failure = env
        .run(&["render", "clock", "--root", "a", "--allow-commands"])
        .failure();
    assert!(
        failure.contains("others can write to it and could approve for you"),
        "{failure}"
    );
    fs::set_permissions(store(&env), fs::Permissions::from_mode(0o600)).expect("it is ours");
    fs::write(store(&env), "junk").expect("it is ours");
    let failure = env.run(&["directives", "clock", "--root", "a"]).failure();
    assert!(failure.contains("cannot read"), "{failure}");
}

#[cfg(unix)]
#[test]
fn approvals_count_from_an_own_folder_alone() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let env = env();
    env.run(&["approve", "clock", "--root", "a", "--yes"])
        .data();
    let (store, folder) = (
        store(&env),
        store(&env).parent().expect("it is in a folder").to_owned(),
    );
    assert_eq!(
        fs::metadata(&folder)
            .expect("it was made")
            .permissions()
            .mode()
            & 0o777,
        0o700
    );
    let refused = |why: &str| {
        for arguments in [
            ["render", "clock", "--root", "a", "--allow-commands"].as_slice(),
            &["directives", "clock", "--root", "a"],
        ] {
            let failure = env.run(arguments).failure();
            assert!(failure.contains(why), "{failure}");
        }
    };
    for mode in [0o770, 0o777, 0o1777] {
        fs::set_permissions(&folder, fs::Permissions::from_mode(mode)).expect("it is ours");
        refused("others can write to its folder");
        let failure = env
            .run(&["approve", "clock", "--root", "a", "--yes"])
            .failure();
        assert!(
            failure.contains("others can write to its folder"),
            "{failure}"
        );
    }
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).expect("it is ours");
    fs::rename(&store, env.here().join("approvals.json")).expect("it was written");
    symlink(env.here().join("approvals.json"), &store).expect("a link");
    refused("it is a link");
}

/// A skill that runs a script, which loads what lies beside it.
fn authors() -> TestEnv {
    let env = TestEnv::new();
    env.file(
        "a/authors/SKILL.md",
        "---\nname: authors\ndescription: Lists.\n---\n!`sh scripts/list.sh`\n",
    );
    env.file(
        "a/authors/scripts/list.sh",
        "test -e .git/run && . .git/run\nhello() { echo honest; }\nhello\n",
    );
    env
}

#[test]
fn an_approval_covers_everything_that_may_run() {
    let env = authors();
    let parts = [
        "scripts/lib.sh",
        "scripts/__pycache__/helper.pyc",
        "node_modules/x/run.sh",
        ".venv/bin/go.sh",
        ".env",
        ".DS_Store",
        "notes.md~",
    ];
    for part in parts {
        env.file(&format!("a/authors/{part}"), "one");
    }
    env.run(&["approve", "authors", "--root", "a", "--yes"])
        .data();
    let render = || env.run(&["render", "authors", "--root", "a", "--allow-commands"]);
    assert_eq!(render().data(), "honest\n");
    for part in parts.iter().chain(&[
        "scripts/new.sh",
        "node_modules/new/index.js",
        "__pycache__/new.pyc",
    ]) {
        let path = env.here().join("a/authors").join(part);
        let before = fs::read(&path).ok();
        env.file(&format!("a/authors/{part}"), "two");
        assert!(
            render()
                .stdout
                .contains("[not run: it changed since it was approved]"),
            "{part}"
        );
        match before {
            Some(bytes) => fs::write(&path, bytes).expect("it can be written"),
            None => fs::remove_dir_all(&path)
                .or_else(|_| fs::remove_file(&path))
                .expect("it was made"),
        }
        assert_eq!(render().data(), "honest\n", "{part}");
    }
}

#[cfg(unix)]
#[test]
fn outside_links_are_approved_or_reported() {
    let env = authors();
    env.file("out/lib.sh", "one").file("out/run.sh", "one");
    std::os::unix::fs::symlink("../../out/lib.sh", env.here().join("a/authors/lib.sh"))
        .expect("a link");
    std::os::unix::fs::symlink("../../out", env.here().join("a/authors/more")).expect("a link");
    let text = "---\nname: authors\ndescription: Lists.\n---\n!`true more/run.sh ../other/x.sh scripts/list.sh no/such`\n";
    env.file("a/authors/SKILL.md", text)
        .file("a/other/x.sh", "")
        .file("a/authors/.git/HEAD", "ref");
    let ran = env.run(&["approve", "authors", "--root", "a", "--yes"]);
    assert_eq!(
        ran.stderr,
        "note: an approval does not cover `.git`, `more`, `more/run.sh`, `../other/x.sh`\n"
    );
    let render = || env.run(&["render", "authors", "--root", "a", "--allow-commands"]);
    assert_eq!(render().exit, Exit::Success);
    env.file("out/lib.sh", "two");
    assert!(
        render()
            .stdout
            .contains("[not run: it changed since it was approved]")
    );
}

#[cfg(unix)]
#[test]
fn uncovered_files_do_not_run() {
    for (command, place) in [
        ("sh .git/hooks/go.sh", "a/authors/.git/hooks/go.sh"),
        ("sh ./.hg/go.sh", "a/authors/.hg/go.sh"),
        ("sh more/go.sh", "out/go.sh"),
        ("cd more && sh go.sh", "out/go.sh"),
    ] {
        let world = authors();
        let text = format!("---\nname: authors\ndescription: Lists.\n---\n!`{command}`\n");
        world
            .file("a/authors/SKILL.md", &text)
            .file(place, "echo ran")
            .file("out/x", "");
        std::os::unix::fs::symlink("../../out", world.here().join("a/authors/more"))
            .expect("a link");
        world.run(&["approve", "authors", "--root", "a", "--yes"]);
        let ran = world.run(&["render", "authors", "--root", "a", "--allow-commands"]);
        assert_eq!(
            (ran.stdout.contains("ran"), ran.stdout.contains("failed")),
            (false, true),
            "{command}: {ran:?}"
        );
    }
}

#[test]
fn too_large_skills_are_not_approved() {
    let env = authors();
    let file = env
        .file("a/authors/node_modules/large.bin", "")
        .here()
        .join("a/authors/node_modules/large.bin");
    fs::File::options()
        .write(true)
        .open(file)
        .and_then(|file| file.set_len((1 << 30) + 1))
        .expect("a sparse file");
    let failure = env
        .run(&["approve", "authors", "--root", "a", "--yes"])
        .failure();
    assert!(
        failure.starts_with("error: cannot approve `authors`: `node_modules` cannot be compared: "),
        "{failure}"
    );
}

#[test]
fn approvals_are_bound_to_one_project() {
    let env = TestEnv::new();
    let text = "---\nname: build\ndescription: Builds.\n---\n!`printf built`\n";
    env.file("one/.agents/skills/build/SKILL.md", text)
        .file("two/.agents/skills/build/SKILL.md", text);
    let render = |project: &str| {
        let ran = env.run_in(
            project,
            &[
                "render",
                "build",
                "--allow-commands",
                "--no-defaults",
                "--root",
                ".agents/skills",
            ],
        );
        ran.stdout
    };
    let approve = |project: &str, more: &[&str]| {
        let arguments = [
            "approve",
            "build",
            "--no-defaults",
            "--root",
            ".agents/skills",
        ];
        env.run_in(project, &[arguments.as_slice(), more].concat())
            .data()
    };
    approve("one", &["--yes"]);
    assert_eq!(
        (render("one").as_str(), render("two").as_str()),
        ("built\n", "!`printf built` [not run: it is not approved]\n")
    );
    approve("two", &["--yes"]);
    approve("one", &["--revoke"]);
    assert_eq!(
        (render("one").as_str(), render("two").as_str()),
        ("!`printf built` [not run: it is not approved]\n", "built\n")
    );
}

#[test]
fn json_reports_the_outcome_of_each_directive() {
    let env = env();
    let ran = env.run(&["render", "clock", "all", "--root", "a", "--json"]);
    let answer = document(&ran);
    assert_eq!(
        answer["directives"],
        json!([
            {"kind": "command", "line": 1, "runs": "printf %s tick", "outcome": "refused",
                "how": "commands and scripts are switched off"},
            {"kind": "script", "line": 3, "runs": "script chime.sh {\"times\":2}", "outcome": "refused",
                "how": "commands and scripts are switched off"},
        ])
    );
    assert_eq!(
        (&answer["dialect"], &answer["dialect_by"]),
        (&json!("claude"), &json!("default"))
    );
    let listed = document(&env.run(&["directives", "clock", "--root", "a", "--json"]));
    assert_eq!(
        (&listed["approval"], &listed["trust"]),
        (&json!("missing"), &json!("trusted"))
    );
    let approved = document(&env.run(&["approve", "clock", "--root", "a", "--yes", "--json"]));
    assert_eq!(approved["approval"], "given");
}

#[test]
fn the_dialect_of_a_source_comes_first() {
    let env = TestEnv::new();
    let body =
        "---\nname: x\ndescription: X.\nargument-dialect: claude\n---\n$1 in {baseDir}. !`date`\n";
    env.file("a/x/SKILL.md", body);
    let config = |dialect: &str| {
        let text = format!(
            "[[source]]\nkind = \"fs\"\nname = \"team\"\nroots = [\"a\"]\ndialect = {dialect}\n"
        );
        env.file("repertoire.toml", text);
    };
    let render = |arguments: &[&str]| {
        env.run(&[&["render", "x", "--config", "repertoire.toml"], arguments].concat())
    };
    config("\"cortex\"");
    let ran = render(&["--dialect", "none", "one", "two", "--json"]);
    let answer = document(&ran);
    assert_eq!(
        (&answer["dialect"], &answer["dialect_by"]),
        (&json!("cortex"), &json!("source"))
    );
    assert_eq!(
        answer["text"],
        "one in {baseDir}. !`date` [shell command execution disabled by policy]\n"
    );

    // Where a body is text no commands or scripts, and there is nothing to approve.
    config("\"openclaw\"");
    assert_eq!(render(&[]).data(), "$1 in [WORLD]/here/a/x. !`date`\n");
    assert_eq!(
        env.run(&["directives", "x", "--config", "repertoire.toml"])
            .data(),
        "no commands or scripts\n"
    );

    let inline = "fs:team:roots = [\"a\"], dialect = \"opencode\"";
    let answer = document(&env.run(&["render", "x", "--source", inline, "--json"]));
    assert_eq!(
        (&answer["dialect"], &answer["dialect_by"]),
        (&json!("opencode"), &json!("source"))
    );

    config("\"zsh\"");
    let failure = render(&[]).failure();
    let expected =
        "unknown dialect `zsh`: expected `claude`, `opencode`, `cortex`, `openclaw`, `none`";
    assert!(
        failure.contains(expected) && failure.contains("repertoire.toml:5:1"),
        "{failure}"
    );
}

#[cfg(unix)]
#[test]
fn the_state_of_the_sandbox_is_reported() {
    let env = env();
    env.run(&["approve", "clock", "--root", "a", "--yes"])
        .data();
    let render = |arguments: &[&str]| {
        env.run(
            &[
                &[
                    "render",
                    "clock",
                    "--root",
                    "a",
                    "--allow-commands",
                    "--var",
                    "CITY=Bern",
                ],
                arguments,
            ]
            .concat(),
        )
    };
    let text = "Now: tick for  in Bern.\n\nchimed\n";
    assert_eq!(render(&[]).data(), text);
    let ran = render(&["--sandbox"]);
    assert_eq!(ran.stdout, text);
    let state = ran
        .stderr
        .strip_prefix("note: sandbox: ")
        .expect("the only note is that of the sandbox");
    let is_active = state == "active\n";
    assert!(
        is_active || state.starts_with("partial, without ") || state == "unavailable\n",
        "{state}"
    );

    let ran = render(&["--sandbox=require"]);
    if is_active {
        assert_eq!(
            (ran.stdout.as_str(), ran.stderr.as_str()),
            (text, "note: sandbox: active\n")
        );
    } else {
        assert!(
            ran.stderr
                .contains("note: line 1: not run: it needs a sandbox, which is "),
            "{ran:?}"
        );
    }

    let answer = document(&render(&["--sandbox", "--json"]));
    let states: Vec<_> = answer["directives"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|row| &row["sandbox"]["state"])
        .collect();
    assert!(
        states.iter().all(
            |state| [&json!("active"), &json!("partial"), &json!("unavailable")].contains(state)
        )
    );
    let failure = render(&["--sandbox=always"]).failure();
    assert!(
        failure.contains("[possible values: off, auto, require]"),
        "{failure}"
    );
}

/// Starts a process that is twice forked, in a session of its own, without environment, and that ignores being asked to end.
#[cfg(target_os = "linux")]
pub(crate) const HIDE: &str = "(setsid env -i /bin/sh -c 'trap \"\" TERM HUP; echo $$ > away; while :; do sleep 100000; done' &); \
                    while ! test -s away; do :; done";

/// A env with a skill that hides a process and then does what is said, approved.
#[cfg(target_os = "linux")]
pub(crate) fn hiding(then: &str) -> TestEnv {
    let env = TestEnv::new();
    env.file(
        "a/clock/SKILL.md",
        format!("---\nname: clock\ndescription: Hides.\n---\n!`{HIDE}; {then}`\n"),
    );
    env.run(&["approve", "clock", "--root", "a", "--yes"])
        .data();
    env
}

/// The process that hides, once it does.
#[cfg(target_os = "linux")]
pub(crate) fn hidden(env: &TestEnv) -> i32 {
    let away = env.here().join("a/clock/away");
    until(|| fs::read_to_string(&away).ok()?.trim().parse().ok())
}

#[cfg(target_os = "linux")]
pub(crate) fn is_gone(process: i32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    stat.is_empty() || stat.contains(") Z")
}

#[cfg(target_os = "linux")]
#[test]
fn whatever_a_command_started_ends_with_it() {
    let env = hiding("echo done");
    let render = ["render", "clock", "--root", "a", "--allow-commands"];
    let output = env
        .command(&render)
        .output()
        .expect("the binary was built for this test");
    assert_eq!(
        (
            output.status.code(),
            String::from_utf8_lossy(&output.stdout).as_ref()
        ),
        (Some(0), "done\n")
    );
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert!(is_gone(hidden(&env)));
    // The file is one that its command names.
    env.run(&["approve", "clock", "--root", "a", "--yes"])
        .data();
    let answer = document(&env.run(&[&render[..], &["--json"]].concat()));
    assert_eq!(answer["directives"][0]["cleanup"], "all", "{answer}");
    assert!(is_gone(hidden(&env)));
}

#[cfg(target_os = "linux")]
#[test]
fn ending_a_run_ends_its_processes() {
    for signal in [rustix::process::Signal::INT, rustix::process::Signal::KILL] {
        let env = hiding("sleep 100000");
        let mut child = env.spawn(&["render", "clock", "--root", "a", "--allow-commands"]);
        let process = hidden(&env);
        let id = rustix::process::Pid::from_child(&child);
        rustix::process::kill_process(id, signal).expect("it runs");
        assert!(!child.wait().expect("it ends").success());
        until(|| is_gone(process).then_some(()));
    }
}

/// Waits until there is something.
#[cfg(target_os = "linux")]
pub(crate) fn until<T>(mut there: impl FnMut() -> Option<T>) -> T {
    let begun = std::time::Instant::now();
    loop {
        if let Some(found) = there() {
            return found;
        }
        assert!(
            begun.elapsed() < std::time::Duration::from_secs(120),
            "it comes to pass"
        );
        std::thread::yield_now();
    }
}

#[test]
fn built_in_variables_cannot_be_set() {
    let env = env();
    let failure = env
        .run(&["render", "clock", "--root", "a", "--var", "SKILL_DIR=/x"])
        .failure();
    assert!(
        failure.contains("`SKILL_DIR` is a built-in variable and cannot be set"),
        "{failure}"
    );
}

#[test]
fn front_matter_is_never_rendered() {
    let env = TestEnv::new();
    let text = "---\nname: plain\ndescription: Does $ARGUMENTS in ${SKILL_DIR}, !`touch PWNED`.\n---\nBody.\n";
    env.file("a/plain/SKILL.md", text);
    assert_eq!(
        env.run(&["render", "plain", "--root", "a", "--allow-commands"])
            .data(),
        "Body.\n"
    );
    let catalog = env.run(&["catalog", "a"]).stdout;
    assert!(
        catalog.contains("Does $ARGUMENTS in ${SKILL_DIR}, !`touch PWNED`."),
        "{catalog}"
    );
}

/// A terminal that is read: a progress line lets a waiting command continue.
#[cfg(unix)]
struct Watched {
    file: PathBuf,
    written: Vec<u8>,
}

#[cfg(unix)]
impl std::io::Write for &mut Watched {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.written.extend_from_slice(bytes);
        if String::from_utf8_lossy(&self.written).contains("running commands ...") {
            fs::write(&self.file, "")?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[cfg(unix)]
#[test]
fn running_commands_show_progress() {
    let env = TestEnv::new();
    let text = "---\nname: slow\ndescription: Slow.\n---\n!`while ! test -e ready; do :; done; echo went`\n";
    env.file("a/slow/SKILL.md", text);
    env.run(&["approve", "slow", "--root", "a", "--yes"]).data();
    let mut terminal = Watched {
        file: env.here().join("a/slow/ready"),
        written: Vec::new(),
    };
    let mut stdout = Vec::new();
    let environment = Environment::new(env.here())
        .home(env.here().with_file_name("home"))
        .stdout(Stream::new(&mut stdout))
        .stderr(Stream::new(&mut terminal).at_terminal());
    let exit = repertoire_cli::run(
        [
            "repertoire",
            "render",
            "slow",
            "--root",
            "a",
            "--allow-commands",
        ],
        environment,
    );
    assert_eq!(
        (exit, String::from_utf8_lossy(&stdout).as_ref()),
        (Exit::Success, "went\n")
    );
    // The line is cleared at the end. Without a helper, a note then names processes that may be left.
    let written = String::from_utf8_lossy(&terminal.written);
    let (_, note) = written.rsplit_once(" \r").expect("it is wiped");
    assert!(
        note.starts_with("note: cleanup: its process group")
            && note.ends_with("; other processes may still run\n"),
        "{written:?}"
    );
}
