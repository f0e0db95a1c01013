//! What a confined run may touch.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::Sandbox;

/// What every program reads: itself, its libraries, and a few devices.
const SYSTEM: [&str; 12] = [
    "/bin",
    "/lib",
    "/lib32",
    "/lib64",
    "/usr",
    "/etc/alternatives",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/localtime",
    "/dev/zero",
    "/dev/random",
    "/dev/urandom",
];

/// What a confined run may touch: files, processor time, memory; no network.
///
/// Linux alone, and with a [helper](crate::Runner::helper); elsewhere it is unavailable. What the kernel enforced of it is told
/// in [`Run::sandbox`](crate::Run::sandbox), for each run.
///
/// - Files are ruled by Landlock: the skill's folder and the system's programs can be read, `/dev/null` can be written.
/// - New privileges cannot be gained, and no process outside can be signalled.
/// - No socket can be made, so that nothing is sent or asked for: not by TCP or UDP, not from a daemon of the machine. A filter
///   of system calls sees to that (x86-64, ARM64, RISC-V); elsewhere Landlock refuses TCP alone, which is told as a gap.
#[derive(Debug, Clone)]
pub struct Confinement {
    rules: Rules,
}

/// What a helper is told first that is to confine itself, and to become a command.
pub(crate) const CONFINE: &str = "confine";

/// What the helper is told.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Rules {
    pub(crate) read: Vec<PathBuf>,
    pub(crate) write: Vec<PathBuf>,
    /// Seconds of processor time.
    pub(crate) cpu: u64,
    /// Bytes of address space of each process.
    pub(crate) memory: u64,
    /// Bytes of the largest file.
    pub(crate) file: u64,
    pub(crate) need: Need,
}

/// How much of the rules must be kept, or nothing runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Need {
    Nothing,
    Whole,
}

impl Default for Confinement {
    /// The usual rules.
    fn default() -> Confinement {
        let read = SYSTEM.iter().map(PathBuf::from).collect();
        let rules = Rules {
            read,
            write: vec!["/dev/null".into()],
            cpu: 60,
            memory: 4 << 30,
            file: 64 << 20,
            need: Need::Nothing,
        };
        Confinement { rules }
    }
}

impl Confinement {
    /// The same rules, and what is below `path` can be read and run. What is not there is left out.
    #[must_use]
    pub fn read(mut self, path: impl Into<PathBuf>) -> Confinement {
        self.rules.read.push(path.into());
        self
    }

    /// The same rules, and what is below `path` can be read, run and written.
    #[must_use]
    pub fn write(mut self, path: impl Into<PathBuf>) -> Confinement {
        self.rules.write.push(path.into());
        self
    }

    /// The same rules with so much processor time for each process, in full seconds. 60 seconds otherwise.
    #[must_use]
    pub fn cpu(mut self, time: Duration) -> Confinement {
        self.rules.cpu = time.as_secs().max(1);
        self
    }

    /// The same rules with so many bytes of address space for each process. 4 GiB otherwise.
    #[must_use]
    pub fn memory(mut self, bytes: u64) -> Confinement {
        self.rules.memory = bytes;
        self
    }

    /// The same rules with so many bytes for the largest file. 64 MiB otherwise.
    #[must_use]
    pub fn file(mut self, bytes: u64) -> Confinement {
        self.rules.file = bytes;
        self
    }

    /// The same rules, which are kept whole, or nothing runs. Otherwise a run has what the kernel gives, and tells it.
    #[must_use]
    pub fn required(mut self) -> Confinement {
        self.rules.need = Need::Whole;
        self
    }

    /// Whether `sandbox` is what the rules ask for.
    pub(crate) fn is_met_by(&self, sandbox: &Sandbox) -> bool {
        self.rules.need == Need::Nothing || *sandbox == Sandbox::Active
    }

    /// The command line of the helper that becomes `line` confined, in `folder`.
    pub(crate) fn around(&self, helper: &[OsString], line: Vec<OsString>, folder: &Path) -> io::Result<Vec<OsString>> {
        let mut rules = self.rules.clone();
        rules.read.push(folder.canonicalize()?);
        // A path that is no text cannot be said.
        let rules = serde_json::to_string(&rules).map_err(io::Error::other)?;
        Ok(helper.iter().cloned().chain([CONFINE.into(), rules.into()]).chain(line).collect())
    }
}
