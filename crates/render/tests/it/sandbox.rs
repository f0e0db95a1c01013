//! Confined runs, on Linux. Rules that the kernel does not enforce are reported and not tested.
#![allow(clippy::disallowed_methods, reason = "what a run may touch are files")]

use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, UdpSocket};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixDatagram, UnixListener, UnixStream};
use std::path::Path;
use std::time::Duration;

use repertoire_core::{Digest, Manifest};
use repertoire_render::{
    Binding, Call, CleanupScope, CommandShell, CompletedRun, Confinement, Context,
    DirectiveOutcome, DirectiveRunner, MissingRule, Plan, RunEnd, RunLimits, Sandbox, Syntax,
};
use tempfile::TempDir;

const HELPER: &str = env!("CARGO_BIN_EXE_repertoire-helper");

async fn outcome(confinement: Confinement, folder: &TempDir, body: &str) -> DirectiveOutcome {
    outcome_with(&[HELPER], confinement, folder, body).await
}

async fn outcome_with(
    helper: &[&str],
    confinement: Confinement,
    folder: &TempDir,
    body: &str,
) -> DirectiveOutcome {
    let mut limits = RunLimits::default();
    (limits.timeout, limits.total) = (Duration::from_secs(120), Duration::from_secs(120));
    let plan = Plan::new(body, &Syntax::default());
    let (context, id) = (Context::new(), "home:it".parse().expect("an id"));
    let binding = Binding::new(id, Digest::of(b""), &Manifest::default());
    let runner = DirectiveRunner::new(std::env::vars_os())
        .shell(CommandShell::Bash)
        .limits(limits);
    let runner = runner.helper(helper).confined(confinement);
    let call = Call::new(folder.path(), &context, &binding);
    let mut outcomes = runner.run(plan.directives(), call, |_| Ok(())).await;
    outcomes.pop().expect("one directive")
}

async fn run(confinement: Confinement, folder: &TempDir, body: &str) -> CompletedRun {
    match outcome(confinement, folder, body).await {
        DirectiveOutcome::Ran(run) => run,
        other => panic!("it runs: {other:?}"),
    }
}

/// Runs a command that must fail unless the sandbox says that it does not keep this.
async fn is_denied(rule: MissingRule, confinement: Confinement, folder: &TempDir, body: &str) {
    let run = run(confinement, folder, body).await;
    assert!(
        lacks(&run.sandbox, rule) || run.ended != RunEnd::Exit(0),
        "{body}: {run:?}"
    );
}

fn writing(folder: &Path) -> Confinement {
    let mut confinement = Confinement::default();
    confinement.write.push(folder.to_owned());
    confinement
}

fn lacks(sandbox: &Sandbox, rule: MissingRule) -> bool {
    match sandbox {
        Sandbox::Partial(missing) => missing.contains(&rule),
        sandbox => *sandbox == Sandbox::Unavailable,
    }
}

#[tokio::test]
async fn a_confined_command_reads_its_skill() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("data.txt"), "inside\n").expect("a file");
    let run = run(
        Confinement::default(),
        &folder,
        "!`cat data.txt 2> /dev/null; echo aside >&2`\n",
    )
    .await;
    assert_eq!(
        (run.ended, run.stdout.text(), run.stderr.text()),
        (RunEnd::Exit(0), "inside\n", "aside\n")
    );
    assert!(
        matches!(
            run.sandbox,
            Sandbox::Active | Sandbox::Partial(_) | Sandbox::Unavailable
        ),
        "{run:?}"
    );
}

