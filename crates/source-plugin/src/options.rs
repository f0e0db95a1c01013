//! What a configuration says about a plugin.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use repertoire_core::Digest;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::PluginError;
use crate::approvals::Approvals;
use crate::file::PluginFile;

/// Which plugin, who says that it may run, and what it is told.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct PluginOptions {
    /// The file of the library. Plugins are never searched for.
    pub path: PathBuf,
    /// What the file must hold: the word of whoever wrote the configuration.
    #[serde(default)]
    pub digest: Option<Digest>,
    /// What the plugin is told; it decides what it understands.
    #[serde(default)]
    pub options: Map<String, Value>,
    /// How long a call may take, in milliseconds. Default 10,000.
    #[serde(default = "ten_seconds")]
    pub deadline_ms: u64,
    /// The file with the approvals that count where no digest is pinned.
    #[serde(skip)]
    pub approvals: Option<PathBuf>,
}

fn ten_seconds() -> u64 {
    10_000
}

impl PluginOptions {
    /// The plugin at `path`, which nothing approves yet.
    pub fn new(path: impl Into<PathBuf>) -> PluginOptions {
        let (digest, options, approvals) = (None, Map::new(), None);
        PluginOptions { path: path.into(), digest, options, deadline_ms: ten_seconds(), approvals }
    }

    /// The same plugin, if its file holds exactly this.
    #[must_use]
    pub fn pinned(mut self, digest: Digest) -> PluginOptions {
        self.digest = Some(digest);
        self
    }

    /// The same plugin, if `approvals` has what its file holds, and no digest is pinned.
    #[must_use]
    pub fn approved_in(mut self, approvals: impl Into<PathBuf>) -> PluginOptions {
        self.approvals = Some(approvals.into());
        self
    }

    /// The same plugin, told these options.
    #[must_use]
    pub fn with_options(mut self, options: Map<String, Value>) -> PluginOptions {
        self.options = options;
        self
    }

    /// The same plugin, each of whose calls may take so long.
    #[must_use]
    pub fn within(mut self, deadline: Duration) -> PluginOptions {
        self.deadline_ms = u64::try_from(deadline.as_millis()).unwrap_or(u64::MAX);
        self
    }

    pub(crate) fn deadline(&self) -> Duration {
        Duration::from_millis(self.deadline_ms)
    }

    /// The file, if somebody has approved what it holds.
    pub(crate) fn admitted(&self) -> Result<PluginFile, PluginError> {
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

/// The same of a plugin in a process of its own, and what the process gets.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct ProcessOptions {
    /// The file of the library. Plugins are never searched for.
    pub path: PathBuf,
    /// What the file must hold: the word of whoever wrote the configuration.
    #[serde(default)]
    pub digest: Option<Digest>,
    /// What the plugin is told; it decides what it understands.
    #[serde(default)]
    pub options: Map<String, Value>,
    /// How long a call may take, in milliseconds. Default 10,000.
    #[serde(default = "ten_seconds")]
    pub deadline_ms: u64,
    /// The program that loads the library: `repertoire` or `repertoire-plugin-host`. By default the one beside the host's
    /// own.
    #[serde(default)]
    pub runner: Option<PathBuf>,
    /// Address space of the process, in MiB. Default 1024.
    #[serde(default = "a_gibibyte")]
    pub memory_mib: u64,
    /// Processor time of the process, in seconds; when it is used up, the process ends, and is started again. Default 600.
    #[serde(default = "ten_minutes")]
    pub cpu_s: u64,
}

fn a_gibibyte() -> u64 {
    1024
}

fn ten_minutes() -> u64 {
    600
}

impl ProcessOptions {
    /// The plugin and its process; nothing, if no runner is named.
    pub fn split(self) -> Option<(PluginOptions, Containment)> {
        let ProcessOptions { path, digest, options, deadline_ms, runner, memory_mib, cpu_s } = self;
        let plugin = PluginOptions { path, digest, options, deadline_ms, approvals: None };
        let contained = Containment::by(runner?).with_memory(memory_mib.saturating_mul(1 << 20));
        Some((plugin, contained.with_cpu(Duration::from_secs(cpu_s))))
    }
}

/// A process of its own for a plugin: what it does there, it does to itself.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Containment {
    /// The program that loads the library there: `repertoire`, `repertoire-plugin-host`, or one that calls
    /// [`plugin_host`](crate::plugin_host) when its first argument is `plugin-host`.
    pub runner: PathBuf,
    /// Bytes of address space that the process gets. Default 1 GiB; threads of their own reserve 64 MiB each.
    pub memory: u64,
    /// Processor time that the process gets, in whole seconds. Default 10 minutes. A deadline ends a call that takes too
    /// long; this ends what goes on beside the calls. Who uses it up is started again.
    pub cpu: Duration,
    /// The command line of a program that runs the one behind it, and ends with it whatever that started. None by default:
    /// then a process that leaves the group lives on.
    ///
    /// It gets a `-`, since the runner limits its memory itself, the runner and its arguments. On the signal `TERM` it ends them.
    pub keeper: Vec<OsString>,
}

impl Containment {
    /// Processes that `runner` starts.
    pub fn by(runner: impl Into<PathBuf>) -> Containment {
        let (memory, cpu) = (1 << 30, Duration::from_secs(ten_minutes()));
        Containment { runner: runner.into(), memory, cpu, keeper: Vec::new() }
    }

    /// The same, with so many bytes of address space.
    #[must_use]
    pub fn with_memory(mut self, bytes: u64) -> Containment {
        self.memory = bytes;
        self
    }

    /// The same, with a keeper: `repertoire-helper hold`, or another program that does this.
    #[must_use]
    pub fn kept_by(mut self, keeper: impl IntoIterator<Item = OsString>) -> Containment {
        self.keeper = keeper.into_iter().collect();
        self
    }

    /// The same, with so much processor time.
    #[must_use]
    pub fn with_cpu(mut self, time: Duration) -> Containment {
        self.cpu = time;
        self
    }
}
