//! The sandbox of a run: the policy that a host chooses, and its enforcement in a helper.

#[cfg(all(target_os = "linux", feature = "sandbox"))]
mod exec;
#[cfg(all(target_os = "linux", feature = "sandbox"))]
mod system_calls;

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::Sandbox;

#[cfg(all(target_os = "linux", feature = "sandbox"))]
pub(super) use exec::confine;

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
/// It needs Linux and a [helper](crate::DirectiveRunner::helper); elsewhere it is unavailable.
/// [`CompletedRun::sandbox`](crate::CompletedRun::sandbox) reports what the kernel enforced.
///
/// - Files: Landlock allows to read the folder of the skill and the programs of the system, and to write `/dev/null`.
/// - Processes: the run gains no privileges, and signals no process outside.
/// - Sockets: a filter of system calls refuses all (x86-64, ARM64, RISC-V). On other machines Landlock refuses TCP only, and
///   the rule on sockets is reported as missing.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Confinement {
    /// The files and folders that may be read and run, besides the folder of the skill. A path that does not exist is ignored.
    pub read: Vec<PathBuf>,
    /// The files and folders that may also be written.
    pub write: Vec<PathBuf>,
    /// The processor time of each process in seconds. Default 60.
    pub cpu_s: u64,
    /// The address space of each process in bytes. Default 4 GiB.
    pub memory: u64,
    /// The size of the largest file in bytes. Default 64 MiB.
    pub file_size: u64,
    is_required: bool,
}

impl Default for Confinement {
    fn default() -> Confinement {
        Confinement {
            read: SYSTEM.map(PathBuf::from).into(),
            write: vec!["/dev/null".into()],
            cpu_s: 60,
            memory: 4 << 30,
            file_size: 64 << 20,
            is_required: false,
        }
    }
}

impl Confinement {
    /// Returns the same policy, under which nothing runs unless the kernel enforces all of it.
    #[must_use]
    pub fn required(self) -> Confinement {
        Confinement {
            is_required: true,
            ..self
        }
    }

    pub(crate) fn is_met_by(&self, sandbox: &Sandbox) -> bool {
        !self.is_required || *sandbox == Sandbox::Active
    }

    /// Returns the command line of a helper that becomes `line`, confined to `folder`.
    pub(crate) fn around(
        &self,
        helper: &[OsString],
        line: Vec<OsString>,
        folder: &Path,
    ) -> io::Result<Vec<OsString>> {
        let mut rules = self.clone();
        rules.read.push(folder.canonicalize()?);
        // Fails for a path that is not UTF-8.
        let rules = serde_json::to_string(&rules).map_err(io::Error::other)?;
        Ok(helper
            .iter()
            .cloned()
            .chain([CONFINE.into(), rules.into()])
            .chain(line)
            .collect())
    }
}

/// The first argument of a helper that gives up rights and becomes the command.
pub(crate) const CONFINE: &str = "confine";

/// The beginning of the report of a helper: one line on standard error, before the command begins.
const REPORT: &str = "\0repertoire-sandbox: ";

pub(super) const MAX_REPORT_BYTES: usize = 96;

#[cfg(all(target_os = "linux", feature = "sandbox"))]
fn report_line(sandbox: &Sandbox) -> serde_json::Result<String> {
    Ok(format!("{REPORT}{}\n", serde_json::to_string(sandbox)?))
}

/// Returns the sandbox in the report of a helper: the first line of `bytes`, and the length of the line.
pub(super) fn read_report(bytes: &[u8]) -> Option<(Sandbox, usize)> {
    let end = bytes
        .iter()
        .take(MAX_REPORT_BYTES)
        .position(|byte| *byte == b'\n')?;
    let sandbox = serde_json::from_slice(bytes[..end].strip_prefix(REPORT.as_bytes())?).ok()?;
    Some((sandbox, end + 1))
}

#[cfg(all(test, target_os = "linux", feature = "sandbox"))]
mod tests;