#[tokio::test]
async fn other_files_are_out_of_reach() {
    let (folder, outside) = (
        tempfile::tempdir().expect("a folder"),
        tempfile::tempdir().expect("a folder"),
    );
    let secret = outside.path().join("secret.txt");
    fs::write(&secret, "secret\n").expect("a file");
    let usual = || Confinement::default();
    is_denied(
        MissingRule::Files,
        usual(),
        &folder,
        &format!("!`cat {}`\n", secret.display()),
    )
    .await;
    is_denied(MissingRule::Files, usual(), &folder, "!`cat /etc/passwd`\n").await;
    is_denied(
        MissingRule::Files,
        usual(),
        &folder,
        "!`echo x > here.txt`\n",
    )
    .await;
    is_denied(
        MissingRule::Files,
        usual(),
        &folder,
        &format!("!`echo x > {}`\n", secret.display()),
    )
    .await;

    let mut wider = writing(folder.path());
    wider.read.push(outside.path().to_owned());
    let body = format!(
        "!`cat {} && echo x > here.txt && cat here.txt`\n",
        secret.display()
    );
    let run = run(wider, &folder, &body).await;
    assert_eq!(
        (run.ended, run.stdout.text()),
        (RunEnd::Exit(0), "secret\nx\n")
    );
}

#[tokio::test]
async fn no_connection_is_made() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("it is bound").port();
    let connects =
        |protocol: &str, port: u16| format!("!`exec 3<> /dev/{protocol}/127.0.0.1/{port}`\n");
    is_denied(
        MissingRule::Sockets,
        Confinement::default(),
        &folder,
        &connects("tcp", port),
    )
    .await;
    let socket = UdpSocket::bind("127.0.0.1:0").expect("a port");
    let port = socket.local_addr().expect("it is bound").port();
    is_denied(
        MissingRule::Sockets,
        Confinement::default(),
        &folder,
        &connects("udp", port),
    )
    .await;
}

#[tokio::test]
async fn a_required_sandbox_is_complete() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let outcome_of = |confinement| outcome(confinement, &folder, "!`echo ran`\n");
    match outcome_of(Confinement::default().required()).await {
        DirectiveOutcome::Ran(run) => {
            assert_eq!((run.stdout.text(), run.sandbox), ("ran\n", Sandbox::Active))
        }
        DirectiveOutcome::Failed { reason } => assert!(
            reason.starts_with("it needs a sandbox, which is "),
            "{reason}"
        ),
        other => panic!("{other:?}"),
    }
    let without = |confinement| outcome_with(&[], confinement, &folder, "!`echo ran`\n");
    let outcome = without(Confinement::default().required()).await;
    let reason = "it needs a sandbox, which is unavailable here".into();
    assert_eq!(outcome, DirectiveOutcome::Failed { reason });
    let DirectiveOutcome::Ran(run) = without(Confinement::default()).await else {
        panic!("it was not required")
    };
    assert_eq!(
        (run.stdout.text(), run.sandbox),
        ("ran\n", Sandbox::Unavailable)
    );
}

#[tokio::test]
async fn processes_outside_cannot_be_signalled() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    is_denied(
        MissingRule::Signals,
        Confinement::default(),
        &folder,
        &format!("!`kill -0 {}`\n", std::process::id()),
    )
    .await;
}

#[tokio::test]
async fn files_and_processor_time_are_limited() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut small = writing(folder.path());
    small.file_size = 1000;
    let run_small = run(small, &folder, "!`head -c 5000 /dev/zero > big.bin`\n").await;
    assert_ne!(run_small.ended, RunEnd::Exit(0));
    assert!(
        fs::metadata(folder.path().join("big.bin"))
            .expect("it was begun")
            .len()
            <= 1000
    );
    let mut quick = Confinement::default();
    quick.cpu_s = 1;
    let run = run(quick, &folder, "!`while :; do :; done`\n").await;
    assert!(matches!(run.ended, RunEnd::Signal(_)), "{run:?}");
}

#[tokio::test]
async fn a_confined_command_cannot_signal_its_helper() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let body = "!`kill -9 $PPID && echo killed`\n";
    let run = run(Confinement::default(), &folder, body).await;
    let keeps_signals = matches!(&run.sandbox, Sandbox::Active)
        || matches!(&run.sandbox, Sandbox::Partial(missing) if !missing.contains(&MissingRule::Signals));
    assert!(
        !keeps_signals || (run.stdout.text(), run.cleanup) == ("", CleanupScope::All),
        "{run:?}"
    );
}

