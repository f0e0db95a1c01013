//! Running commands and scripts, on Unix, without a helper.
#![allow(clippy::disallowed_methods, reason = "what runs is seen in files")]

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::Duration;

use proptest::prelude::*;
use repertoire_core::{Digest, Resource};
use repertoire_render::{
    Arguments, Binding, Call, Context, Ended, Failure, Limits, Outcome, Plan, Refusal, Run, Runner, Shell, Sweep,
    Syntax,
};
use tempfile::TempDir;

/// Longer than anything here takes, on any machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

pub(crate) struct Skill {
    pub(crate) folder: TempDir,
    pub(crate) runner: Runner,
    pub(crate) limits: Limits,
    pub(crate) context: Context,
}

impl Skill {
    pub(crate) fn new() -> Skill {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut limits = Limits::default();
        limits.timeout = PATIENCE;
        limits.total = PATIENCE;
        Skill { folder, runner: Runner::new(std::env::vars_os()), limits, context: Context::new() }
    }

    pub(crate) fn file(self, path: &str, text: impl AsRef<[u8]>) -> Skill {
        let path = self.path(path);
        fs::create_dir_all(path.parent().expect("a file has a folder")).expect("the folder can be made");
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

    pub(crate) fn limits(mut self, set: impl FnOnce(&mut Limits)) -> Skill {
        set(&mut self.limits);
        self
    }

    /// A time limit that is reached.
    pub(crate) fn short(self) -> Skill {
        self.limits(|limits| (limits.timeout, limits.grace) = (Duration::from_secs(1), Duration::from_millis(100)))
    }

    pub(crate) fn binding(&self, plan: &Plan<'_>) -> Binding {
        let rows = fs::read_dir(self.folder.path()).expect("the folder is there").flatten().filter_map(|entry| {
            let bytes = fs::read(entry.path()).ok()?;
            let path = entry.file_name().to_str()?.parse().ok()?;
            Some(Resource::new(path, bytes.len() as u64, Digest::of(&bytes)))
        });
        let rows: Vec<_> = rows.collect();
        Binding::of("home:it".parse().expect("an id"), Digest::of(b""), plan.directives(), &rows)
    }

    pub(crate) async fn outcomes(&self, body: &str) -> Vec<Outcome> {
        let plan = Plan::new(body, &Syntax::default());
        let binding = self.binding(&plan);
        let call = Call::new(self.folder.path(), &self.context, &binding);
        let runner = self.runner.clone().limits(self.limits);
        let run = runner.run(plan.directives(), call, |_| Ok(()));
        tokio::time::timeout(PATIENCE, run).await.expect("no run takes so long")
    }

    /// The one run of a body.
    pub(crate) async fn run(&self, body: &str) -> Run {
        match self.outcomes(body).await.as_slice() {
            [Outcome::Ran(run)] => run.clone(),
            other => panic!("one run: {other:?}"),
        }
    }

    /// What the one command of a body prints that ends well.
    pub(crate) async fn prints(&self, body: &str) -> String {
        let run = self.run(body).await;
        assert_eq!((run.ended, run.stderr.text()), (Ended::Exit(0), ""));
        run.stdout.text().to_owned()
    }

    /// The process whose number is in a file.
    pub(crate) fn process(&self, file: &str) -> Option<u32> {
        fs::read_to_string(self.path(file)).ok()?.trim().parse().ok()
    }
}

/// Waits until a process is gone or waits to be reaped.
pub(crate) async fn gone(process: u32) {
    let is_alive = || {
        let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        let state = stat.rsplit(") ").next().and_then(|rest| rest.chars().next());
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
    tokio::time::timeout(PATIENCE, wait).await.expect("it comes to pass");
}

#[tokio::test]
async fn what_was_typed_reaches_a_command_as_values() {
    let typed = r#"it's "fine"; touch PWNED $(touch PWNED) `touch PWNED`"#;
    let skill = Skill::new().typed(typed);
    assert_eq!(skill.prints("!`printf %s \"$ARGUMENTS\"`\n").await, typed);
    assert_eq!(skill.prints("!`printf %s \"$SKILL_ARGUMENTS\"`\n").await, typed);
    let words = skill.context.get("ARGUMENTS").map(Arguments::new).expect("it is built in");
    assert_eq!(skill.prints("!`printf '<%s>' \"$@\"`\n").await, format!("<{}>", words.words().join("><")));
    assert_eq!(skill.prints("!`printf '%s|%s' \"$1\" \"$SKILL_ARG_2\"`\n").await, "it's|fine;");
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
            Outcome::Ran(run) => run.stdout.text().to_owned(),
            other => panic!("it runs: {other:?}"),
        }).collect();
        prop_assert_eq!(printed, expected);
        prop_assert!(!skill.path("PWNED").exists());
    }
}

