//! The supervisor: the subreaper of what it starts, so that every descendant ends with the command.

use std::error::Error;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read, Seek, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, ExitCode, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{MemfdFlags, memfd_create};
use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Resource, Rlimit, Signal, WaitOptions, getpid, kill_process,
    kill_process_group, pidfd_open, set_child_subreaper, setrlimit, wait,
};
use signal_hook::consts::SIGTERM;

use crate::group::RunMark;
use crate::tree::protocol::{SupervisorMessage, TERMINATE};

/// The time after which it gives up on processes that start others faster than they end, or that it may not end.
const KILL_TIMEOUT: Duration = Duration::from_secs(3);

const REAP_INTERVAL: Timespec = Timespec {
    tv_sec: 1,
    tv_nsec: 0,
};

/// The interval where the kernel has no descriptor of the command to wait for.
const POLL_INTERVAL: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 5_000_000,
};

/// Runs one command for a host and ends everything that it started: the task [`RUN`](crate::RUN).
///
/// The arguments are the mark of the run, the length of the input or `none`, and the command. Standard input is a connection
/// to the host: the input arrives there, and messages are sent back.
///
/// # Errors
/// Returns an error if the arguments are incomplete or the host is gone.
pub fn run(arguments: &mut dyn Iterator<Item = OsString>) -> Result<(), Box<dyn Error>> {
    let mut next = || {
        arguments
            .next()
            .ok_or("expected a mark, a length and a command")
    };
    let (mark, length, program) = (next()?, next()?, next()?);
    // Without a buffer, in both directions.
    let host = File::from(io::stdin().as_fd().try_clone_to_owned()?);
    let stdin = match length.to_str().and_then(|length| length.parse().ok()) {
        Some(length) => input(&host, length)?,
        None => Stdio::null(),
    };
    set_child_subreaper(Some(getpid()))?;
    let mut command = Command::new(program);
    command
        .args(arguments)
        .env(RunMark::NAME, mark)
        .stdin(stdin)
        .process_group(0);
    send(&host, &SupervisorMessage::Starting)?;
    let mut children = match command.spawn() {
        Ok(child) => Children {
            command: Pid::from_child(&child),
            status: None,
        },
        Err(error) => {
            return Ok(send(
                &host,
                &SupervisorMessage::NotStarted(error.to_string()),
            )?);
        }
    };
    send(
        &host,
        &SupervisorMessage::Started(children.command.as_raw_pid()),
    )?;
    children.wait_for_end(&host);
    let left = !children.kill_all();
    // A command that could not be ended in time was sent this signal.
    let status = children.status.unwrap_or(Signal::KILL.as_raw());
    Ok(send(&host, &SupervisorMessage::Ended { status, left })?)
}

/// Runs a program and ends everything that it started: the task [`SUPERVISE`](crate::SUPERVISE).
///
/// The arguments are the bytes of address space or `-`, and the program, which inherits the standard streams. The run ends
/// when the program does, when the other end of standard input closes, or on the signal `TERM`. Returns the program's exit
/// code, or ends this process by the same signal.
///
/// # Errors
/// Returns an error if the program cannot be started.
pub fn supervise(
    arguments: &mut dyn Iterator<Item = OsString>,
) -> Result<ExitCode, Box<dyn Error>> {
    let mut next = || {
        arguments
            .next()
            .ok_or("expected bytes of memory or `-`, and a program")
    };
    let (memory, program) = (next()?, next()?);
    let (terminated, signal) = UnixStream::pair()?;
    signal_hook::low_level::pipe::register(SIGTERM, signal)?;
    set_child_subreaper(Some(getpid()))?;
    // This process may end by the signal of the program, and its memory is worth no core file.
    limit(Resource::Core, 0)?;
    if let Some(most) = memory.to_str().and_then(|memory| memory.parse().ok()) {
        // Inherited, so that the program never runs without the limit.
        limit(Resource::As, most)?;
    }
    let spawned = Command::new(&program)
        .args(arguments)
        .process_group(0)
        .spawn();
    let child = spawned
        .map_err(|error| format!("`{}` cannot be started: {error}", program.to_string_lossy()))?;
    let mut children = Children {
        command: Pid::from_child(&child),
        status: None,
    };
    // Waiting input belongs to the program, so standard input is polled for its end alone.
    children.next_event(&[
        (io::stdin().as_fd(), PollFlags::empty()),
        (terminated.as_fd(), PollFlags::IN),
    ]);
    children.kill_all();
    let status = ExitStatus::from_raw(children.status.unwrap_or(Signal::KILL.as_raw()));
    if let Some(signal) = status.signal() {
        signal_hook::low_level::emulate_default_handler(signal)?;
    }
    Ok(ExitCode::from(
        status
            .code()
            .and_then(|code| u8::try_from(code).ok())
            .unwrap_or(u8::MAX),
    ))
}

