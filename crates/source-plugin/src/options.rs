//! The configuration of a plugin.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use repertoire_core::Digest;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::PluginError;
use crate::approvals::PluginApprovals;
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
    pub(crate) digest: Option<Digest>,
    /// The options of the plugin itself.
    #[serde(default)]
    pub(crate) options: Map<String, Value>,
    /// The most time of a call, in milliseconds. Default 10,000.
    #[serde(default = "default_deadline_ms")]
    pub(crate) deadline_ms: u64,
    #[serde(skip)]
    pub(crate) approvals: Option<PathBuf>,
}

fn default_deadline_ms() -> u64 {
    10_000
}

impl PluginOptions {
    /// Creates the configuration of the plugin at `path`, which is not approved yet.
    pub fn new(path: impl Into<PathBuf>) -> PluginOptions {
        let (digest, options, approvals) = (None, Map::new(), None);
        PluginOptions {
            path: path.into(),
            digest,
            options,
            deadline_ms: default_deadline_ms(),
            approvals,
        }
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
        match (self.digest, &self.approvals) {
            (Some(pinned), _) => file.with_digest(pinned),
            (None, Some(approvals)) => PluginApprovals::read(approvals)?
                .check(&file)
                .map(|()| file),
            (None, None) => Err(PluginError::not_approved(&file.path, file.digest)),
        }
    }
}

/// The configuration of a plugin in a process of its own.
///
/// ```
/// use repertoire_source_plugin::{PluginOptions, ProcessOptions};
///
/// let plugin = PluginOptions::new("/opt/skills/libteam.so");
/// let options = ProcessOptions::new(plugin, "/usr/bin/repertoire");
/// assert_eq!((options.memory_mib, options.cpu_s), (1024, 600));
/// ```
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct ProcessOptions {
    /// The file of the library. Plugins are never searched for.
    pub path: PathBuf,
    /// The digest that the file must have.
    #[serde(default)]
    pub(crate) digest: Option<Digest>,
    /// The options of the plugin itself.
    #[serde(default)]
    pub(crate) options: Map<String, Value>,
    /// The most time of a call, in milliseconds. Default 10,000.
    #[serde(default = "default_deadline_ms")]
    pub(crate) deadline_ms: u64,
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
    #[serde(skip)]
    approvals: Option<PathBuf>,
    #[serde(skip)]
    supervisor: Vec<OsString>,
}

fn default_memory_mib() -> u64 {
    1024
}

fn default_cpu_s() -> u64 {
    600
}

impl ProcessOptions {
    /// Creates the configuration of `plugin` in a process that `runner` starts.
    ///
    /// The runner is `repertoire`, `repertoire-plugin-host`, or a program that calls [`plugin_host`](crate::plugin_host) when its
    /// first argument is `plugin-host`.
    pub fn new(plugin: PluginOptions, runner: impl Into<PathBuf>) -> ProcessOptions {
        let PluginOptions {
            path,
            digest,
            options,
            deadline_ms,
            approvals,
        } = plugin;
        let (memory_mib, cpu_s) = (default_memory_mib(), default_cpu_s());
        let (runner, supervisor) = (Some(runner.into()), Vec::new());
        ProcessOptions {
            path,
            digest,
            options,
            deadline_ms,
            runner,
            memory_mib,
            cpu_s,
            approvals,
            supervisor,
        }
    }

    /// Returns the same plugin, approved by the file at `approvals` if no digest is pinned.
    #[must_use]
    pub fn approved_in(mut self, approvals: impl Into<PathBuf>) -> ProcessOptions {
        self.approvals = Some(approvals.into());
        self
    }

    /// Returns the same process with a supervisor: the command line of `repertoire-helper supervise`, or of a program with its
    /// contract. Without one, a process that leaves the group lives on.
    ///
    /// It gets `-` for no limit of memory, then the runner and its arguments. On the signal `TERM` it ends them.
    #[must_use]
    pub fn supervised_by(
        mut self,
        supervisor: impl IntoIterator<Item = OsString>,
    ) -> ProcessOptions {
        self.supervisor = supervisor.into_iter().collect();
        self
    }

    pub(crate) fn split(self) -> (PluginOptions, ProcessIsolation) {
        let ProcessOptions {
            path,
            digest,
            options,
            deadline_ms,
            runner,
            memory_mib,
            cpu_s,
            approvals,
            supervisor,
        } = self;
        let runner = runner.unwrap_or_default();
        let isolation = ProcessIsolation {
            runner,
            memory: memory_mib.saturating_mul(1 << 20),
            cpu_s,
            supervisor,
        };
        (
            PluginOptions {
                path,
                digest,
                options,
                deadline_ms,
                approvals,
            },
            isolation,
        )
    }
}

/// The process of a plugin, and its limits.
#[derive(Debug)]
#[cfg_attr(
    not(unix),
    expect(dead_code, reason = "processes are isolated on Unix alone")
)]
pub(crate) struct ProcessIsolation {
    pub(crate) runner: PathBuf,
    /// The address space in bytes. Each thread reserves 64 MiB of it.
    pub(crate) memory: u64,
    /// The processor time in seconds, which also limits work outside of calls.
    pub(crate) cpu_s: u64,
    pub(crate) supervisor: Vec<OsString>,
}