#[tokio::test]
async fn a_confined_hidden_process_ends() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let body = "!`setsid env -i /bin/sh -c 'echo $$ > away; exec sleep 100000' & while ! test -s away; do :; done; echo done`\n";
    let run = run(writing(folder.path()), &folder, body).await;
    assert_eq!(
        (run.ended, run.stdout.text(), run.cleanup),
        (RunEnd::Exit(0), "done\n", CleanupScope::All)
    );
    let away = fs::read_to_string(folder.path().join("away")).expect("it was started");
    assert!(
        !fs::exists(format!("/proc/{}", away.trim())).expect("it can be looked for"),
        "{away}"
    );
}

/// Runs in the confined command of the next test.
#[test]
#[ignore = "it is started by another test, in a sandbox"]
fn sockets() {
    let folder = std::env::temp_dir();
    let (mut one, mut other) =
        UnixStream::pair().expect("a connected pair is for a program and what it starts");
    one.write_all(b"x").expect("it is connected");
    let mut heard = [0];
    other.read_exact(&mut heard).expect("it is connected");
    let denied = |what: &str, error: Option<std::io::Error>| {
        assert_eq!(
            error.map(|error| error.kind()),
            Some(ErrorKind::PermissionDenied),
            "{what}"
        );
    };
    denied("datagrams", UnixDatagram::pair().err());
    denied("an unbound one", UnixDatagram::unbound().err());
    denied(
        "a connection",
        UnixStream::connect(folder.join("socket")).err(),
    );
    denied("a listener", UnixListener::bind(folder.join("other")).err());
}

#[tokio::test]
async fn only_stream_socket_pairs_are_allowed() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let _listener =
        UnixListener::bind(folder.path().join("socket")).expect("it can be made out here");
    let tests = std::env::current_exe().expect("a test is a file");
    let mut confinement = writing(folder.path());
    confinement
        .read
        .push(tests.parent().expect("it is in a folder").to_owned());
    let (tests, folder_name) = (tests.display(), folder.path().display());
    let body = format!("!`TMPDIR='{folder_name}' '{tests}' --exact sandbox::sockets --ignored`\n");
    let run = run(confinement, &folder, &body).await;
    let says_so = match &run.sandbox {
        Sandbox::Partial(missing) => missing.contains(&MissingRule::Sockets),
        sandbox => *sandbox == Sandbox::Unavailable,
    };
    assert!(says_so || run.ended == RunEnd::Exit(0), "{run:?}");
    assert!(run.stdout.text().contains("running 1 test"), "{run:?}");
}

/// Runs a command that must fail in a sandbox whose rules on files are kept, and leave `file` as it was.
async fn leaves_alone(helper: &[&str], file: &Path, folder: &TempDir, command: &str) {
    use std::os::unix::fs::MetadataExt;

    let state = || {
        let metadata = fs::metadata(file).expect("it is there");
        let owner = (metadata.uid(), metadata.gid(), metadata.mode());
        (
            owner,
            metadata.modified().expect("it has one"),
            rustix::fs::getxattr(file, "user.x", &mut [0; 8]).is_ok(),
        )
    };
    let before = state();
    let confinement = writing(folder.path());
    let outcome = outcome_with(helper, confinement, folder, &format!("!`{command}`\n")).await;
    let DirectiveOutcome::Ran(run) = outcome else {
        panic!("it runs: {outcome:?}")
    };
    assert!(
        lacks(&run.sandbox, MissingRule::Files) || run.ended != RunEnd::Exit(0),
        "{command}: {run:?}"
    );
    assert_eq!(state(), before, "{command}");
}

