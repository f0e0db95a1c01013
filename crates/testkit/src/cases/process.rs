//! One run of the real binary, from its start to the last of what it left behind.

use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Read};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use wait4::Wait4;

use super::check::Head;

/// A command line, where it runs, and how long it may.
#[derive(Debug)]
pub(crate) struct Run<'a> {
    pub(crate) program: &'a Path,
    pub(crate) arguments: Vec<OsString>,
    pub(crate) cwd: &'a Path,
    pub(crate) home: &'a Path,
    /// Who reads the output; all of it is read if nobody is named.
    pub(crate) reader: Option<Head>,
    /// The run is killed after that.
    pub(crate) limit: Duration,
}

/// How a run ended.
#[derive(Debug)]
pub(crate) struct Ended {
    /// As a shell tells it: 128 and the signal for a run that was killed.
    pub(crate) code: i32,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
    pub(crate) took: Duration,
    /// The most memory it held, in bytes.
    pub(crate) peak: Peak,
    /// Whether it started another process.
    pub(crate) had_children: bool,
}

/// The most memory that a run held, in bytes. The kernel counts in what the runner held when it began it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Peak {
    Of(u64),
    /// More than the runner's own peak it was not.
    AtMost(u64),
}

impl Run<'_> {
    pub(crate) fn run(&self) -> io::Result<Ended> {
        let mut command = Command::new(self.program);
        command.args(&self.arguments).current_dir(self.cwd).process_group(0);
        command.env_clear().env("HOME", self.home).env("LANG", "C.UTF-8");
        command.envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let begun = Instant::now();
        let mut child = command.spawn()?;
        let group = Pid::from_child(&child);
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        let reader = self.reader;
        let stdout = thread::spawn(move || stdout.map_or_else(|| Ok(Vec::new()), |stdout| read(stdout, reader)));
        let stderr = thread::spawn(move || stderr.map_or_else(|| Ok(Vec::new()), |stderr| read(stderr, None)));
        let (over, watch) = mpsc::channel::<()>();
        let limit = self.limit;
        let watch = thread::spawn(move || {
            if watch.recv_timeout(limit) == Err(mpsc::RecvTimeoutError::Timeout) {
                kill(group);
            }
        });
        // Waits without reaping, so that the kernel still knows about the children it had.
        waitid(WaitId::Pid(group), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT)?;
        let took = begun.elapsed();
        let had_children = had_children(group);
        kill(group);
        drop(over);
        let used = child.wait4()?;
        let joined = "threads that read or wait do not panic";
        watch.join().expect(joined);
        Ok(Ended {
            code: code(used.status),
            stdout: stdout.join().expect(joined)?,
            stderr: stderr.join().expect(joined)?,
            took,
            peak: peak(used.rusage.maxrss)?,
            had_children,
        })
    }
}

fn peak(counted: u64) -> io::Result<Peak> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let own = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.parse().ok());
    Ok(match own.map(|kilobytes: u64| kilobytes * 1024) {
        Some(own) if counted <= own => Peak::AtMost(own),
        _ => Peak::Of(counted),
    })
}

fn read(from: impl Read, reader: Option<Head>) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    match reader {
        None => BufReader::new(from).read_to_end(&mut bytes).map(drop)?,
        Some(Head::Bytes(count)) => from.take(count as u64).read_to_end(&mut bytes).map(drop)?,
        Some(Head::Lines(count)) => {
            let mut from = BufReader::new(from);
            for _ in 0..count {
                from.read_until(b'\n', &mut bytes)?;
            }
        }
    }
    Ok(bytes)
}

fn kill(group: Pid) {
    // A group that is gone needs no killing.
    let _ = kill_process_group(group, Signal::KILL);
}

fn code(status: ExitStatus) -> i32 {
    status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or_default())
}

/// Whether a process that ended and is not reaped yet had children: it waited for one, which the kernel counts by
/// page faults, or one is still in its group.
fn had_children(ended: Pid) -> bool {
    const GROUP: usize = 2;
    const FAULTS_OF_CHILDREN: [usize; 2] = [8, 10];
    let ended = ended.as_raw_pid();
    let number = |process: i32, field: usize| status(process).and_then(|status| status.get(field).copied());
    let waited = FAULTS_OF_CHILDREN.iter().any(|field| number(ended, *field).is_some_and(|faults| faults > 0));
    waited || processes().any(|process| process != ended && number(process, GROUP) == Some(i64::from(ended)))
}

/// The numbers of `/proc/PID/stat` behind the name; the state, which is a letter, counts as 0.
fn status(process: i32) -> Option<Vec<i64>> {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let (_, numbers) = text.rsplit_once(')')?;
    Some(numbers.split_whitespace().map(|number| number.parse().unwrap_or_default()).collect())
}

fn processes() -> impl Iterator<Item = i32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// Whether a process runs whose words, joined by blanks, are `line`.
pub(crate) fn is_running(line: &str) -> bool {
    processes().any(|process| {
        let words = std::fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&words).trim_end_matches('\0').replace('\0', " ") == line
    })
}
