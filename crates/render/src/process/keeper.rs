//! The helper that stays: whatever a command starts is its descendant, wherever it goes, and ends with the command.

use std::error::Error;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read, Seek, Stdin, Write};
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
    Pid, PidfdFlags, Resource, Rlimit, Signal, WaitOptions, getpid, kill_process, kill_process_group, pidfd_open,
    set_child_subreaper, setrlimit, wait,
};
use signal_hook::consts::SIGTERM;

use super::sweep;
use super::told::{ASK, Told};

/// How long it goes on ending processes that go on starting others, or that it has no right to end.
pub(crate) const LONGEST: Duration = Duration::from_secs(3);

/// How often it reaps orphans while the command runs.
const REAP: Timespec = Timespec { tv_sec: 1, tv_nsec: 0 };

/// How often it looks for the end of the command where the kernel does not tell it.
const LOOK: Timespec = Timespec { tv_sec: 0, tv_nsec: 5_000_000 };

/// Runs the command of `arguments`, which come behind a mark and the length of its input, and ends what it left. Its standard
/// input is a line to the host: the input comes there, then what [`Told`] goes back for.
pub(super) fn keep(arguments: &mut dyn Iterator<Item = OsString>) -> Result<(), Box<dyn Error>> {
    let mut next = || arguments.next().ok_or("expected a mark, a length and a command");
    let (mark, length, program) = (next()?, next()?, next()?);
    let host = io::stdin();
    let stdin = match length.to_str().and_then(|length| length.parse().ok()) {
        Some(length) => input(&host, length)?,
        None => Stdio::null(),
    };
    // From now on who loses its parent becomes a child of this process.
    set_child_subreaper(Some(getpid()))?;
    let mut command = Command::new(program);
    command.args(arguments).env(sweep::NAME, mark).stdin(stdin).process_group(0);
    tell(&host, &Told::Begins)?;
    let mut children = match command.spawn() {
        Ok(child) => Children { command: Pid::from_child(&child), status: None },
        Err(error) => return Ok(tell(&host, &Told::NotBegun(error.to_string()))?),
    };
    tell(&host, &Told::Begun(children.command.as_raw_pid()))?;
    children.watch(&host);
    let left = !children.sweep();
    // Whom nothing ends for so long was killed all the same.
    let status = children.status.unwrap_or(Signal::KILL.as_raw());
    Ok(tell(&host, &Told::Ended { status, left })?)
}

/// Runs the program of `arguments`, which come behind a limit of memory, until it ends, the other end of standard input is
/// closed, or this process is asked to end; and ends what it left. Then ends as the program did.
pub(super) fn hold(arguments: &mut dyn Iterator<Item = OsString>) -> Result<ExitCode, Box<dyn Error>> {
    let mut next = || arguments.next().ok_or("expected bytes of memory or `-`, and a program");
    let (memory, program) = (next()?, next()?);
    let (asked, ask) = UnixStream::pair()?;
    signal_hook::low_level::pipe::register(SIGTERM, ask)?;
    set_child_subreaper(Some(getpid()))?;
    let limit = |resource, most| setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) });
    // This process may come to end as the program did, and has no memory worth to be kept.
    limit(Resource::Core, 0)?;
    if let Some(most) = memory.to_str().and_then(|memory| memory.parse().ok()) {
        // Its own too, so that the program never runs without.
        limit(Resource::As, most)?;
    }
    let program_name = program.to_string_lossy().into_owned();
    let spawned = Command::new(program).args(arguments).process_group(0).spawn();
    let child = spawned.map_err(|error| format!("`{program_name}` cannot be started: {error}"))?;
    let mut children = Children { command: Pid::from_child(&child), status: None };
    // Input that waits is the program's. What is waited for is that there will be no more.
    children.next(&[(io::stdin().as_fd(), PollFlags::empty()), (asked.as_fd(), PollFlags::IN)]);
    children.sweep();
    let status = ExitStatus::from_raw(children.status.unwrap_or(Signal::KILL.as_raw()));
    if let Some(signal) = status.signal() {
        signal_hook::low_level::emulate_default_handler(signal)?;
    }
    Ok(ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX)))
}

