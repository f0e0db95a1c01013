//! The configuration of a plugin.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use repertoire_core::Digest;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::PluginError;
use crate::approvals::Approvals;
use crate::file::PluginFile;

/// The configuration of a plugin that is loaded into this process.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct PluginOptions {
    /// The file of the library. Plugins are never searched for.
    pub path: PathBuf,
    /// The digest that the file must have.
    #[serde(default)]
    pub digest: Option<Digest>,
    /// The options of the plugin itself.
    #[serde(default)]
    pub options: Map<String, Value>,
    /// The most time of a call, in milliseconds. Default 10,000.
    #[serde(default = "default_deadline_ms")]
    pub deadline_ms: u64,
    /// The file of [`Approvals`] that counts if no digest is pinned.
    #[serde(skip)]
    pub approvals: Option<PathBuf>,
}

fn default_deadline_ms() -> u64 {
    10_000
}

impl PluginOptions {
    /// The plugin at `path`, not approved yet.
    pub fn new(path: impl Into<PathBuf>) -> PluginOptions {
        let (digest, options, approvals) = (None, Map::new(), None);
        PluginOptions { path: path.into(), digest, options, deadline_ms: default_deadline_ms(), approvals }
    }

    /// Returns the same plugin, approved if its file has this digest.
    #[must_use]
    pub fn pinned(mut self, digest: Digest) -> PluginOptions {
        self.digest = Some(digest);
        self
    }

    /// Returns the same plugin, approved by the file at `approvals` if no digest is pinned.
    #[must_use]
    pub fn approved_in(mut self, approvals: impl Into<PathBuf>) -> PluginOptions {
        self.approvals = Some(approvals.into());
        self
    }

    /// Returns the same plugin with these options of its own.
    #[must_use]
    pub fn with_options(mut self, options: Map<String, Value>) -> PluginOptions {
        self.options = options;
        self
    }

    /// Returns the same plugin with a deadline for each call.
    #[must_use]
    pub fn within(mut self, deadline: Duration) -> PluginOptions {
        self.deadline_ms = u64::try_from(deadline.as_millis()).unwrap_or(u64::MAX);
        self
    }

    pub(crate) fn deadline(&self) -> Duration {
        Duration::from_millis(self.deadline_ms)
    }

    pub(crate) fn approved_file(&self) -> Result<PluginFile, PluginError> {
        let file = PluginFile::read(&self.path)?;
        let (path, found) = (&file.path, file.digest);
        match (self.digest, &self.approvals) {
            (Some(approved), _) if approved == found => Ok(file),
            (Some(approved), _) => Err(PluginError::Changed { path: path.clone(), approved, found, pinned: true }),
            (None, Some(approvals)) => Approvals::read(approvals)?.check(&file).map(|()| file),
            (None, None) => Err(PluginError::NotApproved { path: path.clone(), digest: found }),
        }
    }
}

/// The configuration of a plugin in a process of its own.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct ProcessOptions {
    /// The file of the library. Plugins are never searched for.
    pub path: PathBuf,
    /// The digest that the file must have.
    #[serde(default)]
    pub digest: Option<Digest>,
    /// The options of the plugin itself.
    #[serde(default)]
    pub options: Map<String, Value>,
    /// The most time of a call, in milliseconds. Default 10,000.
    #[serde(default = "default_deadline_ms")]
    pub deadline_ms: u64,
    /// The program that loads the library: `repertoire` or `repertoire-plugin-host`. Default: the one beside the host's
    /// own program.
    #[serde(default)]
    pub runner: Option<PathBuf>,
    /// The address space of the process, in MiB. Default 1024.
    #[serde(default = "default_memory_mib")]
    pub memory_mib: u64,
    /// The processor time of the process, in seconds. When it is used up, the process ends and is started again. Default 600.
    #[serde(default = "default_cpu_s")]
    pub cpu_s: u64,
}

fn default_memory_mib() -> u64 {
    1024
}

fn default_cpu_s() -> u64 {
    600
}

impl ProcessOptions {
    /// Returns the plugin and its process, or `None` if no runner is named.
    pub fn split(self) -> Option<(PluginOptions, ProcessIsolation)> {
        let ProcessOptions { path, digest, options, deadline_ms, runner, memory_mib, cpu_s } = self;
        let plugin = PluginOptions { path, digest, options, deadline_ms, approvals: None };
        let mut isolation = ProcessIsolation::by(runner?);
        (isolation.memory, isolation.cpu) = (memory_mib.saturating_mul(1 << 20), Duration::from_secs(cpu_s));
        Some((plugin, isolation))
    }
}

/// A process for one plugin, and its limits.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProcessIsolation {
    /// The program that loads the library: `repertoire`, `repertoire-plugin-host`, or one that calls
    /// [`plugin_host`](crate::plugin_host) when its first argument is `plugin-host`.
    pub runner: PathBuf,
    /// The address space in bytes. Default 1 GiB; each thread reserves 64 MiB of it.
    pub memory: u64,
    /// The processor time, in whole seconds. Default 10 minutes. It ends what goes on beside the calls, which no deadline does.
    pub cpu: Duration,
    /// The command line of a program that runs the runner and ends everything that it started. Default: none, then a process
    /// that leaves the group lives on.
    ///
    /// It gets `-` for no limit of memory, then the runner and its arguments. On the signal `TERM` it ends them.
    pub supervisor: Vec<OsString>,
}

impl ProcessIsolation {
    /// A process that `runner` starts, with the default limits.
    pub fn by(runner: impl Into<PathBuf>) -> ProcessIsolation {
        let (memory, cpu) = (default_memory_mib() << 20, Duration::from_secs(default_cpu_s()));
        ProcessIsolation { runner: runner.into(), memory, cpu, supervisor: Vec::new() }
    }

    /// Returns the same process with a supervisor: `repertoire-helper supervise`, or another program with its contract.
    #[must_use]
    pub fn supervised_by(mut self, supervisor: impl IntoIterator<Item = OsString>) -> ProcessIsolation {
        self.supervisor = supervisor.into_iter().collect();
        self
    }
}
