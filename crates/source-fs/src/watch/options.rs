//! The options of watching.

use std::time::Duration;

use serde::{Deserialize, Deserializer};

/// The options of watching the folders of a source.
///
/// Times are those of [`tokio::time`], in the runtime in which [`changed`](repertoire_core::Source::changed) is awaited. A test can
/// pause that clock. An idle source has no timer, unless it polls.
///
/// ```
/// use std::time::Duration;
///
/// use repertoire_source_fs::{FsSource, WatchBy, WatchOptions};
///
/// let mut options = WatchOptions::default();
/// options.by = WatchBy::Polling; // a network share reports no changes
/// options.poll = Duration::from_secs(10);
/// let source = FsSource::new("shared", "/mnt/share/skills").watching(options);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct WatchOptions {
    /// The way in which changes are noticed. Default: events.
    pub by: WatchBy,
    /// The quiet time before a scan, so that a file saved in several steps is read after the last. Default 100 ms.
    #[serde(rename = "debounce-ms", deserialize_with = "milliseconds")]
    #[cfg_attr(feature = "schema", schemars(with = "u32"))]
    pub debounce: Duration,
    /// The longest time before a scan when events do not stop. Default 1 s.
    #[serde(rename = "longest-ms", deserialize_with = "milliseconds")]
    #[cfg_attr(feature = "schema", schemars(with = "u32"))]
    pub longest: Duration,
    /// The time between two scans where folders are polled. Default 2 s.
    #[serde(rename = "poll-ms", deserialize_with = "milliseconds")]
    #[cfg_attr(feature = "schema", schemars(with = "u32"))]
    pub poll: Duration,
}

/// The way in which changes are noticed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum WatchBy {
    /// Events of the system, and polling where it has none, with a
    /// [`watch-degraded`](repertoire_core::Code::WATCH_DEGRADED) diagnostic. Events are tried again at every poll.
    ///
    /// On Linux the source recognizes file systems that report only the changes of this machine: network shares, folders of Windows in
    /// WSL, folders of the host in containers. It uses events and polls there, with the same diagnostic.
    Events,
    /// Events as the crate `notify` reports them: the same as [`Events`](WatchBy::Events) but on Linux, where the source calls inotify
    /// itself otherwise. For a system on which that does not work. Requires the feature `notify` on Linux.
    #[cfg(any(feature = "notify", not(target_os = "linux")))]
    Notify,
    /// Polling, without a diagnostic. A file may have changed if its path, inode, size, modification time or change time did; its
    /// content decides.
    Polling,
}

impl Default for WatchOptions {
    fn default() -> WatchOptions {
        WatchOptions {
            by: WatchBy::Events,
            debounce: Duration::from_millis(100),
            longest: Duration::from_secs(1),
            poll: Duration::from_secs(2),
        }
    }
}

fn milliseconds<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    u32::deserialize(deserializer).map(|milliseconds| Duration::from_millis(milliseconds.into()))
}
