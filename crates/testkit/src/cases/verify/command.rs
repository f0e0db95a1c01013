//! The command line, and what a scan by it costs.

use std::time::Duration;

use crate::cases::check::{CommandLine, CommandWant};
use crate::cases::process::{Ended, Peak};
use crate::cases::verdict::Verdict;
use crate::cases::world::World;

/// What is reported where a check needs the binary and there is none.
pub(super) const NOT_BUILT: &str = "the binary, which is not built";

/// A machine may be busy: a run that was slow is given two more chances to show that it can be quick.
const ATTEMPTS: usize = 3;

pub(super) fn command(line: &CommandLine, world: &World) -> Verdict {
    let limit = line.wants.iter().find_map(|want| match want {
        CommandWant::Within(limit) => Some(*limit),
        _ => None,
    });
    let attempts = if limit.is_some() { ATTEMPTS } else { 1 };
    let attempt = || match world.command(&line.arguments, line.reader, limit) {
        None => Verdict::missing(NOT_BUILT),
        Some(Err(error)) => Verdict::fails("a run", error),
        Some(Ok(ended)) => {
            no_panic(&ended, world);
            Verdict::all(line.wants.iter().map(|want| wanted(want, &ended)))
        }
    };
    Verdict::any((0..attempts).map(|_| attempt()))
}

fn wanted(want: &CommandWant, ended: &Ended) -> Verdict {
    let stderr = String::from_utf8_lossy(&ended.stderr);
    let told = |expected: &dyn std::fmt::Display, holds: bool| {
        let found = format!("exit {}, {} bytes of stdout, stderr {stderr:?}", ended.code, ended.stdout.len());
        Verdict::of(holds, expected, found)
    };
    match want {
        CommandWant::ExitOneOf(codes) => told(&format_args!("exit {codes:?}"), codes.contains(&ended.code)),
        CommandWant::ExitIsNot(code) => told(&format_args!("any exit but {code}"), ended.code != *code),
        CommandWant::StderrEmpty => told(&"nothing on stderr", ended.stderr.is_empty()),
        CommandWant::Json => match serde_json::from_slice::<serde::de::IgnoredAny>(&ended.stdout) {
            Ok(_) => Verdict::Holds,
            Err(error) => told(&format_args!("one JSON document on stdout ({error})"), false),
        },
        CommandWant::NoByte(byte) => {
            let clean = ![&ended.stdout, &ended.stderr].into_iter().any(|bytes| bytes.contains(byte));
            told(&format_args!("no byte {byte:#04x}"), clean)
        }
        CommandWant::NoCharacter(banned) => {
            let clean = !String::from_utf8_lossy(&ended.stdout).contains(*banned) && !stderr.contains(*banned);
            told(&format_args!("no U+{:04X}", u32::from(*banned)), clean)
        }
        CommandWant::Within(limit) => within(*limit, ended),
    }
}

fn within(limit: Duration, ended: &Ended) -> Verdict {
    Verdict::of(ended.took <= limit, format_args!("at most {limit:?}"), format_args!("{:?}", ended.took))
}

pub(super) fn scan_within(limit: Duration, world: &World) -> Verdict {
    Verdict::any((0..ATTEMPTS).map(|_| scan(world, Some(limit), |ended| within(limit, ended))))
}

pub(super) fn scan_below(limit: u64, world: &World) -> Verdict {
    scan(world, None, |ended| match ended.peak {
        Peak::Of(peak) => {
            Verdict::of(peak < limit, format_args!("less than {limit} bytes"), format_args!("{peak} bytes"))
        }
        Peak::AtMost(peak) if peak < limit => Verdict::Holds,
        Peak::AtMost(_) => Verdict::missing("a runner that itself holds less memory"),
    })
}

/// A full scan by a fresh process.
pub(super) fn scan(world: &World, limit: Option<Duration>, check: impl FnOnce(&Ended) -> Verdict) -> Verdict {
    match world.command(&["list".to_owned()], None, limit) {
        None => Verdict::missing(NOT_BUILT),
        Some(Err(error)) => Verdict::fails("a run", error),
        Some(Ok(ended)) => {
            no_panic(&ended, world);
            check(&ended)
        }
    }
}

/// Keeps a panic of the binary for `never: a panic`.
pub(super) fn no_panic(ended: &Ended, world: &World) {
    let stderr = String::from_utf8_lossy(&ended.stderr);
    if ended.code == 101 || stderr.contains("panicked at") {
        world.panicked(&stderr);
    }
}
