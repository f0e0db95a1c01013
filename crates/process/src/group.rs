//! A process group, and the processes that left it.

use std::ffi::OsString;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime};

#[cfg(unix)]
use parking_lot::Mutex;
#[cfg(unix)]
use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use crate::CleanupScope;

/// The most scans for processes with a mark.
#[cfg(target_os = "linux")]
const SCANS: usize = 64;

/// The wait for the end of an `execve`.
#[cfg(target_os = "linux")]
const EXEC_WAIT: Duration = Duration::from_millis(2);

/// A process group that is killed on drop. If a supervisor leads it, the supervisor gets `TERM` instead.
#[derive(Debug)]
pub struct ProcessGroup {
    /// `None` once it was killed: the number may belong to another process after that.
    #[cfg(unix)]
    leader: Mutex<Option<Pid>>,
    is_supervised: bool,
    mark: Option<RunMark>,
}

impl ProcessGroup {
    /// The scope of a group with a [mark](ProcessGroup::marked).
    pub(crate) const SCOPE: CleanupScope = if cfg!(target_os = "linux") {
        CleanupScope::Marked
    } else if cfg!(unix) {
        CleanupScope::Group
    } else {
        CleanupScope::Process
    };

    /// Creates the group of which the process `leader` is the leader.
    pub fn new(leader: u32) -> ProcessGroup {
        #[cfg(not(unix))]
        let _ = leader;
        ProcessGroup {
            #[cfg(unix)]
            leader: Mutex::new(Pid::from_raw(leader.cast_signed())),
            is_supervised: false,
            mark: None,
        }
    }

    /// Returns the same group, whose leader ends all others on the signal `TERM`, if `supervisor` is not empty.
    #[must_use]
    pub fn supervised_by(mut self, supervisor: &[OsString]) -> ProcessGroup {
        self.is_supervised = !supervisor.is_empty();
        self
    }

    /// Returns the same group, which also ends processes that left it and still have `mark` in their environment.
    pub(crate) fn marked(mut self, mark: RunMark) -> ProcessGroup {
        self.mark = Some(mark);
        self
    }

    pub(crate) fn terminate(&self) {
        #[cfg(unix)]
        if let Some(leader) = *self.leader.lock() {
            let _ = kill_process_group(leader, Signal::TERM);
        }
    }

    /// Kills every process of the group, once; a supervisor gets `TERM`. Call it before the leader is waited for.
    pub fn kill(&self) {
        #[cfg(unix)]
        if let Some(leader) = self.leader.lock().take() {
            // A group without processes is the goal, so an error needs no handling.
            let _ = match self.is_supervised {
                true => kill_process(leader, Signal::TERM),
                false => kill_process_group(leader, Signal::KILL),
            };
        }
    }

    /// Forgets the leader, which was waited for: its number may belong to a different process now.
    pub fn release(&self) {
        #[cfg(unix)]
        self.leader.lock().take();
    }

    /// Limits the address space of the leader to `bytes`, on Linux.
    ///
    /// # Errors
    /// Returns the error of the system.
    pub fn limit_memory(&self, bytes: u64) -> std::io::Result<()> {
        #[cfg(target_os = "linux")]
        if let Some(leader) = *self.leader.lock() {
            use rustix::process::{Resource, Rlimit, prlimit};

            prlimit(
                Some(leader),
                Resource::As,
                Rlimit {
                    current: Some(bytes),
                    maximum: Some(bytes),
                },
            )?;
        }
        #[cfg(not(target_os = "linux"))]
        let _ = bytes;
        Ok(())
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        self.kill();
        if let Some(mark) = &self.mark {
            mark.kill_bearers();
        }
    }
}