/// Ways to change of a file what it does not hold, by the programs that people know and by system calls without one. Each with
/// `FILE` for the file.
const CHANGES: [&str; 12] = [
    "chmod 666 FILE",
    "chmod 4755 FILE",
    "chown 1:1 FILE",
    "chown -h 1 FILE",
    "touch -c -d 2001-01-01 FILE",
    "perl -e 'exit !utime(1, 1, qq(FILE))'",
    "perl -e 'open(F, q(<), qq(FILE)); exit !chmod(0777, F)'",
    "perl -e 'open(F, q(<), qq(FILE)); exit !chown(1, 1, F)'",
    "python3 -c \"import os; os.setxattr('FILE', 'user.x', b'x')\"",
    "python3 -c \"import os; os.removexattr('FILE', 'user.y')\"",
    "chattr +d FILE",
    "setfacl -m u:1:rwx FILE",
];

#[tokio::test]
async fn modes_owners_times_and_attributes_stay() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("file");
    fs::write(&file, "x").expect("it can be written");
    // Not on every file system.
    let _ = rustix::fs::setxattr(&file, "user.y", b"y", rustix::fs::XattrFlags::empty());
    let every = async |helper: &[&str]| {
        for change in CHANGES {
            leaves_alone(
                helper,
                &file,
                &folder,
                &change.replace("FILE", &file.display().to_string()),
            )
            .await;
        }
        leaves_alone(
            helper,
            folder.path(),
            &folder,
            &format!("chmod 777 {}", folder.path().display()),
        )
        .await;
    };
    every(&[HELPER]).await;
    if rustix::process::geteuid().is_root() {
        // The same as a user of few rights, whose own the files are.
        let place = tempfile::tempdir().expect("a temporary folder");
        fs::set_permissions(place.path(), PermissionsExt::from_mode(0o755)).expect("it is there");
        let helper = place.path().join("helper");
        fs::copy(HELPER, &helper).expect("it was built");
        for own in [folder.path(), &file] {
            std::os::unix::fs::chown(own, Some(65_534), Some(65_534)).expect("root may");
        }
        let helper = helper.to_str().expect("a text");
        // A helper starts itself again, as the user that it is by then.
        let become_user = "test $UID = 0 || exec \"$0\" \"$@\"; \
                           exec setpriv --reuid=65534 --regid=65534 --clear-groups \"$0\" \"$@\"";
        let shell = [
            "/bin/bash",
            "--noprofile",
            "--norc",
            "-c",
            become_user,
            helper,
        ];
        every(&shell).await;
    }
}

/// System calls by their numbers on this machine, with arguments that would do something.
#[cfg(target_arch = "x86_64")]
const CALLS: [(&str, &str); 29] = [
    ("chmod", "90, $f, 0777"),
    ("fchmod", "91, $d, 0777"),
    ("chown", "92, $f, 1, 1"),
    ("fchown", "93, $d, 1, 1"),
    ("lchown", "94, $f, 1, 1"),
    ("utime", "132, $f, 0"),
    ("setxattr", "188, $f, $x, $x, 1, 0"),
    ("lsetxattr", "189, $f, $x, $x, 1, 0"),
    ("fsetxattr", "190, $d, $x, $x, 1, 0"),
    ("removexattr", "197, $f, $x"),
    ("utimes", "235, $f, 0"),
    ("add_key", "248, $u, $x, $x, 1, -3"),
    ("request_key", "249, $u, $x, 0, -3"),
    ("keyctl", "250, 0, -3, 0"),
    ("fchownat", "260, -100, $f, 1, 1, 0"),
    ("futimesat", "261, -100, $f, 0"),
    ("fchmodat", "268, -100, $f, 0777"),
    ("utimensat", "280, -100, $f, 0, 0"),
    ("fchmodat2", "452, -100, $f, 0777, 0"),
    ("shmget", "29, 0, 4096, 01600"),
    ("semget", "64, 0, 1, 01600"),
    ("msgget", "68, 0, 01600"),
    ("socket", "41, 1, 1, 0"),
    ("perf_event_open", "298, $x, 0, -1, -1, 0"),
    ("bpf", "321, 0, $x, 8"),
    ("userfaultfd", "323, 1"),
    ("io_uring_setup", "425, 1, $x"),
    ("prlimit64", "302, getppid(), 0, 0, $x"),
    ("setpriority", "141, 0, getppid(), 19"),
];

