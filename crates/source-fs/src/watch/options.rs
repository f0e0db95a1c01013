//! How a source is watched.

use std::time::Duration;

use serde::{Deserialize, Deserializer};

/// How a source keeps up with its folders.
///
/// All times are those of [`tokio::time`]: the clock of the runtime in which [`changed`](repertoire_core::Source::changed)
/// is awaited. A test that pauses it with `tokio::time::pause` decides when time passes. While nothing is to be looked at,
/// no timer runs, but where folders have to be polled.
///
/// ```
/// use std::time::Duration;
///
/// use repertoire_source_fs::{FsSource, WatchBy, WatchOptions};
///
/// let mut options = WatchOptions::default();
/// options.by = WatchBy::Polling; // a network share tells nobody of changes
/// options.poll = Duration::from_secs(10);
/// let source = FsSource::new("shared", "/mnt/share/skills").watching(options);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct WatchOptions {
    /// How changes are noticed. Default: events.
    pub by: WatchBy,
    /// How long it must be quiet before folders are looked at again: a file that is saved in several steps is read
    /// after the last. Default 100 ms.
    #[serde(rename = "debounce-ms", deserialize_with = "milliseconds")]
    #[cfg_attr(feature = "schema", schemars(with = "u32"))]
    pub debounce: Duration,
    /// After how long they are looked at although it is never quiet, so that a file that is written without end holds
    /// up no other. Default 1 s.
    #[serde(rename = "longest-ms", deserialize_with = "milliseconds")]
    #[cfg_attr(feature = "schema", schemars(with = "u32"))]
    pub longest: Duration,
    /// How often everything is looked at where events cannot be had. Default 2 s.
    #[serde(rename = "poll-ms", deserialize_with = "milliseconds")]
    #[cfg_attr(feature = "schema", schemars(with = "u32"))]
    pub poll: Duration,
}

/// How changes are noticed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum WatchBy {
    /// The system tells; where it cannot, by polling, with a [`watch-degraded`](repertoire_core::Code::WATCH_DEGRADED)
    /// diagnostic, until it can again: that is tried at every poll. On Linux the source recognizes file systems that report
    /// only what this machine changes, such as network shares, folders of Windows in WSL and folders of the host in
    /// containers. There it does both, with the same diagnostic.
    Events,
    /// By looking, without a diagnostic. A file may have changed when its path, inode, size, time of modification or change
    /// time has; its content decides.
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
