//! Nothing of a run is left, whatever it did to be.
#![allow(clippy::disallowed_methods, reason = "what runs is seen in files")]

use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;

use repertoire_core::{Digest, Manifest};
use repertoire_render::{
    Binding, Call, CleanupScope, Context, DirectiveOutcome, DirectiveRunner, Plan, RunEnd, Syntax,
};

use crate::process::{Skill, gone, until};

const HELPER: &str = env!("CARGO_BIN_EXE_repertoire-helper");

/// Shell that starts this shell in a session of its own, twice forked, without environment and without a pipe of ours; it
/// waits until that has written its number.
fn hide(what: &str) -> String {
    let started = format!("(setsid env -i /bin/sh -c '{what}' > /dev/null 2>&1 &)");
    format!("{started}; while ! test -s away; do :; done")
}

const SLEEPER: &str = "trap \"\" TERM HUP; echo $$ > away; while :; do sleep 100000; done";

fn kept() -> Skill {
    let skill = Skill::new();
    Skill {
        runner: skill.runner.clone().helper([HELPER]),
        ..skill
    }
}

/// That the process whose number is in a file of the skill has gone.
fn assert_gone(skill: &Skill, file: &str) {
    let process = skill.process(file).expect("it was started");
    assert!(
        !fs::exists(format!("/proc/{process}")).expect("it can be looked for"),
        "{file}: {process}"
    );
}

#[tokio::test]
async fn a_timeout_kills_hidden_processes() {
    let skill = kept().short();
    let run = skill
        .run(&format!(
            "!`trap '' TERM; {}; while :; do sleep 1; done`\n",
            hide(SLEEPER)
        ))
        .await;
    assert_eq!(
        (run.ended, run.cleanup),
        (RunEnd::TimedOut(Duration::from_secs(1)), CleanupScope::All)
    );
    assert_gone(&skill, "away");
}

#[tokio::test]
async fn hidden_processes_end_with_their_command() {
    let skill = kept();
    let run = skill
        .run(&format!("!`{}; echo done; exit 3`\n", hide(SLEEPER)))
        .await;
    assert_eq!(
        (run.ended, run.stdout.text(), run.cleanup),
        (RunEnd::Exit(3), "done\n", CleanupScope::All)
    );
    assert_gone(&skill, "away");
}

#[tokio::test]
async fn a_hidden_process_with_the_pipe_ends() {
    let skill = kept();
    let body = "!`setsid env -i /bin/sh -c 'echo $$ > away; exec sleep 100000' & while ! test -s away; do :; done; echo done`\n";
    let run = skill.run(body).await;
    assert_eq!(
        (run.ended, run.stdout.text(), run.cleanup),
        (RunEnd::Exit(0), "done\n", CleanupScope::All)
    );
    assert_gone(&skill, "away");
}

#[tokio::test]
async fn a_command_may_handle_term() {
    let skill = kept()
        .short()
        .limits(|limits| limits.grace = crate::process::PATIENCE);
    let run = skill
        .run("!`trap 'echo asked; exit 0' TERM; while :; do sleep 0.01; done`\n")
        .await;
    assert_eq!(
        (run.ended, run.stdout.text()),
        (RunEnd::TimedOut(Duration::from_secs(1)), "asked\n")
    );
}

/// A chain of processes, each in a session of its own, each starting the next before it ends.
#[tokio::test]
async fn a_forking_command_is_killed() {
    let skill = kept().file(
        "chain.sh",
        "echo $$ > $at/away\nsetsid env -i at=$at /bin/sh ./chain.sh > /dev/null 2>&1 &\n",
    );
    let at = skill.folder.path().display();
    let body = format!(
        "!`at={at} /bin/sh ./chain.sh; while ! test -s {at}/away; do :; done; echo done`\n"
    );
    let run = skill.run(&body).await;
    assert_eq!(
        (run.stdout.text(), run.cleanup),
        ("done\n", CleanupScope::All)
    );
    // No process goes on writing to it.
    let last = fs::read(skill.path("away")).expect("it was written");
    fs::remove_file(skill.path("away")).expect("it is there");
    assert_gone_all(&skill);
    assert!(!skill.path("away").exists(), "{last:?}");
}

