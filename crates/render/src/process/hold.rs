//! What holds the processes of a run together.

use std::io;
use std::process::ExitStatus;

use tokio::process::Child;

use super::group::Group;
#[cfg(target_os = "linux")]
use super::leash::Leash;
use crate::Sweep;

/// What holds the processes of a run together. Dropped, it ends whom it can.
#[derive(Debug)]
pub(crate) enum Hold {
    /// This process does, as far as it can.
    Group(Group),
    /// A helper that stays does.
    #[cfg(target_os = "linux")]
    Leash(Leash),
}

impl Hold {
    /// Gives the input where it does not go by a pipe.
    pub(crate) async fn feed(&mut self, input: &[u8]) {
        match self {
            Hold::Group(_) => {
                let _ = input;
            }
            #[cfg(target_os = "linux")]
            Hold::Leash(leash) => leash.feed(input).await,
        }
    }

    /// How the command ended; an error if it did not begin.
    ///
    /// # Cancel safety
    /// Dropped, it can be called again.
    pub(crate) async fn ended(&mut self, child: &mut Child) -> io::Result<ExitStatus> {
        match self {
            Hold::Group(_) => child.wait().await,
            #[cfg(target_os = "linux")]
            Hold::Leash(leash) => leash.ended(child).await,
        }
    }

    /// Asks the command to end.
    pub(crate) fn ask(&self) {
        match self {
            Hold::Group(group) => group.terminate(),
            #[cfg(target_os = "linux")]
            Hold::Leash(leash) => leash.ask(),
        }
    }

    /// Makes everything end.
    pub(crate) fn force(&self) {
        match self {
            Hold::Group(group) => group.kill(),
            #[cfg(target_os = "linux")]
            Hold::Leash(leash) => leash.force(),
        }
    }

    /// Who has ended with the run, or does when this is dropped.
    pub(crate) fn sweep(&self) -> Sweep {
        match self {
            Hold::Group(_) => Group::SWEEP,
            #[cfg(target_os = "linux")]
            Hold::Leash(leash) => leash.sweep(),
        }
    }
}