fn limit(resource: Resource, most: u64) -> rustix::io::Result<()> {
    setrlimit(
        resource,
        Rlimit {
            current: Some(most),
            maximum: Some(most),
        },
    )
}

/// Copies the input to memory, so that the host does not wait until the command reads it.
fn input(host: &File, length: u64) -> io::Result<Stdio> {
    let mut file = File::from(memfd_create("input", MemfdFlags::CLOEXEC)?);
    if io::copy(&mut host.take(length), &mut file)? < length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    file.rewind()?;
    Ok(Stdio::from(file))
}

fn send(mut host: &File, message: &SupervisorMessage) -> io::Result<()> {
    let mut line = serde_json::to_vec(message).map_err(io::Error::other)?;
    line.push(b'\n');
    host.write_all(&line)
}

/// The command, and the orphans that this process inherits as a subreaper.
struct Children {
    command: Pid,
    status: Option<i32>,
}

impl Children {
    /// Returns when the command has ended, or when the host wants it ended or is gone.
    fn wait_for_end(&mut self, mut host: &File) {
        while self.next_event(&[(host.as_fd(), PollFlags::IN)]).is_some() {
            let mut byte = [0];
            match host.read(&mut byte) {
                Ok(1) if byte == [TERMINATE] => self.signal(Signal::TERM),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                _ => return,
            }
        }
    }

    /// Returns the index of the first of `watched` with an event, or `None` when the command has ended.
    fn next_event(&mut self, watched: &[(BorrowedFd<'_>, PollFlags)]) -> Option<usize> {
        let process: Option<OwnedFd> = pidfd_open(self.command, PidfdFlags::empty()).ok();
        let interval = if process.is_some() {
            REAP_INTERVAL
        } else {
            POLL_INTERVAL
        };
        loop {
            let mut polled: Vec<_> = watched
                .iter()
                .map(|(watched, flags)| PollFd::from_borrowed_fd(*watched, *flags))
                .collect();
            polled.extend(
                process
                    .as_ref()
                    .map(|process| PollFd::new(process, PollFlags::IN)),
            );
            let found = poll(&mut polled, Some(&interval));
            self.reap();
            if self.status.is_some() || found.is_err_and(|error| error != Errno::INTR) {
                return None;
            }
            let event = polled[..watched.len()]
                .iter()
                .position(|watched| !watched.revents().is_empty());
            if event.is_some() {
                return event;
            }
        }
    }

    /// Kills all descendants. Returns `false` if some are left after [`KILL_TIMEOUT`].
    fn kill_all(&mut self) -> bool {
        let begin = Instant::now();
        self.signal(Signal::KILL);
        let mut known = Vec::new();
        // The children of a killed process become children of this one, so each generation takes a round.
        while self.reap() {
            if begin.elapsed() > KILL_TIMEOUT {
                return false;
            }
            let found = orphans();
            for child in &found {
                // This thread alone reaps it, so the number is still its own.
                let _ = kill_process(*child, Signal::KILL);
            }
            if found == known {
                thread::sleep(Duration::from_millis(1));
            }
            known = found;
        }
        true
    }

    /// Reaps the children that have ended. Returns whether others are left.
    fn reap(&mut self) -> bool {
        loop {
            match wait(WaitOptions::NOHANG) {
                Ok(Some((child, status))) if child == self.command => {
                    self.status = Some(status.as_raw())
                }
                Ok(Some(_)) | Err(Errno::INTR) => {}
                Ok(None) => return true,
                Err(_) => return false,
            }
        }
    }

    fn signal(&self, signal: Signal) {
        let _ = kill_process_group(self.command, signal);
    }
}

/// Returns the children of this process, which has one thread. Empty where the kernel does not list them: then only the
/// group of the command is ended.
fn orphans() -> Vec<Pid> {
    let list = fs::read_to_string("/proc/thread-self/children").unwrap_or_default();
    list.split_ascii_whitespace()
        .filter_map(|number| Pid::from_raw(number.parse().ok()?))
        .collect()
}
