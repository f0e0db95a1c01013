//! Running commands and scripts, on Unix, without a helper.
#![allow(clippy::disallowed_methods, reason = "what runs is seen in files")]

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::Duration;

use proptest::prelude::*;
use repertoire_core::{Digest, Manifest, Resource};
use repertoire_render::{
    Arguments, Binding, Call, CleanupScope, CommandShell, CompletedRun, Context, DirectiveOutcome,
    DirectiveRunner, Plan, Refusal, RunEnd, RunLimits, Syntax,
};
use tempfile::TempDir;

/// Longer than anything here takes, on any machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

pub(crate) struct Skill {
    pub(crate) folder: TempDir,
    pub(crate) runner: DirectiveRunner,
    pub(crate) limits: RunLimits,
    pub(crate) context: Context,
}

impl Skill {
    pub(crate) fn new() -> Skill {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut limits = RunLimits::default();
        limits.timeout = PATIENCE;
        limits.total = PATIENCE;
        Skill {
            folder,
            runner: DirectiveRunner::new(std::env::vars_os()),
            limits,
            context: Context::new(),
        }
    }

    pub(crate) fn file(self, path: &str, text: impl AsRef<[u8]>) -> Skill {
        let path = self.path(path);
        fs::create_dir_all(path.parent().expect("a file has a folder"))
            .expect("the folder can be made");
        fs::write(path, text).expect("the file can be written");
        self
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    pub(crate) fn typed(mut self, text: &str) -> Skill {
        self.context = self.context.arguments(Arguments::new(text));
        self
    }

    pub(crate) fn limits(mut self, set: impl FnOnce(&mut RunLimits)) -> Skill {
        set(&mut self.limits);
        self
    }

    /// A time limit that is reached.
    pub(crate) fn short(self) -> Skill {
        self.limits(|limits| {
            (limits.timeout, limits.grace) = (Duration::from_secs(1), Duration::from_millis(100))
        })
    }

    /// An approval of everything in the folder, as it is now.
    pub(crate) fn binding(&self) -> Binding {
        let real = self
            .folder
            .path()
            .canonicalize()
            .expect("the folder is there");
        let mut rows = Vec::new();
        let mut folders = vec![real.clone()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).expect("it is a folder").flatten() {
                let path = entry.path();
                if entry.file_type().expect("it is there").is_dir() {
                    folders.push(path);
                } else if path
                    .canonicalize()
                    .is_ok_and(|real_path| real_path.starts_with(&real))
                {
                    let bytes = fs::read(&path).expect("it can be read");
                    let within = path
                        .strip_prefix(&real)
                        .expect("it is within")
                        .to_str()
                        .expect("it is a text");
                    rows.push(Resource::new(
                        within.parse().expect("a path"),
                        bytes.len() as u64,
                        Digest::of(&bytes),
                    ));
                }
            }
        }
        let manifest = Manifest::new(rows).expect("a folder has every name once");
        Binding::new(
            "home:it".parse().expect("an id"),
            Digest::of(b""),
            &manifest,
        )
    }

    pub(crate) async fn outcomes(&self, body: &str) -> Vec<DirectiveOutcome> {
        let plan = Plan::new(body, &Syntax::default());
        let binding = self.binding();
        let call = Call::new(self.folder.path(), &self.context, &binding);
        let runner = self.runner.clone().limits(self.limits);
        let run = runner.run(plan.directives(), call, |_| Ok(()));
        tokio::time::timeout(PATIENCE, run)
            .await
            .expect("no run takes so long")
    }

    /// The one run of a body.
    pub(crate) async fn run(&self, body: &str) -> CompletedRun {
        match self.outcomes(body).await.as_slice() {
            [DirectiveOutcome::Ran(run)] => run.clone(),
            other => panic!("one run: {other:?}"),
        }
    }

    /// Returns the output of the one command of a body, which must succeed.
    pub(crate) async fn prints(&self, body: &str) -> String {
        let run = self.run(body).await;
        assert_eq!((run.ended, run.stderr.text()), (RunEnd::Exit(0), ""));
        run.stdout.text().to_owned()
    }

