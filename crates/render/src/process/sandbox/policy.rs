//! The policy of a sandbox.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::Sandbox;

/// The files that each program reads: itself, its libraries, and a few devices.
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

/// The files, processor time and memory that a confined run may use. It has no network.
///
/// It needs Linux and a [helper](crate::Runner::helper); elsewhere it is unavailable. [`Run::sandbox`](crate::Run::sandbox)
/// reports what the kernel enforced.
///
/// - Files: Landlock allows to read the folder of the skill and the programs of the system, and to write `/dev/null`.
/// - Processes: the run gains no privileges, and signals no process outside.
/// - Sockets: a filter of system calls refuses all (x86-64, ARM64, RISC-V). On other machines Landlock refuses TCP only, and
///   the rule on sockets is reported as missing.
#[derive(Debug, Clone)]
pub struct Confinement {
    rules: Rules,
}

/// The first argument of a helper that gives up rights and becomes the command.
pub(crate) const CONFINE: &str = "confine";

/// The policy as the helper reads it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Rules {
    pub(crate) read: Vec<PathBuf>,
    pub(crate) write: Vec<PathBuf>,
    /// Processor time in seconds.
    pub(crate) cpu: u64,
    /// Address space of each process in bytes.
    pub(crate) memory: u64,
    /// The size of the largest file in bytes.
    pub(crate) file: u64,
    pub(crate) enforcement: Enforcement,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Enforcement {
    BestEffort,
    Required,
}

impl Default for Confinement {
    /// Returns the default policy.
    fn default() -> Confinement {
        let read = SYSTEM.iter().map(PathBuf::from).collect();
        let rules = Rules {
            read,
            write: vec!["/dev/null".into()],
            cpu: 60,
            memory: 4 << 30,
            file: 64 << 20,
            enforcement: Enforcement::BestEffort,
        };
        Confinement { rules }
    }
}

impl Confinement {
    /// Returns the same policy, which also allows to read and run what is below `path`. A path that does not exist is ignored.
    #[must_use]
    pub fn read(mut self, path: impl Into<PathBuf>) -> Confinement {
        self.rules.read.push(path.into());
        self
    }

    /// Returns the same policy, which also allows to read, run and write what is below `path`.
    #[must_use]
    pub fn write(mut self, path: impl Into<PathBuf>) -> Confinement {
        self.rules.write.push(path.into());
        self
    }

    /// Returns the same policy with this processor time for each process, in whole seconds. Default 60 seconds.
    #[must_use]
    pub fn cpu(mut self, time: Duration) -> Confinement {
        self.rules.cpu = time.as_secs().max(1);
        self
    }

    /// Returns the same policy with this address space for each process. Default 4 GiB.
    #[must_use]
    pub fn memory(mut self, bytes: u64) -> Confinement {
        self.rules.memory = bytes;
        self
    }

    /// Returns the same policy with this size of the largest file. Default 64 MiB.
    #[must_use]
    pub fn file(mut self, bytes: u64) -> Confinement {
        self.rules.file = bytes;
        self
    }

    /// Returns the same policy, under which nothing runs unless the kernel enforces all of it.
    #[must_use]
    pub fn required(mut self) -> Confinement {
        self.rules.enforcement = Enforcement::Required;
        self
    }

    /// Returns whether a run in `sandbox` is allowed.
    pub(crate) fn is_met_by(&self, sandbox: &Sandbox) -> bool {
        self.rules.enforcement == Enforcement::BestEffort || *sandbox == Sandbox::Active
    }

    /// Returns the command line of a helper that becomes `line`, confined to `folder`.
    pub(crate) fn around(&self, helper: &[OsString], line: Vec<OsString>, folder: &Path) -> io::Result<Vec<OsString>> {
        let mut rules = self.rules.clone();
        rules.read.push(folder.canonicalize()?);
        // Fails for a path that is not UTF-8.
        let rules = serde_json::to_string(&rules).map_err(io::Error::other)?;
        Ok(helper.iter().cloned().chain([CONFINE.into(), rules.into()]).chain(line).collect())
    }
}