/// Asserts that no process has the folder of the skill in its environment.
fn assert_gone_all(skill: &Skill) {
    let at = format!("at={}", skill.folder.path().display());
    let processes = fs::read_dir("/proc").expect("it is there").flatten();
    let has_it = |process: &fs::DirEntry| {
        let environment = fs::read(process.path().join("environ")).unwrap_or_default();
        environment
            .split(|byte| *byte == 0)
            .any(|entry| entry == at.as_bytes())
    };
    let here: Vec<_> = processes.filter(has_it).collect();
    assert!(here.is_empty(), "{here:?}");
}

#[tokio::test]
async fn nested_hidden_processes_are_killed() {
    let skill = kept().file(
        "many.sh",
        "test $1 -gt 0 || { echo $$ > $at/away; exec sleep 100000; }\n\
        for i in 1 2 3; do setsid env -i at=$at /bin/sh ./many.sh $(($1 - 1)) > /dev/null 2>&1 & done; wait\n",
    );
    let at = skill.folder.path().display();
    let body = format!(
        "!`at={at} /bin/sh ./many.sh 3 & while ! test -s {at}/away; do :; done; echo done`\n"
    );
    let run = skill.run(&body).await;
    assert_eq!(
        (run.stdout.text(), run.cleanup),
        ("done\n", CleanupScope::All)
    );
    assert_gone_all(&skill);
}

#[tokio::test]
async fn a_run_that_is_dropped_ends_whole() {
    let skill = kept();
    {
        let body = format!("!`echo $$ > own; {}; sleep 100000`\n", hide(SLEEPER));
        let run = skill.outcomes(&body);
        tokio::select! {
            outcomes = run => panic!("it does not end by itself: {outcomes:?}"),
            () = until(|| skill.process("own").is_some() && skill.process("away").is_some()) => {}
        }
    }
    for file in ["own", "away"] {
        gone(skill.process(file).expect("it was started")).await;
    }
}

/// Runs a host with a command, which the next test kills.
#[tokio::test]
#[ignore = "it is started by another test, and killed"]
async fn host() {
    let folder = std::env::current_dir().expect("it is there");
    let body = format!("!`echo $$ > own; {}; sleep 100000`\n", hide(SLEEPER));
    let plan = Plan::new(&body, &Syntax::default());
    let binding = Binding::new(
        "home:it".parse().expect("an id"),
        Digest::of(b""),
        &Manifest::default(),
    );
    let context = Context::new();
    let runner = DirectiveRunner::new(std::env::vars_os()).helper([HELPER]);
    let outcomes = runner
        .run(
            plan.directives(),
            Call::new(&folder, &context, &binding),
            |_| Ok(()),
        )
        .await;
    panic!("it was to be killed: {outcomes:?}");
}

#[tokio::test]
async fn a_killed_host_leaves_no_process() {
    let skill = kept();
    let mut host = Command::new(std::env::current_exe().expect("a test is a file"))
        .args(["--exact", "helper::host", "--ignored"])
        .current_dir(skill.folder.path())
        .stdout(Stdio::null())
        .spawn()
        .expect("it is this program");
    until(|| skill.process("own").is_some() && skill.process("away").is_some()).await;
    host.kill().expect("it runs");
    host.wait().expect("it is ours");
    for file in ["own", "away"] {
        gone(skill.process(file).expect("it was started")).await;
    }
}

#[tokio::test]
async fn a_killed_helper_is_reported() {
    let skill = kept();
    let hidden = "setsid sh -c 'echo $$ > away; exec sleep 100000' > /dev/null 2>&1 &";
    let body = format!(
        "!`echo $$ > own; {hidden} while ! test -s away; do :; done; kill -9 $PPID; sleep 100000`\n"
    );
    let run = skill.run(&body).await;
    assert_eq!(
        (run.ended, run.cleanup),
        (RunEnd::Signal(9), CleanupScope::Marked)
    );
    for file in ["own", "away"] {
        gone(skill.process(file).expect("it was started")).await;
    }
}