#[tokio::test]
async fn a_command_stands_in_the_folder_of_its_skill_without_input_and_without_secrets() {
    let skill = Skill::new().file("data.txt", "inside");
    assert_eq!(skill.prints("!`cat data.txt -`\n").await, "inside");
    let environment = [("PATH", "/usr/bin:/bin"), ("API_KEY", "secret"), ("LD_PRELOAD", "x.so"), ("BASH_ENV", "x")];
    let environment = environment.map(|(name, value)| (OsString::from(name), OsString::from(value)));
    let mut skill = Skill { runner: Runner::new(environment), ..skill };
    skill.context = skill.context.skill_dir("/skills/it").variable("PATH", "/forged").variable("COLOUR", "blue");
    let seen = skill.prints("!`env`\n").await;
    let mut names: Vec<_> = seen.lines().filter_map(|line| line.split_once('=')).collect();
    names.retain(|(name, _)| !matches!(*name, "PWD" | "REPERTOIRE_RUN" | "OLDPWD" | "_" | "SHLVL"));
    names.sort_unstable();
    let expected = [
        ("ARGUMENTS", ""),
        ("CLAUDE_SKILL_DIR", "/skills/it"),
        ("COLOUR", "blue"),
        ("PATH", "/usr/bin:/bin"),
        ("SKILL_ARGUMENTS", ""),
        ("SKILL_DIR", "/skills/it"),
        ("TERM", "dumb"),
    ];
    assert_eq!(names, expected);
}

#[tokio::test]
async fn the_chosen_shell_runs_a_command() {
    let skill = Skill::new();
    let bash = Skill { runner: Runner::new(std::env::vars_os()).shell(Shell::Bash), ..Skill::new() };
    let body = "!`test -n \"$BASH_VERSION\" && echo bash || echo sh`\n";
    assert_eq!((skill.prints(body).await.as_str(), bash.prints(body).await.as_str()), ("sh\n", "bash\n"));
    assert_eq!(skill.prints("```!\na=1\necho $a\n```\n").await, "1\n");
    // What looks like an option is a command.
    assert_eq!(skill.run("!`-c touch`\n").await.ended, Ended::Exit(127));
}

#[tokio::test]
async fn ends_are_told_apart() {
    let skill = Skill::new();
    let run = skill.run("!`echo out; echo oops >&2; exit 3`\n").await;
    assert_eq!((run.ended, run.stdout.text(), run.stderr.text()), (Ended::Exit(3), "out\n", "oops\n"));
    assert_eq!(skill.run("!`kill -9 $$`\n").await.ended, Ended::Signal(9));
    let gone = Skill::new();
    fs::remove_dir(gone.folder.path()).expect("it is empty");
    let plan = Plan::new("!`true`\n", &Syntax::default());
    let binding = skill.binding(&plan);
    let call = Call::new(gone.folder.path(), &gone.context, &binding);
    let outcomes = gone.runner.run(plan.directives(), call, |_| Ok(())).await;
    assert!(matches!(outcomes[..], [Outcome::Failed { reason: Failure::NotStarted(_) }]), "{outcomes:?}");
}