#[cfg(target_arch = "x86_64")]
#[tokio::test]
async fn system_calls_are_refused_by_both_conventions() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("file");
    fs::write(&file, "x").expect("it can be written");
    let program = |call: &str| {
        let file = file.display();
        format!(
            "perl -e 'my ($f, $x, $u) = (qq({file}), qq(user.x), qq(user)); open(D, q(<), $f) or exit 2; my $d = fileno(D); \
             exit(syscall({call}) == -1 && $! == 1 ? 7 : 0)'"
        )
    };
    let x32 = CALLS.map(|(name, call)| (name, format!("0x40000000|{call}")));
    let calls = CALLS.map(|(name, call)| (name, call.to_owned()));
    for (name, call) in calls.into_iter().chain(x32) {
        let run = run(
            Confinement::default(),
            &folder,
            &format!("!`{}`\n", program(&call)),
        )
        .await;
        assert!(
            lacks(&run.sandbox, MissingRule::Files) || run.ended == RunEnd::Exit(7),
            "{name}, {call}: {run:?}"
        );
    }
}

/// The further attempts of a confined command: other processes, paths and roots.
const TRIED: [&str; 19] = [
    "ln -s /etc/passwd link && cat link",
    "ln /etc/passwd other",
    "cat /proc/$PPID/environ",
    "cat /proc/self/mem",
    "ls /proc/1/root",
    "ls /",
    "cat < /dev/tcp/127.0.0.1/1",
    "mknod device c 1 3",
    "mkfifo /tmp/repertoire-pipe",
    "kill -0 1",
    "perl -e 'exit(syscall(101, 16, getppid(), 0, 0) == -1)'",
    "perl -e 'my $p = syscall(434, getppid(), 0); exit($p == -1 || syscall(438, $p, 0, 0) == -1)'",
    "perl -e 'my ($h, $r) = (pack(q(IIQQ), 16, 1, 0, 0), q(/)); exit(syscall(304, -100, $h, 0) == -1)'",
    "perl -e 'my ($n, $t, $o) = (q(none), q(/tmp), q(tmpfs)); exit(syscall(165, $n, $t, $o, 0, 0) == -1)'",
    "perl -e 'my $t = q(/); exit(syscall(161, $t) == -1)'",
    "perl -e 'exit(syscall(272, 0x20000) == -1)'",
    "perl -e 'my $n = q(repertoire); exit(syscall(240, $n, 0102, 0600, 0) == -1)'",
    "perl -e 'my $n = q(evil); exit(syscall(170, $n, 4) == -1)'",
    "nsenter -t 1 -m true",
];

#[cfg(target_arch = "x86_64")]
#[tokio::test]
async fn other_processes_and_places_are_out_of_reach() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for command in TRIED {
        let outcome = run(writing(folder.path()), &folder, &format!("!`{command}`\n")).await;
        assert!(
            outcome.sandbox != Sandbox::Active || outcome.ended != RunEnd::Exit(0),
            "{command}: {outcome:?}"
        );
    }
}

