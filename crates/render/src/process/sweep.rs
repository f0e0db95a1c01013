//! Finding processes that left their group.

use std::ffi::OsString;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

/// The variable that all processes of one run inherit, wherever they go.
pub(super) const NAME: &str = "REPERTOIRE_RUN";

/// What tells the processes of one run from all others.
#[derive(Debug, Clone)]
pub(crate) struct Mark(String);

impl Mark {
    /// One that no other run has: of this process, of this machine, or of an earlier process of the same number.
    pub(crate) fn new() -> Mark {
        static RUNS: AtomicU64 = AtomicU64::new(0);
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_nanos();
        Mark(format!("{}-{now}-{}", std::process::id(), RUNS.fetch_add(1, Ordering::Relaxed)))
    }

    /// The variable to set.
    pub(crate) fn variable(&self) -> (OsString, OsString) {
        (NAME.into(), self.0.clone().into())
    }

    /// Ends every process that bears the mark, on Linux. One that took it off its environment is not found.
    #[cfg(target_os = "linux")]
    pub(crate) fn sweep(&self) {
        // One that is found may start another before it ends.
        for _ in 0..16 {
            let found = self.bearers();
            if found.is_empty() {
                return;
            }
            for process in found {
                let _ = rustix::process::pidfd_send_signal(&process, rustix::process::Signal::KILL);
            }
        }
    }

    #[cfg(not(target_os = "linux"))]
    pub(crate) fn sweep(&self) {}

    #[cfg(target_os = "linux")]
    fn bearers(&self) -> Vec<std::os::fd::OwnedFd> {
        use rustix::process::{Pid, PidfdFlags, pidfd_open};
        let variable = format!("{NAME}={}", self.0);
        let bears = |id: u32| {
            // Of a process that ended and waits to be reaped this is empty.
            let environment = std::fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
            environment.split(|byte| *byte == 0).any(|entry| entry == variable.as_bytes())
        };
        let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        let ids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
        ids.filter(|id| bears(*id))
            .filter_map(|id| {
                let process = pidfd_open(Pid::from_raw(id.cast_signed())?, PidfdFlags::empty()).ok()?;
                // The number may be another process's by now; what is open is not.
                bears(id).then_some(process)
            })
            .collect()
    }
}
