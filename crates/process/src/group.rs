//! A process group, and the processes that left it.

use std::ffi::OsString;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

#[cfg(unix)]
use parking_lot::Mutex;
#[cfg(unix)]
use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use crate::CleanupScope;

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

/// An environment variable that every process of one run inherits, in whatever group or session it is.
#[derive(Debug, Clone)]
pub(crate) struct RunMark(String);

impl RunMark {
    pub(crate) const NAME: &str = "REPERTOIRE_RUN";

    /// Creates a mark that no other run has: of this process, of this machine, or of an earlier process with the same id.
    pub(crate) fn unique() -> RunMark {
        static RUNS: AtomicU64 = AtomicU64::new(0);
        let now = SystemTime::now()
            .duration_since(SystemTime::UNIX_EPOCH)
            .unwrap_or_default()
            .as_nanos();
        RunMark(format!(
            "{}-{now}-{}",
            std::process::id(),
            RUNS.fetch_add(1, Ordering::Relaxed)
        ))
    }

    pub(crate) fn variable(&self) -> (OsString, OsString) {
        (RunMark::NAME.into(), self.0.clone().into())
    }

    /// Kills every process with the mark in its environment, on Linux.
    pub(crate) fn kill_bearers(&self) {
        // A process that is found may start another one before it ends.
        #[cfg(target_os = "linux")]
        for _ in 0..16 {
            let found = self.bearers();
            if found.is_empty() {
                return;
            }
            for process in found {
                let _ = rustix::process::pidfd_send_signal(&process, Signal::KILL);
            }
        }
    }

    #[cfg(target_os = "linux")]
    fn bearers(&self) -> Vec<std::os::fd::OwnedFd> {
        use rustix::process::{PidfdFlags, pidfd_open};

        let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        let ids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
        ids.filter(|id| self.is_borne_by(*id))
            .filter_map(|id| {
                let process =
                    pidfd_open(Pid::from_raw(id.cast_signed())?, PidfdFlags::empty()).ok()?;
                // The number may be another process's by now; what is open is not.
                self.is_borne_by(id).then_some(process)
            })
            .collect()
    }

    #[cfg(target_os = "linux")]
    fn is_borne_by(&self, id: u32) -> bool {
        let variable = format!("{}={}", RunMark::NAME, self.0);
        // Empty for a process that ended and waits to be reaped.
        let environment = std::fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
        environment
            .split(|byte| *byte == 0)
            .any(|entry| entry == variable.as_bytes())
    }
}
