//! A process and all that it starts.

use tokio::process::Child;

use super::sweep::Mark;
use crate::Sweep;

/// The processes of one run: its group, and who left that and still bears its mark. Dropped, none of them is left.
#[derive(Debug)]
pub(crate) struct Group {
    #[cfg(unix)]
    leader: Option<rustix::process::Pid>,
    mark: Mark,
}

impl Group {
    /// Whom it ends when it is dropped.
    pub(crate) const SWEEP: Sweep = if cfg!(target_os = "linux") {
        Sweep::Marked
    } else if cfg!(unix) {
        Sweep::Group
    } else {
        Sweep::Process
    };

    /// The group that `child`, just started in one of its own, leads.
    pub(crate) fn of(child: &Child, mark: Mark) -> Group {
        #[cfg(unix)]
        let leader = child.id().and_then(|id| rustix::process::Pid::from_raw(id.cast_signed()));
        #[cfg(not(unix))]
        let _ = child;
        Group {
            #[cfg(unix)]
            leader,
            mark,
        }
    }

    /// Asks every process of the group to end.
    pub(crate) fn terminate(&self) {
        #[cfg(unix)]
        self.signal(rustix::process::Signal::TERM);
    }

    /// Makes every process of the group end.
    pub(crate) fn kill(&self) {
        #[cfg(unix)]
        self.signal(rustix::process::Signal::KILL);
    }

    #[cfg(unix)]
    fn signal(&self, signal: rustix::process::Signal) {
        if let Some(leader) = self.leader {
            // That there is nobody left to signal is what is wanted. Once the leader is waited for and all others are gone its
            // number is free; it is signalled in the same breath, long before numbers come round again.
            let _ = rustix::process::kill_process_group(leader, signal);
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
        self.mark.sweep();
    }
}
