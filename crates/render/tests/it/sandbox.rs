//! Confined runs, on Linux. What the kernel does not enforce is told, and is not looked for.
#![allow(clippy::disallowed_methods, reason = "what a run may touch are files")]

use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, UdpSocket};
use std::os::unix::net::{UnixDatagram, UnixListener, UnixStream};
use std::time::Duration;

use repertoire_core::Digest;
use repertoire_render::{
    Binding, Call, Confinement, Context, Ended, Failure, Gap, Limits, Outcome, Plan, Run, Runner, Sandbox, Shell,
    Sweep, Syntax,
};
use tempfile::TempDir;

const HELPER: &str = env!("CARGO_BIN_EXE_repertoire-helper");

async fn outcome(confinement: Confinement, folder: &TempDir, body: &str) -> Outcome {
    outcome_with(&[HELPER], confinement, folder, body).await
}

async fn outcome_with(helper: &[&str], confinement: Confinement, folder: &TempDir, body: &str) -> Outcome {
    let mut limits = Limits::default();
    (limits.timeout, limits.total) = (Duration::from_secs(120), Duration::from_secs(120));
    let plan = Plan::new(body, &Syntax::default());
    let (context, id) = (Context::new(), "home:it".parse().expect("an id"));
    let binding = Binding::of(id, Digest::of(b""), plan.directives(), &[]);
    let runner = Runner::new(std::env::vars_os()).shell(Shell::Bash).limits(limits);
    let runner = runner.helper(helper).confined(confinement);
    let call = Call::new(folder.path(), &context, &binding);
    let mut outcomes = runner.run(plan.directives(), call, |_| Ok(())).await;
    outcomes.pop().expect("one directive")
}

async fn run(confinement: Confinement, folder: &TempDir, body: &str) -> Run {
    match outcome(confinement, folder, body).await {
        Outcome::Ran(run) => run,
        other => panic!("it runs: {other:?}"),
    }
}

/// Runs a command that must fail unless the sandbox says that it does not keep this.
async fn is_denied(gap: Gap, confinement: Confinement, folder: &TempDir, body: &str) {
    let run = run(confinement, folder, body).await;
    let says_so = match &run.sandbox {
        Sandbox::Partial(gaps) => gaps.contains(&gap),
        sandbox => *sandbox == Sandbox::Unavailable,
    };
    assert!(says_so || run.ended != Ended::Exit(0), "{body}: {run:?}");
}

#[tokio::test]
async fn a_confined_command_reads_its_skill_and_says_how_confined_it_is() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("data.txt"), "inside\n").expect("a file");
    let run = run(Confinement::default(), &folder, "!`cat data.txt 2> /dev/null; echo aside >&2`\n").await;
    assert_eq!((run.ended, run.stdout.text(), run.stderr.text()), (Ended::Exit(0), "inside\n", "aside\n"));
    assert!(matches!(run.sandbox, Sandbox::Active | Sandbox::Partial(_) | Sandbox::Unavailable), "{run:?}");
}

#[tokio::test]
async fn what_is_not_named_is_neither_read_nor_written() {
    let (folder, outside) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let secret = outside.path().join("secret.txt");
    fs::write(&secret, "secret\n").expect("a file");
    let usual = || Confinement::default();
    is_denied(Gap::Files, usual(), &folder, &format!("!`cat {}`\n", secret.display())).await;
    is_denied(Gap::Files, usual(), &folder, "!`cat /etc/passwd`\n").await;
    is_denied(Gap::Files, usual(), &folder, "!`echo x > here.txt`\n").await;
    is_denied(Gap::Files, usual(), &folder, &format!("!`echo x > {}`\n", secret.display())).await;

    let wider = usual().read(outside.path()).write(folder.path());
    let body = format!("!`cat {} && echo x > here.txt && cat here.txt`\n", secret.display());
    let run = run(wider, &folder, &body).await;
    assert_eq!((run.ended, run.stdout.text()), (Ended::Exit(0), "secret\nx\n"));
}

#[tokio::test]
async fn no_connection_is_made() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("it is bound").port();
    let connects = |protocol: &str, port: u16| format!("!`exec 3<> /dev/{protocol}/127.0.0.1/{port}`\n");
    is_denied(Gap::Sockets, Confinement::default(), &folder, &connects("tcp", port)).await;
    let socket = UdpSocket::bind("127.0.0.1:0").expect("a port");
    let port = socket.local_addr().expect("it is bound").port();
    is_denied(Gap::Sockets, Confinement::default(), &folder, &connects("udp", port)).await;
}