/// Between two programs, a process has no readable environment.
#[tokio::test]
async fn a_process_in_exec_is_killed() {
    let looped = r#"test -s away || echo $$ > away; exec sh -c "$LOOP""#;
    let body = format!(
        "!`export LOOP='{looped}'; setsid sh -c \"$LOOP\" > /dev/null 2>&1 & while ! test -s away; do :; done; kill -9 $PPID; sleep 100000`\n"
    );
    for _ in 0..8 {
        let skill = kept();
        assert_eq!(skill.run(&body).await.ended, RunEnd::Signal(9));
        gone(skill.process("away").expect("it was started")).await;
    }
}

#[tokio::test]
async fn a_stopped_helper_is_killed() {
    let skill = kept().short();
    let run = skill
        .run("!`echo $$ > own; kill -STOP $PPID; sleep 100000`\n")
        .await;
    assert_eq!(
        (run.ended, run.cleanup),
        (
            RunEnd::TimedOut(Duration::from_secs(1)),
            CleanupScope::Marked
        )
    );
    gone(skill.process("own").expect("it was started")).await;
}

#[tokio::test]
async fn a_command_cannot_signal_the_helper() {
    let skill = kept();
    let run = skill.run("!`echo begun; kill -9 0`\n").await;
    assert_eq!(
        (run.ended, run.stdout.text(), run.cleanup),
        (RunEnd::Signal(9), "begun\n", CleanupScope::All)
    );
}

#[tokio::test]
async fn ends_output_and_input_are_as_without() {
    let skill = kept();
    let run = skill.run("!`echo out; echo oops >&2; exit 3`\n").await;
    assert_eq!(
        (run.ended, run.stdout.text(), run.stderr.text()),
        (RunEnd::Exit(3), "out\n", "oops\n")
    );
    assert_eq!(
        skill.run("!`kill -15 $$`\n").await.ended,
        RunEnd::Signal(15)
    );
    assert_eq!(skill.prints("!`cat; echo $#`\n").await, "0\n");

    let script = skill
        .typed(&"word ".repeat(10_000))
        .file("size.sh", "wc -c < /dev/stdin; head -c 12\n");
    let printed = script.prints("!{script: size.sh}\n").await;
    let (size, start) = printed.split_once('\n').expect("two lines");
    assert!(
        size.trim().parse::<u64>().is_ok_and(|size| size > 100_000),
        "{size}"
    );
    assert_eq!(start, "{\"skillDir\":");

    let skill = kept().limits(|limits| (limits.stdout, limits.stderr) = (10, 4));
    let run = skill
        .run("!`head -c 1000000 /dev/zero | tr '\\0' x; printf 12345 >&2`\n")
        .await;
    assert_eq!(
        (run.stdout.text(), run.stdout.truncated()),
        ("xxxxxxxxxx", Some((10, 1_000_000)))
    );
    assert_eq!(
        (run.stderr.text(), run.stderr.truncated()),
        ("1234", Some((4, 5)))
    );
}

#[tokio::test]
async fn a_missing_program_is_reported() {
    let of = |skill: Skill| async move {
        skill
            .file("x", "#!/does/not/exist\n")
            .outcomes("!{script: x}\n")
            .await
    };
    let outcomes = of(kept()).await;
    assert!(
        matches!(&outcomes[..], [DirectiveOutcome::Failed { .. }]),
        "{outcomes:?}"
    );
    assert_eq!(outcomes, of(Skill::new()).await);
}

/// Numbers of processes are not mistaken, even if orphans come and go in the meantime.
#[tokio::test]
async fn orphans_of_a_running_command_are_reaped() {
    let skill = kept();
    let orphan = "(setsid true &)";
    let body = format!(
        "!`{orphan}; echo $PPID > helper; while ! test -e enough; do sleep 0.01; done; echo done`\n"
    );
    let run = skill.run(&body);
    let watch = async {
        until(|| skill.process("helper").is_some()).await;
        let helper = skill.process("helper").expect("it is written");
        // The command is the only child that stays.
        let list = || {
            fs::read_to_string(format!("/proc/{helper}/task/{helper}/children")).unwrap_or_default()
        };
        until(|| list().split_whitespace().count() == 1).await;
        fs::write(skill.path("enough"), "").expect("it can be written");
    };
    let (run, ()) = tokio::join!(run, watch);
    assert_eq!((run.ended, run.stdout.text()), (RunEnd::Exit(0), "done\n"));
}