/// Kills every process that has all these variables, with these values, in its environment, except this one. Linux only.
///
/// Before, it waits up to `patience` until they end by themselves: a supervisor among them ends processes that are not
/// found, because they cleared their environment.
pub fn kill_marked(variables: &[(OsString, OsString)], patience: Duration) {
    let mark = RunMark(variables.to_vec());
    #[cfg(target_os = "linux")]
    {
        let begin = Instant::now();
        while begin.elapsed() < patience && !mark.bearers().is_empty() {
            std::thread::sleep(Duration::from_millis(2));
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = patience;
    mark.kill_bearers();
}

/// The environment variables that every process of one run inherits, in whatever group or session it is.
#[derive(Debug, Clone)]
pub(crate) struct RunMark(Vec<(OsString, OsString)>);

impl RunMark {
    pub(crate) const NAME: &str = "REPERTOIRE_RUN";

    /// Creates a mark that no other run has: of this process, of this machine, or of an earlier process with the same id.
    pub(crate) fn unique() -> RunMark {
        static RUNS: AtomicU64 = AtomicU64::new(0);
        let now = SystemTime::now()
            .duration_since(SystemTime::UNIX_EPOCH)
            .unwrap_or_default()
            .as_nanos();
        let number = RUNS.fetch_add(1, Ordering::Relaxed);
        let value = format!("{}-{now}-{number}", std::process::id());
        RunMark(vec![(RunMark::NAME.into(), value.into())])
    }

    pub(crate) fn variables(&self) -> impl Iterator<Item = (OsString, OsString)> {
        self.0.iter().cloned()
    }

    /// Kills every process with the mark in its environment, on Linux.
    pub(crate) fn kill_bearers(&self) {
        #[cfg(target_os = "linux")]
        for _ in 0..SCANS {
            let found = self.bearers();
            // A process that is found may start another one before it ends.
            if found.is_empty() {
                return;
            }
            if found.iter().all(Option::is_none) {
                std::thread::sleep(EXEC_WAIT);
            }
            for process in found.into_iter().flatten() {
                let _ = rustix::process::pidfd_send_signal(&process, Signal::KILL);
            }
        }
    }

    /// Returns the processes with the mark, and `None` for each process whose environment is not known yet.
    #[cfg(target_os = "linux")]
    fn bearers(&self) -> Vec<Option<std::os::fd::OwnedFd>> {
        use rustix::process::{PidfdFlags, pidfd_open};

        let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        let ids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
        let ids = ids.filter(|id| *id != std::process::id());
        ids.filter_map(|id| match self.is_borne_by(id) {
            Some(false) => None,
            None => Some(None),
            Some(true) => {
                let pid = Pid::from_raw(id.cast_signed())?;
                let process = pidfd_open(pid, PidfdFlags::empty()).ok()?;
                // The number may belong to a different process by now; the descriptor does not.
                match self.is_borne_by(id) {
                    Some(false) => None,
                    None => Some(None),
                    Some(true) => Some(Some(process)),
                }
            }
        })
        .collect()
    }

    /// Returns whether the process has the mark, or `None` if its environment is not known yet.
    #[cfg(target_os = "linux")]
    fn is_borne_by(&self, id: u32) -> Option<bool> {
        use std::os::unix::ffi::OsStrExt;

        // The environment of other users is refused, and their processes have no mark of this one.
        let Ok(environment) = std::fs::read(format!("/proc/{id}/environ")) else {
            return Some(false);
        };
        let has = |(name, value): &(OsString, OsString)| {
            let mut entries = environment.split(|byte| *byte == 0);
            entries.any(|entry| {
                let value_of = entry.strip_prefix(name.as_bytes());
                value_of.and_then(|rest| rest.strip_prefix(b"=")) == Some(value.as_bytes())
            })
        };
        // Without a variable, every process of the machine would match.
        let is_borne = !self.0.is_empty() && self.0.iter().all(has);
        match is_borne || is_whole_environment(id, environment.len()) {
            true => Some(is_borne),
            false => None,
        }
    }
}

/// Returns whether `length` bytes are the whole environment of a process, or it has none because it ended.
///
/// Between two programs, in `execve`, the environment reads as empty; if `execve` begins during the read, as cut off.
/// `proc_pid_stat(5)` numbers the fields: 9 has the flags, 26 the begin of the code, which `execve` sets after the bounds of
/// the environment in 50 and 51.
#[cfg(target_os = "linux")]
fn is_whole_environment(id: u32, length: usize) -> bool {
    const KERNEL_THREAD: u64 = 0x0020_0000;
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    // The second field is the name of the program, which may contain spaces and brackets.
    let (_, fields) = stat.rsplit_once(") ").unwrap_or_default();
    let fields: Vec<&str> = fields.split_ascii_whitespace().collect();
    if matches!(fields.first(), None | Some(&("Z" | "X"))) {
        return true;
    }
    let number = |field: usize| {
        fields
            .get(field - 3)
            .and_then(|text| text.parse::<u64>().ok())
    };
    match [9, 26, 50, 51].map(number) {
        [Some(flags), ..] if flags & KERNEL_THREAD != 0 => true,
        [_, Some(code), Some(begin), Some(end)] if code != 0 => {
            end.checked_sub(begin) == Some(length as u64)
        }
        _ => false,
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests;
