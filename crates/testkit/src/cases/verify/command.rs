//! The command line, and the cost of a scan.

use std::io;
use std::time::Duration;

use crate::cases::check::{CommandLine, CommandWant};
use crate::cases::process::{Ended, Peak};
use crate::cases::test_env::TestEnv;
use crate::cases::verdict::Verdict;

pub(super) const NOT_BUILT: &str = "the binary, which is not built";

/// The number of runs for a check with a time limit, because the machine may be busy.
const ATTEMPTS: usize = 3;

pub(super) fn command(line: &CommandLine, env: &TestEnv) -> Verdict {
    let limit = line.wants.iter().find_map(|want| match want {
        CommandWant::Within(limit) => Some(*limit),
        _ => None,
    });
    let attempts = if limit.is_some() { ATTEMPTS } else { 1 };
    Verdict::any((0..attempts).map(|_| {
        with_run(
            env.command(&line.arguments, line.reader, limit),
            env,
            |ended| Verdict::all(line.wants.iter().map(|want| wanted(want, ended))),
        )
    }))
}

/// Checks a run of the binary, and records its panic for `never: a panic`.
pub(super) fn with_run(
    run: Option<io::Result<Ended>>,
    env: &TestEnv,
    check: impl FnOnce(&Ended) -> Verdict,
) -> Verdict {
    match run {
        None => Verdict::missing(NOT_BUILT),
        Some(Err(error)) => Verdict::fails("a run", error),
        Some(Ok(ended)) => {
            let stderr = String::from_utf8_lossy(&ended.stderr);
            if ended.code == 101 || stderr.contains("panicked at") {
                env.panicked(&stderr);
            }
            check(&ended)
        }
    }
}

fn wanted(want: &CommandWant, ended: &Ended) -> Verdict {
    let stderr = String::from_utf8_lossy(&ended.stderr);
    let holds = match want {
        CommandWant::ExitOneOf(codes) => codes.contains(&ended.code),
        CommandWant::ExitIsNot(code) => ended.code != *code,
        CommandWant::StderrEmpty => ended.stderr.is_empty(),
        CommandWant::Json => serde_json::from_slice::<serde::de::IgnoredAny>(&ended.stdout).is_ok(),
        CommandWant::NoByte(byte) => ![&ended.stdout, &ended.stderr]
            .into_iter()
            .any(|bytes| bytes.contains(byte)),
        CommandWant::NoCharacter(banned) => {
            !String::from_utf8_lossy(&ended.stdout).contains(*banned) && !stderr.contains(*banned)
        }
        CommandWant::Within(limit) => return within(*limit, ended),
    };
    let found = format!(
        "exit {}, {} bytes of stdout, stderr {stderr:?}",
        ended.code,
        ended.stdout.len()
    );
    Verdict::of(holds, format_args!("{want:?}"), found)
}

fn within(limit: Duration, ended: &Ended) -> Verdict {
    Verdict::of(
        ended.took <= limit,
        format_args!("at most {limit:?}"),
        format_args!("{:?}", ended.took),
    )
}

pub(super) fn scan_within(limit: Duration, env: &TestEnv) -> Verdict {
    Verdict::any((0..ATTEMPTS).map(|_| scan(env, Some(limit), |ended| within(limit, ended))))
}

pub(super) fn scan_below(limit: u64, env: &TestEnv) -> Verdict {
    scan(env, None, |ended| match ended.peak {
        Peak::Of(peak) => Verdict::of(
            peak < limit,
            format_args!("less than {limit} bytes"),
            format_args!("{peak} bytes"),
        ),
        Peak::AtMost(peak) if peak < limit => Verdict::Holds,
        Peak::AtMost(_) => Verdict::missing("a runner that uses less memory"),
    })
}

/// Checks a full scan by a new process.
pub(super) fn scan(
    env: &TestEnv,
    limit: Option<Duration>,
    check: impl FnOnce(&Ended) -> Verdict,
) -> Verdict {
    with_run(env.command(&["list".to_owned()], None, limit), env, check)
}