#[tokio::test]
async fn a_command_that_closes_its_streams_ends_whole() {
    let skill = kept().short();
    let run = skill
        .run("!`echo begun; exec < /dev/null > /dev/null 2>&1; trap '' TERM; echo $$ > own; sleep 100000`\n")
        .await;
    assert_eq!(
        (run.ended, run.stdout.text(), run.cleanup),
        (
            RunEnd::TimedOut(Duration::from_secs(1)),
            "begun\n",
            CleanupScope::All
        )
    );
    assert_gone(&skill, "own");
}

#[tokio::test]
async fn a_flood_is_cut_and_counted() {
    let skill = kept();
    let run = skill
        .run("!`head -c 60000000 /dev/zero | tr '\\0' x; head -c 60000000 /dev/zero >&2`\n")
        .await;
    assert_eq!(
        (run.ended, run.stdout.truncated()),
        (RunEnd::Exit(0), Some((64 << 10, 60_000_000)))
    );
    assert_eq!(run.stderr.truncated(), Some((16 << 10, 60_000_000)));
}

#[test]
fn a_supervised_program_has_streams_and_exit_code() {
    use std::io::Write;
    use std::os::unix::process::ExitStatusExt;

    let held = |memory: &str, script: &str, input: &str| {
        let mut command = Command::new(HELPER);
        command
            .args(["supervise", memory, "/bin/sh", "-c", script])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut child = command
            .stderr(Stdio::piped())
            .spawn()
            .expect("it was built");
        let mut stdin = child.stdin.take().expect("it is piped");
        stdin.write_all(input.as_bytes()).expect("it is heard");
        let output = child.wait_with_output().expect("it ends");
        // Closed before, it would have been the end.
        drop(stdin);
        output
    };
    let output = held(
        "-",
        "read line; echo \"$line\"; echo oops >&2; exit 7",
        "heard\n",
    );
    assert_eq!(
        (output.status.code(), &*output.stdout, &*output.stderr),
        (Some(7), &b"heard\n"[..], &b"oops\n"[..])
    );
    assert_eq!(held("-", "kill -9 $$", "").status.signal(), Some(9));
    assert_eq!(held("-", "kill -6 $$", "").status.signal(), Some(6));
    assert_eq!(held("123456789", "ulimit -v", "").stdout, b"120563\n");
    let output = Command::new(HELPER)
        .args(["supervise", "-", "/no/such/program"])
        .stdin(Stdio::null())
        .output();
    let output = output.expect("it was built");
    assert_eq!(output.status.code(), Some(127));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        said.starts_with("`/no/such/program` cannot be started: "),
        "{said}"
    );
}

/// Its end, the end of its input, and being asked: each ends everything.
#[tokio::test]
async fn a_supervised_program_leaves_no_process() {
    let hiding = hide(SLEEPER);
    for ends in ["exit 0", "while :; do sleep 1; done", "kill -9 $$"] {
        for is_asked in [false, true] {
            let skill = kept();
            let mut command = Command::new(HELPER);
            command.args([
                "supervise",
                "-",
                "/bin/sh",
                "-c",
                &format!("{hiding}; echo $$ > own; {ends}"),
            ]);
            command
                .current_dir(skill.folder.path())
                .stdin(Stdio::piped())
                .stdout(Stdio::null());
            let mut child = command.spawn().expect("it was built");
            until(|| skill.process("own").is_some() && skill.process("away").is_some()).await;
            if is_asked {
                let id = rustix::process::Pid::from_child(&child);
                let _ = rustix::process::kill_process(id, rustix::process::Signal::TERM);
            }
            drop(child.stdin.take());
            child.wait().expect("it ends");
            for file in ["own", "away"] {
                gone(skill.process(file).expect("it was started")).await;
            }
        }
    }
}

#[tokio::test]
async fn the_helper_reports_missing_input() {
    let output = Command::new(HELPER)
        .arg("run")
        .stdin(Stdio::null())
        .output()
        .expect("it was built");
    assert_eq!(output.status.code(), Some(127));
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "expected a mark, a length and a command\n"
    );
}