#[tokio::test]
async fn long_output_is_cut_and_counted_and_never_holds_up() {
    let skill = Skill::new().limits(|limits| (limits.stdout, limits.stderr) = (10, 4));
    let run = skill.run("!`head -c 1000000 /dev/zero | tr '\\0' x; printf 12345 >&2`\n").await;
    assert_eq!((run.stdout.text(), run.stdout.truncated()), ("xxxxxxxxxx", Some((10, 1_000_000))));
    assert_eq!((run.stderr.text(), run.stderr.truncated()), ("1234", Some((4, 5))));
    let run = skill.run("!`printf 'a\\377\\033[31mb'`\n").await;
    assert_eq!(run.stdout.text(), "a\u{fffd}b");
}

#[tokio::test]
async fn a_background_child_holds_nothing_up_and_does_not_stay() {
    let skill = Skill::new();
    let body = "!`sleep 100000 & echo $! > child; echo started`\n";
    assert_eq!(skill.prints(body).await, "started\n");
    gone(skill.process("child").expect("it was started")).await;
}

#[tokio::test]
async fn a_timeout_leaves_nobody_who_ignores_being_asked() {
    let skill = Skill::new().short();
    let body = "!`trap '' TERM; sh -c 'trap \"\" TERM; echo $$ > child; while :; do sleep 1; done' & echo $$ > own; echo begun; \
                while :; do sleep 1; done`\n";
    let run = skill.run(body).await;
    assert_eq!((run.ended, run.stdout.text()), (Ended::TimedOut(Duration::from_secs(1)), "begun\n"));
    for file in ["own", "child"] {
        gone(skill.process(file).expect("it was started")).await;
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_timeout_leaves_nobody_who_left_the_group() {
    let skill = Skill::new().short();
    // Forked twice, in a session of its own, without any pipe of ours.
    let body = "!`(setsid sh -c 'echo $$ > away; exec sleep 100000' > /dev/null 2>&1 &); sleep 100000`\n";
    assert_eq!(skill.run(body).await.ended, Ended::TimedOut(Duration::from_secs(1)));
    gone(skill.process("away").expect("it was started")).await;
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_timeout_leaves_nobody_who_left_the_group_and_ignores_being_asked_and_goes_on_forking() {
    let skill = Skill::new().short();
    let daemon = "trap \"\" TERM HUP; echo $$ > away; while :; do sleep 100000 & echo $! > child; wait; done";
    let body = format!("!`(setsid sh -c '{daemon}' > /dev/null 2>&1 &); sleep 100000`\n");
    assert_eq!(skill.run(&body).await.ended, Ended::TimedOut(Duration::from_secs(1)));
    for file in ["away", "child"] {
        gone(skill.process(file).expect("it was started")).await;
    }
}

/// The limit that the documentation of `Runner` tells, so that it is true.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn who_left_the_group_and_cleared_its_environment_is_not_found() {
    let skill = Skill::new();
    let body = "!`setsid env -i /bin/sh -c 'echo $$ > away; exec sleep 100000' > /dev/null 2>&1 & \
                while ! test -s away; do :; done; echo done`\n";
    let run = skill.run(body).await;
    assert_eq!((run.stdout.text(), run.sweep), ("done\n", Sweep::Marked));
    let away = skill.process("away").expect("it was started");
    let status = fs::read_to_string(format!("/proc/{away}/status")).expect("it lives on");
    assert!(!status.contains("State:\tZ"), "{status}");
    let id = rustix::process::Pid::from_raw(away.cast_signed()).expect("a number of a process");
    rustix::process::kill_process(id, rustix::process::Signal::KILL).expect("it is ours");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn who_left_the_group_does_not_outlive_a_command_that_ends_well() {
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
    let alone = |outcome: &Outcome| matches!(outcome, Outcome::Ran(run) if run.stdout.text() == "alone\n");
    assert!(outcomes.len() == 3 && outcomes.iter().all(alone), "{outcomes:?}");
    // Two that wait for each other show that more of them may.
    let skill = Skill::new().limits(|limits| limits.concurrent = 2);
    let body = "!`mkfifo pipe; echo met > pipe`\n!`while ! test -p pipe; do :; done; cat pipe`\n";
    let outcomes = skill.outcomes(body).await;
    assert!(matches!(&outcomes[1], Outcome::Ran(run) if run.stdout.text() == "met\n"), "{outcomes:?}");
}

#[tokio::test]
async fn there_is_a_cap_on_how_many_and_on_how_long_in_all() {
    let refused = |by| Outcome::Refused { by };
    let skill = Skill::new().limits(|limits| limits.directives = 1);
    let outcomes = skill.outcomes("!`true`\n!`touch PWNED`\n").await;
    assert_eq!(outcomes[1..], [refused(Refusal::TooMany(1))]);
    let skill = Skill::new().limits(|limits| limits.total = Duration::ZERO);
    assert_eq!(skill.outcomes("!`touch PWNED`\n").await, [refused(Refusal::Late)]);
    assert!(!skill.path("PWNED").exists());
}

#[tokio::test]
async fn everything_is_permitted_before_anything_runs() {
    let skill = Skill::new();
    let plan = Plan::new("!`touch first`\n!`touch second`\n", &Syntax::default());
    let binding = skill.binding(&plan);
    let call = Call::new(skill.folder.path(), &skill.context, &binding);
    let mut asked = Vec::new();
    let outcomes = skill
        .runner
        .run(plan.directives(), call, |directive| {
            assert!(!skill.path("first").exists(), "nothing ran so far");
            asked.push(directive.to_string());
            if asked.len() == 2 { Err(Refusal::Denied("no".into())) } else { Ok(()) }
        })
        .await;
    assert_eq!(outcomes[1], Outcome::Refused { by: Refusal::Denied("no".into()) });
    assert_eq!(asked, ["touch first", "touch second"]);
    assert_eq!((skill.path("first").exists(), skill.path("second").exists()), (true, false));
}

#[tokio::test]
async fn a_script_gets_its_context_as_json() {
    let skill = Skill::new().typed("a \"b c\"").file("show", "#!/bin/sh\ncat; printf '|%s' \"$@\"\n");
    let skill = Skill { context: skill.context.clone().skill_dir("/skills/it").variable("X", "x"), ..skill };
    let printed = skill.prints("!{script: show, limit: 5, name: \"n, m\"}\n").await;
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
async fn the_first_line_or_the_extension_says_what_runs_a_script() {
    let skill = Skill::new()
        .file("by-line", "#! /usr/bin/env sh\necho \"line in $PWD\"\n")
        .file("by.sh", "echo extension; cat > /dev/null\n")
        .file("by.txt", "echo no\n");
    let real = skill.folder.path().canonicalize().expect("it is there");
    assert_eq!(skill.prints("!{script: by-line}\n").await, format!("line in {}\n", real.display()));
    assert_eq!(skill.prints("!{script: by.sh}\n").await, "extension\n");
    let failed = |reason| [Outcome::Failed { reason }];
    let path = "by.txt".parse().expect("a path");
    assert_eq!(skill.outcomes("!{script: by.txt}\n").await, failed(Failure::NoInterpreter(path)));
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
        assert!(matches!(&outcomes[..], [Outcome::Failed { reason: Failure::NoScript(..) }]), "{path}: {outcomes:?}");
    }
    assert!(!Path::new("PWNED").exists() && !skill.path("PWNED").exists());
}

#[tokio::test]
async fn a_script_runs_as_it_was_approved_and_no_other() {
    let skill = Skill::new().file("a.sh", "touch PWNED\n");
    let plan = Plan::new("!{script: a.sh}\n", &Syntax::default());
    let approved = Skill::new().file("a.sh", "echo fine\n").binding(&plan);
    let outcomes =
        skill.runner.run(plan.directives(), Call::new(skill.folder.path(), &skill.context, &approved), |_| Ok(()));
    assert_eq!(outcomes.await, [Outcome::Refused { by: Refusal::Changed }]);
    assert!(!skill.path("PWNED").exists());
}