/// As a file of its own, so that nobody has to wait until it is read.
fn input(host: &Stdin, length: u64) -> io::Result<Stdio> {
    let mut file = File::from(memfd_create("input", MemfdFlags::CLOEXEC)?);
    if io::copy(&mut Line(host).take(length), &mut file)? < length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    file.rewind()?;
    Ok(Stdio::from(file))
}

fn tell(host: &Stdin, told: &Told) -> io::Result<()> {
    let mut line = serde_json::to_vec(told).map_err(io::Error::other)?;
    line.push(b'\n');
    Line(host).write_all(&line)
}

/// The line to the host: standard input, without the buffer.
struct Line<'a>(&'a Stdin);

impl Read for Line<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        Ok(rustix::io::read(self.0, bytes)?)
    }
}

impl Write for Line<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(rustix::io::write(self.0, bytes)?)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The command, and whoever lost its parent.
struct Children {
    command: Pid,
    /// Of the command, once it has ended.
    status: Option<i32>,
}

impl Children {
    /// Returns when the command has ended, or the host wants it or is gone.
    fn watch(&mut self, host: &Stdin) {
        while self.next(&[(host.as_fd(), PollFlags::IN)]).is_some() {
            let mut said = [0];
            match Line(host).read(&mut said) {
                Ok(1) if said == [ASK] => self.signal(Signal::TERM),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                _ => return,
            }
        }
    }

    /// Waits until there is something about one of `watched`, and returns its number; nothing, when the command has ended.
    fn next(&mut self, watched: &[(BorrowedFd<'_>, PollFlags)]) -> Option<usize> {
        let process: Option<OwnedFd> = pidfd_open(self.command, PidfdFlags::empty()).ok();
        let pause = if process.is_some() { REAP } else { LOOK };
        loop {
            let mut waiting: Vec<_> =
                watched.iter().map(|(watched, flags)| PollFd::from_borrowed_fd(*watched, *flags)).collect();
            waiting.extend(process.as_ref().map(|process| PollFd::new(process, PollFlags::IN)));
            let found = poll(&mut waiting, Some(&pause));
            self.reap();
            if self.status.is_some() || found.is_err_and(|error| error != Errno::INTR) {
                return None;
            }
            let news = waiting[..watched.len()].iter().position(|watched| !watched.revents().is_empty());
            if news.is_some() {
                return news;
            }
        }
    }

    /// Ends everybody. Whether nobody is left.
    fn sweep(&mut self) -> bool {
        let begun = Instant::now();
        self.signal(Signal::KILL);
        let mut known = Vec::new();
        // Who is ended leaves its own children here, so it takes as many rounds as there are generations.
        while self.reap() {
            if begun.elapsed() > LONGEST {
                return false;
            }
            let found = orphans();
            for child in &found {
                // Nobody but this thread reaps it, so the number is still its own.
                let _ = kill_process(*child, Signal::KILL);
            }
            if found == known {
                thread::sleep(Duration::from_millis(1));
            }
            known = found;
        }
        true
    }

    /// Reaps who ended. Whether there are others.
    fn reap(&mut self) -> bool {
        loop {
            match wait(WaitOptions::NOHANG) {
                Ok(Some((child, status))) if child == self.command => self.status = Some(status.as_raw()),
                Ok(Some(_)) | Err(Errno::INTR) => {}
                Ok(None) => return true,
                Err(_) => return false,
            }
        }
    }

    fn signal(&self, signal: Signal) {
        // That there is nobody left to signal is fine.
        let _ = kill_process_group(self.command, signal);
    }
}

/// The children of this process, which has one thread. Where the kernel does not list them there are none, and so nobody is
/// ended whom the signal to the group did not reach.
fn orphans() -> Vec<Pid> {
    let list = fs::read_to_string("/proc/thread-self/children").unwrap_or_default();
    list.split_ascii_whitespace().filter_map(|number| Pid::from_raw(number.parse().ok()?)).collect()
}