    /// The process whose number is in a file.
    pub(crate) fn process(&self, file: &str) -> Option<u32> {
        fs::read_to_string(self.path(file))
            .ok()?
            .trim()
            .parse()
            .ok()
    }
}

/// Waits until a process is gone or waits to be reaped.
pub(crate) async fn gone(process: u32) {
    let is_alive = || {
        let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        let state = stat
            .rsplit(") ")
            .next()
            .and_then(|rest| rest.chars().next());
        state.is_some_and(|state| !matches!(state, 'Z' | 'X'))
    };
    until(|| !is_alive()).await;
}

pub(crate) async fn until(holds: impl Fn() -> bool) {
    let wait = async {
        while !holds() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, wait)
        .await
        .expect("it comes to pass");
}

#[tokio::test]
async fn typed_arguments_reach_commands_as_values() {
    let typed = r#"it's "fine"; touch PWNED $(touch PWNED) `touch PWNED`"#;
    let skill = Skill::new().typed(typed);
    assert_eq!(skill.prints("!`printf %s \"$ARGUMENTS\"`\n").await, typed);
    assert_eq!(
        skill.prints("!`printf %s \"$SKILL_ARGUMENTS\"`\n").await,
        typed
    );
    let words = Arguments::new(typed);
    assert_eq!(
        skill.prints("!`printf '<%s>' \"$@\"`\n").await,
        format!("<{}>", words.words().join("><"))
    );
    assert_eq!(
        skill
            .prints("!`printf '%s|%s' \"$1\" \"$SKILL_ARG_2\"`\n")
            .await,
        "it's|fine;"
    );
    assert!(!skill.path("PWNED").exists());
}

proptest! {
    // Each is two processes.
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn no_text_that_is_typed_is_run(typed in "[a'\"$`;&|(){}<>*\\\\\n é-]{0,24}") {
        let typed = format!("{typed}; touch PWNED # $(touch PWNED) `touch PWNED`\n!`touch PWNED`");
        let skill = Skill::new().typed(&typed);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let body = "$ARGUMENTS !`printf %s \"$ARGUMENTS\"` $0\n!`printf '<%s>' \"$@\"`\n";
        let outcomes = runtime.block_on(skill.outcomes(body));
        let words: Vec<_> = Arguments::new(typed.as_str()).words().iter().map(|word| format!("<{word}>")).collect();
        let expected = [typed.as_str(), &words.concat()].map(str::to_owned);
        let printed: Vec<_> = outcomes.iter().map(|outcome| match outcome {
            DirectiveOutcome::Ran(run) => run.stdout.text().to_owned(),
            other => panic!("it runs: {other:?}"),
        }).collect();
        prop_assert_eq!(printed, expected);
        prop_assert!(!skill.path("PWNED").exists());
    }
}

#[tokio::test]
async fn a_command_has_a_clean_environment() {
    let skill = Skill::new().file("data.txt", "inside");
    assert_eq!(skill.prints("!`cat data.txt -`\n").await, "inside");
    let environment = [
        ("PATH", ":/usr/bin:.:tools:/bin"),
        ("API_KEY", "secret"),
        ("LD_PRELOAD", "x.so"),
        ("BASH_ENV", "x"),
    ];
    let environment =
        environment.map(|(name, value)| (OsString::from(name), OsString::from(value)));
    let mut skill = Skill {
        runner: DirectiveRunner::new(environment),
        ..skill
    };
    skill.context = skill
        .context
        .skill_dir("/skills/it")
        .variable("PATH", "/forged")
        .variable("COLOUR", "blue");
    let seen = skill.prints("!`env`\n").await;
    let mut names: Vec<_> = seen
        .lines()
        .filter_map(|line| line.split_once('='))
        .collect();
    names.retain(|(name, _)| !matches!(*name, "PWD" | "REPERTOIRE_RUN" | "OLDPWD" | "_" | "SHLVL"));
    names.sort_unstable();
    let expected = [
        ("ARGUMENTS", ""),
        ("CLAUDE_SKILL_DIR", "/skills/it"),
        ("COLOUR", "blue"),
        ("PATH", "/usr/bin:/bin"),
        ("PYTHONDONTWRITEBYTECODE", "1"),
        ("PYTHONPYCACHEPREFIX", "/dev/null"),
        ("SKILL_ARGUMENTS", ""),
        ("SKILL_DIR", "/skills/it"),
        ("TERM", "dumb"),
    ];
    assert_eq!(names, expected);
}