#[tokio::test]
async fn what_needs_a_sandbox_runs_in_a_whole_one_or_not_at_all() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let outcome_of = |confinement| outcome(confinement, &folder, "!`echo ran`\n");
    match outcome_of(Confinement::default().required()).await {
        Outcome::Ran(run) => assert_eq!((run.stdout.text(), run.sandbox), ("ran\n", Sandbox::Active)),
        Outcome::Failed { reason: Failure::NotConfined(sandbox) } => assert_ne!(sandbox, Sandbox::Active),
        other => panic!("{other:?}"),
    }
    let without = |confinement| outcome_with(&[], confinement, &folder, "!`echo ran`\n");
    let outcome = without(Confinement::default().required()).await;
    assert_eq!(outcome, Outcome::Failed { reason: Failure::NotConfined(Sandbox::Unavailable) });
    let Outcome::Ran(run) = without(Confinement::default()).await else { panic!("it was not required") };
    assert_eq!((run.stdout.text(), run.sandbox), ("ran\n", Sandbox::Unavailable));
}

#[tokio::test]
async fn nobody_outside_is_signalled() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    is_denied(Gap::Signals, Confinement::default(), &folder, &format!("!`kill -0 {}`\n", std::process::id())).await;
}

#[tokio::test]
async fn files_and_processor_time_are_limited() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let small = Confinement::default().write(folder.path()).file(1000);
    let run_small = run(small, &folder, "!`head -c 5000 /dev/zero > big.bin`\n").await;
    assert_ne!(run_small.ended, Ended::Exit(0));
    assert!(fs::metadata(folder.path().join("big.bin")).expect("it was begun").len() <= 1000);
    let quick = Confinement::default().cpu(Duration::from_secs(1));
    let run = run(quick, &folder, "!`while :; do :; done`\n").await;
    assert!(matches!(run.ended, Ended::Signal(_)), "{run:?}");
}

#[tokio::test]
async fn a_confined_command_has_nothing_to_say_to_its_helper() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let body = "!`kill -9 $PPID && echo killed`\n";
    let run = run(Confinement::default(), &folder, body).await;
    let keeps_signals = matches!(&run.sandbox, Sandbox::Active)
        || matches!(&run.sandbox, Sandbox::Partial(gaps) if !gaps.contains(&Gap::Signals));
    assert!(!keeps_signals || (run.stdout.text(), run.sweep) == ("", Sweep::All), "{run:?}");
}

#[tokio::test]
async fn a_confined_command_that_hides_ends_with_its_run() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let body = "!`setsid env -i /bin/sh -c 'echo $$ > away; exec sleep 100000' & while ! test -s away; do :; done; echo done`\n";
    let run = run(Confinement::default().write(folder.path()), &folder, body).await;
    assert_eq!((run.ended, run.stdout.text(), run.sweep), (Ended::Exit(0), "done\n", Sweep::All));
    let away = fs::read_to_string(folder.path().join("away")).expect("it was started");
    assert!(!fs::exists(format!("/proc/{}", away.trim())).expect("it can be looked for"), "{away}");
}

/// What the confined command of the next test runs.
#[test]
#[ignore = "it is started by another test, in a sandbox"]
fn sockets() {
    let folder = std::env::temp_dir();
    let (mut one, mut other) = UnixStream::pair().expect("a connected pair is for a program and what it starts");
    one.write_all(b"x").expect("it is connected");
    let mut heard = [0];
    other.read_exact(&mut heard).expect("it is connected");
    let denied = |what: &str, error: Option<std::io::Error>| {
        assert_eq!(error.map(|error| error.kind()), Some(ErrorKind::PermissionDenied), "{what}");
    };
    denied("datagrams", UnixDatagram::pair().err());
    denied("an unbound one", UnixDatagram::unbound().err());
    denied("a connection", UnixStream::connect(folder.join("socket")).err());
    denied("a listener", UnixListener::bind(folder.join("other")).err());
}

#[tokio::test]
async fn a_pair_of_streams_is_the_one_socket_that_can_be_had() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let _listener = UnixListener::bind(folder.path().join("socket")).expect("it can be made out here");
    let tests = std::env::current_exe().expect("a test is a file");
    let confinement = Confinement::default().read(tests.parent().expect("it is in a folder")).write(folder.path());
    let (tests, folder_name) = (tests.display(), folder.path().display());
    let body = format!("!`TMPDIR='{folder_name}' '{tests}' --exact sandbox::sockets --ignored`\n");
    let run = run(confinement, &folder, &body).await;
    let says_so = match &run.sandbox {
        Sandbox::Partial(gaps) => gaps.contains(&Gap::Sockets),
        sandbox => *sandbox == Sandbox::Unavailable,
    };
    assert!(says_so || run.ended == Ended::Exit(0), "{run:?}");
    assert!(run.stdout.text().contains("running 1 test"), "{run:?}");
}

#[tokio::test]
async fn a_helper_that_is_none_runs_nothing() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    // It runs, and helps nobody; it cannot read what it is told; it is not there.
    for helper in [&["/bin/echo"][..], &[HELPER, "junk"], &["/does/not/exist"]] {
        let outcome = outcome_with(helper, Confinement::default(), &folder, "!`true`\n").await;
        assert!(matches!(outcome, Outcome::Failed { reason: Failure::NotStarted(_) }), "{outcome:?}");
    }
}