/// Another convention has other numbers, which the filter does not know.
#[cfg(target_arch = "x86_64")]
#[tokio::test]
async fn a_32_bit_program_is_killed() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("file");
    fs::write(&file, "x").expect("it can be written");
    // `chmod("file", 0777)` and `exit(0)`, by interrupt 0x80, in the smallest program there is.
    let code: &[u8] = &[
        0xb8, 15, 0, 0, 0, // chmod
        0xbb, 0x79, 0x80, 0x04, 0x08, // its name
        0xb9, 0xff, 1, 0, 0, // its mode
        0xcd, 0x80, //
        0xb8, 1, 0, 0, 0, // exit
        0x31, 0xdb, //
        0xcd, 0x80, //
        b'f', b'i', b'l', b'e', 0,
    ];
    let mut program = b"\x7fELF\x01\x01\x01\0\0\0\0\0\0\0\0\0".to_vec();
    for half in [2_u16, 3] {
        program.extend(half.to_le_bytes());
    }
    let (base, headers) = (0x0804_8000_u32, 52 + 32_u32);
    let size = headers + u32::try_from(code.len()).expect("it is small");
    for word in [1, base + headers, 52, 0, 0] {
        program.extend(word.to_le_bytes());
    }
    for half in [52_u16, 32, 1, 0, 0, 0] {
        program.extend(half.to_le_bytes());
    }
    for word in [1, 0, base, base, size, size, 5, 0x1000] {
        program.extend(word.to_le_bytes());
    }
    program.extend(code);
    let path = folder.path().join("small");
    fs::write(&path, program).expect("it can be written");
    fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).expect("it is there");
    let mode = || {
        fs::metadata(&file)
            .expect("it is there")
            .permissions()
            .mode()
            & 0o777
    };
    let before = mode();
    let run = run(Confinement::default(), &folder, "!`./small`\n").await;
    assert!(
        lacks(&run.sandbox, MissingRule::Files)
            || (run.ended != RunEnd::Exit(0) && mode() == before),
        "{run:?}"
    );
}

/// A process limits itself, and has descriptors that it opened.
#[tokio::test]
async fn a_process_may_still_limit_itself() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let body = "!`ulimit -n 20 && nice -n 1 true && exec 9< /dev/null && echo fine`\n";
    assert_eq!(
        run(Confinement::default(), &folder, body)
            .await
            .stdout
            .text(),
        "fine\n"
    );
}

#[tokio::test]
async fn no_capability_is_left() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let body = "!`perl -e 'print 0'; grep Cap /proc/self/status`\n";
    let mut confinement = Confinement::default();
    confinement.read.push("/proc".into());
    let run = run(confinement, &folder, body).await;
    let sets: Vec<_> = run
        .stdout
        .text()
        .lines()
        .filter_map(|line| line.split_once(":\t"))
        .collect();
    let others: Vec<_> = sets
        .iter()
        .filter(|(_, set)| set.bytes().any(|digit| digit != b'0'))
        .collect();
    let is_root = rustix::process::geteuid().is_root();
    assert!(
        sets.len() == 5 && others.iter().all(|(name, _)| !is_root && *name == "CapBnd"),
        "{sets:?}"
    );
}

/// Covers inheritable file descriptors of the host.
#[tokio::test]
async fn open_files_of_the_host_stay_outside() {
    let (folder, outside) = (
        tempfile::tempdir().expect("a folder"),
        tempfile::tempdir().expect("a folder"),
    );
    let (out, secret) = (outside.path().join("out"), outside.path().join("secret"));
    fs::write(&secret, "secret").expect("it can be written");
    let opened = format!(
        "exec 7>{} 8<{} 19<&8; exec \"$0\" \"$@\"",
        out.display(),
        secret.display()
    );
    let helper = ["/bin/bash", "-c", &opened, HELPER];
    for body in ["!`echo x >&7`\n", "!`cat <&8`\n", "!`cat <&19`\n"] {
        let outcome = outcome_with(&helper, Confinement::default(), &folder, body).await;
        let DirectiveOutcome::Ran(run) = outcome else {
            panic!("it runs: {outcome:?}")
        };
        assert_ne!(run.ended, RunEnd::Exit(0), "{body}");
        assert_eq!(run.stdout.text(), "", "{body}");
    }
    assert_eq!(fs::read_to_string(out).expect("it was opened"), "");
}

#[tokio::test]
async fn invalid_helpers_run_no_command() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    // It runs without confining; it cannot read its input; it does not exist.
    for helper in [&["/bin/echo"][..], &[HELPER, "junk"], &["/does/not/exist"]] {
        let outcome = outcome_with(helper, Confinement::default(), &folder, "!`true`\n").await;
        assert!(
            matches!(outcome, DirectiveOutcome::Failed { .. }),
            "{outcome:?}"
        );
    }
}