#[tokio::test]
async fn the_chosen_shell_runs_a_command() {
    let skill = Skill::new();
    let bash = Skill {
        runner: DirectiveRunner::new(std::env::vars_os()).shell(CommandShell::Bash),
        ..Skill::new()
    };
    let body = "!`test -n \"$BASH_VERSION\" && echo bash || echo sh`\n";
    assert_eq!(
        (
            skill.prints(body).await.as_str(),
            bash.prints(body).await.as_str()
        ),
        ("sh\n", "bash\n")
    );
    assert_eq!(skill.prints("```!\na=1\necho $a\n```\n").await, "1\n");
    // What looks like an option is a command.
    assert_eq!(skill.run("!`-c touch`\n").await.ended, RunEnd::Exit(127));
}

#[tokio::test]
async fn run_ends_are_distinguished() {
    let skill = Skill::new();
    let run = skill.run("!`echo out; echo oops >&2; exit 3`\n").await;
    assert_eq!(
        (run.ended, run.stdout.text(), run.stderr.text()),
        (RunEnd::Exit(3), "out\n", "oops\n")
    );
    assert_eq!(skill.run("!`kill -9 $$`\n").await.ended, RunEnd::Signal(9));
    let gone = Skill::new();
    fs::remove_dir(gone.folder.path()).expect("it is empty");
    let plan = Plan::new("!`true`\n", &Syntax::default());
    let binding = skill.binding();
    let call = Call::new(gone.folder.path(), &gone.context, &binding);
    let outcomes = gone.runner.run(plan.directives(), call, |_| Ok(())).await;
    assert!(
        matches!(outcomes[..], [DirectiveOutcome::Failed { .. }]),
        "{outcomes:?}"
    );
}

#[tokio::test]
async fn long_output_is_truncated_without_blocking() {
    let skill = Skill::new().limits(|limits| (limits.stdout, limits.stderr) = (10, 4));
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
    let run = skill.run("!`printf 'a\\377\\033[31mb'`\n").await;
    assert_eq!(run.stdout.text(), "a\u{fffd}b");
}

#[tokio::test]
async fn a_background_child_ends_with_its_run() {
    let skill = Skill::new();
    let body = "!`sleep 100000 & echo $! > child; echo started`\n";
    assert_eq!(skill.prints(body).await, "started\n");
    gone(skill.process("child").expect("it was started")).await;
}

