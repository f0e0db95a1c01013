//! Runs of the binary.

use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Read};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use repertoire_process::{ProcessGroup, command};
use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
use wait4::Wait4;

use super::check::Head;

/// A command line with its environment and timeout.
#[derive(Debug)]
pub(crate) struct Run<'a> {
    pub(crate) program: &'a Path,
    pub(crate) arguments: Vec<OsString>,
    pub(crate) cwd: &'a Path,
    pub(crate) home: &'a Path,
    /// Reads a part of the output; `None` reads all.
    pub(crate) reader: Option<Head>,
    pub(crate) limit: Duration,
}

/// The result of a run.
#[derive(Debug)]
pub(crate) struct Ended {
    /// The exit code, or 128 plus the signal, as in a shell.
    pub(crate) code: i32,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
    pub(crate) took: Duration,
    pub(crate) peak: Peak,
    pub(crate) had_children: bool,
}

/// The peak memory of a run in bytes. The kernel includes the memory of the runner at the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Peak {
    Of(u64),
    /// At most the peak of the runner.
    AtMost(u64),
}

impl Run<'_> {
    pub(crate) fn run(&self) -> io::Result<Ended> {
        let mut command = command(&[], None, self.program.as_os_str());
        command
            .args(&self.arguments)
            .current_dir(self.cwd)
            .stdin(Stdio::null());
        command.env("HOME", self.home).env("LANG", "C.UTF-8");
        command.envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
        let begun = Instant::now();
        let mut child = command.spawn()?;
        let (leader, group) = (
            Pid::from_child(&child),
            Arc::new(ProcessGroup::new(child.id())),
        );
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        let reader = self.reader;
        let stdout = thread::spawn(move || {
            stdout.map_or_else(|| Ok(Vec::new()), |stdout| read(stdout, reader))
        });
        let stderr = thread::spawn(move || {
            stderr.map_or_else(|| Ok(Vec::new()), |stderr| read(stderr, None))
        });
        let (over, watch) = mpsc::channel::<()>();
        let (limit, watched) = (self.limit, Arc::clone(&group));
        let watch = thread::spawn(move || {
            if watch.recv_timeout(limit) == Err(mpsc::RecvTimeoutError::Timeout) {
                watched.kill();
            }
        });
        // Waits without reaping, so that the kernel still knows about the children it had.
        waitid(
            WaitId::Pid(leader),
            WaitIdOptions::EXITED | WaitIdOptions::NOWAIT,
        )?;
        let took = begun.elapsed();
        let had_children = had_children(leader);
        group.kill();
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
    let own = status.lines().find_map(|line| {
        line.strip_prefix("VmHWM:")?
            .trim()
            .strip_suffix(" kB")?
            .parse()
            .ok()
    });
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

fn code(status: ExitStatus) -> i32 {
    status
        .code()
        .unwrap_or_else(|| 128 + status.signal().unwrap_or_default())
}

/// Returns whether a process that ended and is not reaped yet had children: it waited for one, which the kernel counts by
/// page faults, or one is still in its group.
fn had_children(ended: Pid) -> bool {
    const GROUP: usize = 2;
    const FAULTS_OF_CHILDREN: [usize; 2] = [8, 10];
    let ended = ended.as_raw_pid();
    let own = status(ended).unwrap_or_default();
    let waited = FAULTS_OF_CHILDREN
        .iter()
        .any(|field| own.get(*field).is_some_and(|faults| *faults > 0));
    let mut others = processes()
        .filter(|process| *process != ended)
        .filter_map(status);
    waited || others.any(|other| other.get(GROUP) == Some(&i64::from(ended)))
}

/// The numbers of `/proc/PID/stat` behind the name; the state, which is a letter, counts as 0.
fn status(process: i32) -> Option<Vec<i64>> {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let (_, numbers) = text.rsplit_once(')')?;
    Some(
        numbers
            .split_whitespace()
            .map(|number| number.parse().unwrap_or_default())
            .collect(),
    )
}

fn processes() -> impl Iterator<Item = i32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// Returns whether a process runs whose words, joined by blanks, are `line`.
pub(crate) fn is_running(line: &str) -> bool {
    processes().any(|process| {
        let words = std::fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&words)
            .trim_end_matches('\0')
            .replace('\0', " ")
            == line
    })
}