#[tokio::test]
async fn a_timeout_kills_processes_that_ignore_term() {
    let skill = Skill::new().short();
    let body = "!`trap '' TERM; sh -c 'trap \"\" TERM; echo $$ > child; while :; do sleep 1; done' & echo $$ > own; echo begun; \
                while :; do sleep 1; done`\n";
    let run = skill.run(body).await;
    assert_eq!(
        (run.ended, run.stdout.text()),
        (RunEnd::TimedOut(Duration::from_secs(1)), "begun\n")
    );
    for file in ["own", "child"] {
        gone(skill.process(file).expect("it was started")).await;
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_timeout_kills_processes_outside_the_group() {
    let skill = Skill::new().short();
    // Forked twice, in a session of its own, without any pipe of ours.
    let body =
        "!`(setsid sh -c 'echo $$ > away; exec sleep 100000' > /dev/null 2>&1 &); sleep 100000`\n";
    assert_eq!(
        skill.run(body).await.ended,
        RunEnd::TimedOut(Duration::from_secs(1))
    );
    gone(skill.process("away").expect("it was started")).await;
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn timeouts_kill_processes_that_fork_repeatedly() {
    let skill = Skill::new().short();
    let daemon = "trap \"\" TERM HUP; echo $$ > away; while :; do sleep 100000 & echo $! > child; wait; done";
    let body = format!("!`(setsid sh -c '{daemon}' > /dev/null 2>&1 &); sleep 100000`\n");
    assert_eq!(
        skill.run(&body).await.ended,
        RunEnd::TimedOut(Duration::from_secs(1))
    );
    for file in ["away", "child"] {
        gone(skill.process(file).expect("it was started")).await;
    }
}

/// The limit that the documentation of `DirectiveRunner` states.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_process_without_the_mark_is_not_found() {
    let skill = Skill::new();
    let body = "!`setsid env -i /bin/sh -c 'echo $$ > away; exec sleep 100000' > /dev/null 2>&1 & \
                while ! test -s away; do :; done; echo done`\n";
    let run = skill.run(body).await;
    assert_eq!(
        (run.stdout.text(), run.cleanup),
        ("done\n", CleanupScope::Marked)
    );
    let away = skill.process("away").expect("it was started");
    let status = fs::read_to_string(format!("/proc/{away}/status")).expect("it lives on");
    assert!(!status.contains("State:\tZ"), "{status}");
    let id = rustix::process::Pid::from_raw(away.cast_signed()).expect("a number of a process");
    rustix::process::kill_process(id, rustix::process::Signal::KILL).expect("it is ours");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn marked_processes_end_with_their_run() {
    let skill = Skill::new();
    // It holds the pipe, too.
    let body = "!`setsid sh -c 'echo $$ > away; exec sleep 100000' & while ! test -s away; do :; done; echo done`\n";
    assert_eq!(skill.prints(body).await, "done\n");
    gone(skill.process("away").expect("it was started")).await;
}

#[tokio::test]
async fn a_run_that_is_dropped_ends() {
    let skill = Skill::new();
    {
        let run = skill.outcomes("!`echo $$ > own; sleep 100000`\n");
        tokio::select! {
            outcomes = run => panic!("it does not end by itself: {outcomes:?}"),
            () = until(|| skill.process("own").is_some()) => {}
        }
    }
    gone(skill.process("own").expect("it was started")).await;
}

#[tokio::test]
async fn no_more_run_at_a_time_than_may() {
    let skill = Skill::new().limits(|limits| limits.concurrent = 1);
    let one = "!`mkdir lock && sleep 0.05 && rmdir lock && echo alone`\n";
    let outcomes = skill.outcomes(&one.repeat(3)).await;
    let alone = |outcome: &DirectiveOutcome| matches!(outcome, DirectiveOutcome::Ran(run) if run.stdout.text() == "alone\n");
    assert!(
        outcomes.len() == 3 && outcomes.iter().all(alone),
        "{outcomes:?}"
    );
    // Two that wait for each other show that more of them may.
    let skill = Skill::new().limits(|limits| limits.concurrent = 2);
    let body = "!`mkfifo pipe; echo met > pipe`\n!`while ! test -p pipe; do :; done; cat pipe`\n";
    let outcomes = skill.outcomes(body).await;
    assert!(
        matches!(&outcomes[1], DirectiveOutcome::Ran(run) if run.stdout.text() == "met\n"),
        "{outcomes:?}"
    );
}

#[tokio::test]
async fn number_and_total_time_are_limited() {
    let refused = |by| DirectiveOutcome::Refused { by };
    let skill = Skill::new().limits(|limits| limits.directives = 1);
    let outcomes = skill.outcomes("!`true`\n!`touch PWNED`\n").await;
    assert_eq!(outcomes[1..], [refused(Refusal::TooMany(1))]);
    let skill = Skill::new().limits(|limits| limits.total = Duration::ZERO);
    assert_eq!(
        skill.outcomes("!`touch PWNED`\n").await,
        [refused(Refusal::Late)]
    );
    assert!(!skill.path("PWNED").exists());
}

#[tokio::test]
async fn everything_is_permitted_before_anything_runs() {
    let skill = Skill::new();
    let plan = Plan::new("!`touch first`\n!`touch second`\n", &Syntax::default());
    let binding = skill.binding();
    let call = Call::new(skill.folder.path(), &skill.context, &binding);
    let mut asked = Vec::new();
    let outcomes = skill
        .runner
        .run(plan.directives(), call, |directive| {
            assert!(!skill.path("first").exists(), "nothing ran so far");
            asked.push(directive.to_string());
            if asked.len() == 2 {
                Err(Refusal::Denied("no".into()))
            } else {
                Ok(())
            }
        })
        .await;
    assert_eq!(
        outcomes[1],
        DirectiveOutcome::Refused {
            by: Refusal::Denied("no".into())
        }
    );
    assert_eq!(asked, ["touch first", "touch second"]);
    assert_eq!(
        (skill.path("first").exists(), skill.path("second").exists()),
        (true, false)
    );
}

#[tokio::test]
async fn a_script_gets_its_context_as_json() {
    let skill = Skill::new()
        .typed("a \"b c\"")
        .file("show", "#!/bin/sh\ncat; printf '|%s' \"$@\"\n");
    let skill = Skill {
        context: skill
            .context
            .clone()
            .skill_dir("/skills/it")
            .variable("X", "x"),
        ..skill
    };
    let printed = skill
        .prints("!{script: show, limit: 5, name: \"n, m\"}\n")
        .await;
    let (json, words) = printed.split_once('|').expect("both are printed");
    assert_eq!(words, "a|b c");
    let document: serde_json::Value = serde_json::from_str(json).expect("it is JSON");
    let expected = serde_json::json!({
        "skillDir": "/skills/it", "sessionId": null, "projectDir": null,
        "args": ["a", "b c"], "rawArgs": "a \"b c\"",
        "scriptArgs": {"limit": 5, "name": "n, m"},
        "variables": {"ARGUMENTS": "a \"b c\"", "CLAUDE_SKILL_DIR": "/skills/it", "SKILL_DIR": "/skills/it", "X": "x"},
    });
    assert_eq!(document, expected);
}

#[tokio::test]
async fn the_interpreter_of_a_script_is_found() {
    let skill = Skill::new()
        .file("by-line", "#! /usr/bin/env sh\necho \"line in $PWD\"\n")
        .file("by.sh", "echo extension; cat > /dev/null\n")
        .file("by.txt", "echo no\n");
    let real = skill.folder.path().canonicalize().expect("it is there");
    assert_eq!(
        skill.prints("!{script: by-line}\n").await,
        format!("line in {}\n", real.display())
    );
    assert_eq!(skill.prints("!{script: by.sh}\n").await, "extension\n");
    let reason = "no interpreter is known for `by.txt`, by its first line or its extension".into();
    assert_eq!(
        skill.outcomes("!{script: by.txt}\n").await,
        [DirectiveOutcome::Failed { reason }]
    );
}

#[tokio::test]
async fn no_script_is_outside_of_its_skill() {
    let outside = Skill::new().file("x.sh", "touch PWNED\n");
    let skill = Skill::new().file("real.sh", "echo real\n");
    symlink(outside.path("x.sh"), skill.path("out.sh")).expect("a link");
    symlink("real.sh", skill.path("in.sh")).expect("a link");
    fs::create_dir(skill.path("folder.sh")).expect("a folder");
    assert_eq!(skill.prints("!{script: in.sh}\n").await, "real\n");
    for path in ["out.sh", "missing.sh", "folder.sh"] {
        let outcomes = skill.outcomes(&format!("!{{script: {path}}}\n")).await;
        assert!(
            matches!(&outcomes[..], [DirectiveOutcome::Failed { reason }] if reason.starts_with("cannot open `")),
            "{path}: {outcomes:?}"
        );
    }
    assert!(!Path::new("PWNED").exists() && !skill.path("PWNED").exists());
}

#[tokio::test]
async fn a_changed_script_does_not_run() {
    let skill = Skill::new().file("a.sh", "touch PWNED\n");
    let plan = Plan::new("!{script: a.sh}\n", &Syntax::default());
    let approved = Skill::new().file("a.sh", "echo fine\n").binding();
    let outcomes = skill.runner.run(
        plan.directives(),
        Call::new(skill.folder.path(), &skill.context, &approved),
        |_| Ok(()),
    );
    assert_eq!(
        outcomes.await,
        [DirectiveOutcome::Refused {
            by: Refusal::Changed
        }]
    );
    assert!(!skill.path("PWNED").exists());
}

#[tokio::test]
async fn only_approved_contents_run() {
    let skill = Skill::new()
        .file(
            "scripts/run.py",
            "import helper\nprint(helper.WORD, open('data.txt').read())\n",
        )
        .file("scripts/helper.py", "WORD = 'approved'\n")
        .file("data.txt", "data");
    let bodies = [
        "!{script: scripts/run.py}\n",
        "!`python3 scripts/run.py`\n",
        "!`cd scripts && python3 -c 'import helper; print(helper.WORD, open(\"../data.txt\").read())'`\n",
    ];
    for body in bodies {
        assert_eq!(skill.prints(body).await, "approved data\n", "{body}");
    }
    let outcomes_with = async |binding: &Binding, body| {
        let plan = Plan::new(body, &Syntax::default());
        let call = Call::new(skill.folder.path(), &skill.context, binding);
        skill
            .runner
            .clone()
            .limits(skill.limits)
            .run(plan.directives(), call, |_| Ok(()))
            .await
    };
    let approved = skill.binding();
    // What appears is not there for what runs.
    fs::write(skill.path("data.py"), "print('unapproved')\n").expect("it can be written");
    let outcomes = outcomes_with(&approved, "!`ls scripts/..`\n").await;
    assert!(
        matches!(&outcomes[..], [DirectiveOutcome::Ran(run)] if run.stdout.text() == "data.txt\nscripts\n"),
        "{outcomes:?}"
    );
    // What changes or goes is missed, whatever name it is run by.
    fs::write(skill.path("scripts/helper.py"), "WORD = 'unapproved'\n").expect("it can be written");
    for body in bodies {
        assert_eq!(
            outcomes_with(&approved, body).await,
            [DirectiveOutcome::Refused {
                by: Refusal::Changed
            }],
            "{body}"
        );
    }
    fs::remove_file(skill.path("scripts/helper.py")).expect("it is there");
    for body in bodies {
        assert_eq!(
            outcomes_with(&approved, body).await,
            [DirectiveOutcome::Refused {
                by: Refusal::Changed
            }],
            "{body}"
        );
    }
}

/// Two files that go on changing places: what runs is the approved one, or nothing.
#[cfg(target_os = "linux")]
#[test]
fn a_file_that_is_swapped_never_runs() {
    use std::sync::atomic::{AtomicBool, Ordering};

    let skill = Skill::new()
        .file("run.sh", "echo approved\n")
        .file("other.sh", "echo unapproved\n");
    let mut approved = skill.binding();
    approved.files.retain(|path, _| path.as_str() == "run.sh");
    let (one, other) = (skill.path("run.sh"), skill.path("other.sh"));
    let is_over = AtomicBool::new(false);
    let outcomes = std::thread::scope(|scope| {
        scope.spawn(|| {
            use rustix::fs::{CWD, RenameFlags, renameat_with};
            while !is_over.load(Ordering::Relaxed) {
                renameat_with(CWD, &one, CWD, &other, RenameFlags::EXCHANGE)
                    .expect("both are there");
            }
        });
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime");
        let mut outcomes = Vec::new();
        for body in ["!{script: run.sh}\n", "!`sh run.sh`\n"].repeat(25) {
            let plan = Plan::new(body, &Syntax::default());
            let call = Call::new(skill.folder.path(), &skill.context, &approved);
            outcomes.extend(runtime.block_on(skill.runner.run(
                plan.directives(),
                call,
                |_| Ok(()),
            )));
        }
        is_over.store(true, Ordering::Relaxed);
        outcomes
    });
    for outcome in outcomes {
        match outcome {
            DirectiveOutcome::Ran(run) => assert_eq!(run.stdout.text(), "approved\n"),
            other => assert_eq!(
                other,
                DirectiveOutcome::Refused {
                    by: Refusal::Changed
                }
            ),
        }
    }
}

#[tokio::test]
async fn no_bytecode_is_read_or_left() {
    let skill = Skill::new()
        .file("run.py", "import helper\nprint(helper.WORD)\n")
        .file("helper.py", "WORD = 'source'\n");
    // Bytecode that is taken without a look at the source.
    let compile = "import py_compile; py_compile.compile('evil.py', 'helper.pyc', 'helper.py', \
                   invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH); \
                   import importlib.util, os; cache = importlib.util.cache_from_source('helper.py'); \
                   os.makedirs('__pycache__'); os.rename('helper.pyc', cache)";
    let skill = skill.file("evil.py", "WORD = 'bytecode'\n");
    let made = std::process::Command::new("python3")
        .args(["-c", compile])
        .current_dir(skill.folder.path())
        .status();
    assert!(made.expect("Python is there").success());
    assert_eq!(skill.prints("!{script: run.py}\n").await, "source\n");
    // Where it runs in the folder itself, too.
    fs::remove_file(skill.path("evil.py")).expect("it is there");
    assert_eq!(
        skill
            .prints("!`python3 -c 'import helper; print(helper.WORD)'`\n")
            .await,
        "source\n"
    );
    let caches = fs::read_dir(skill.path("__pycache__"))
        .expect("it is there")
        .count();
    assert_eq!(caches, 1);
}

#[tokio::test]
async fn programs_of_the_skill_are_not_in_path() {
    let environment = [(OsString::from("PATH"), OsString::from(":.:/usr/bin:/bin"))];
    let skill = Skill::new()
        .file("sh2", "#!/bin/sh\necho own\n")
        .file("by-env", "#!/usr/bin/env sh2\n");
    #[cfg(unix)]
    fs::set_permissions(
        skill.path("sh2"),
        std::os::unix::fs::PermissionsExt::from_mode(0o755),
    )
    .expect("it is there");
    let skill = Skill {
        runner: DirectiveRunner::new(environment),
        ..skill
    };
    assert_eq!(skill.run("!`sh2`\n").await.ended, RunEnd::Exit(127));
    assert_eq!(
        skill.run("!{script: by-env}\n").await.ended,
        RunEnd::Exit(127)
    );
    assert_eq!(skill.prints("!`./sh2`\n").await, "own\n");
}

#[tokio::test]
async fn a_copy_is_private_and_removed() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let skill = Skill::new()
        .file("bin/tool", "#!/bin/sh\nexit 0\n")
        .file("run.sh", "pwd > $1/where; stat -c %a . run.sh bin/tool\n");
    fs::set_permissions(
        skill.path("bin/tool"),
        std::os::unix::fs::PermissionsExt::from_mode(0o777),
    )
    .expect("it is there");
    let before = rustix::process::umask(rustix::fs::Mode::empty());
    let skill = skill.typed(folder.path().to_str().expect("a text"));
    let printed = skill.prints("!{script: run.sh}\n").await;
    rustix::process::umask(before);
    assert_eq!(printed, "700\n600\n700\n");
    let place = fs::read_to_string(folder.path().join("where")).expect("it was written");
    assert!(!Path::new(place.trim()).exists(), "{place}");
    assert_ne!(Path::new(place.trim()), skill.folder.path());
}

#[tokio::test]
async fn output_names_the_skill_folder() {
    let mut skill = Skill::new().file("run.sh", "echo \"$SKILL_DIR $0 $PWD\"; cat > /dev/null\n");
    let real = skill
        .folder
        .path()
        .canonicalize()
        .expect("it is there")
        .display()
        .to_string();
    assert_eq!(
        skill.prints("!{script: run.sh}\n").await,
        format!(" {real}/run.sh {real}\n")
    );
    skill.context = skill.context.skill_dir("/skills/it");
    let printed = skill.prints("!{script: run.sh}\n").await;
    assert_eq!(printed, "/skills/it /skills/it/run.sh /skills/it\n");
}
