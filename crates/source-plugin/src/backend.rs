//! One instance of a plugin, in this process or in one of its own.

use std::fmt::Debug;
use std::time::Duration;

use repertoire_core::{SourceError, SourceErrorKind};
use repertoire_plugin_sdk::message::FailureReply;

/// The methods of a plugin; the numbers are those of the process protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum PluginMethod {
    List = 2,
    Body = 3,
    Resources = 4,
    Resource = 5,
    Wait = 6,
}

impl PluginMethod {
    pub(crate) const ALL: [PluginMethod; 5] = [
        PluginMethod::List,
        PluginMethod::Body,
        PluginMethod::Resources,
        PluginMethod::Resource,
        PluginMethod::Wait,
    ];

    /// Returns the most bytes of a reply.
    pub(crate) fn limit(self) -> usize {
        match self {
            // 10,000 skills with front matter of 1 KiB are 10 MiB, and escapes add to that.
            PluginMethod::List => 64 << 20,
            // A `SKILL.md` has at most 1 MiB, each byte of which may be an escape of six.
            PluginMethod::Body | PluginMethod::Resources => 8 << 20,
            // The limit of a folder source.
            PluginMethod::Resource => 16 << 20,
            PluginMethod::Wait => SMALL_REPLY_BYTES,
        }
    }
}

/// The most bytes of a reply that is an error, a revision or a list of features.
pub(crate) const SMALL_REPLY_BYTES: usize = 64 << 10;

const ERROR_CHARS: usize = 1000;

/// One instance of a plugin.
///
/// The caller makes one [`call`](PluginBackend::call) at a time, on any thread. One `wait` call and
/// [`stop`](PluginBackend::stop) may run beside it. Each method, and dropping it, may hang.
pub(crate) trait PluginBackend: Debug + Send + Sync {
    /// Returns the names of the optional features, separated by blanks.
    fn features(&self) -> &str;

    fn call(&self, method: PluginMethod, request: &[u8]) -> Result<Vec<u8>, SourceError>;

    /// Ends the calls in progress.
    fn stop(&self);

    /// Returns `false` if no call can succeed any more.
    fn is_alive(&self) -> bool;

    fn has(&self, feature: &str) -> bool {
        self.features().split(' ').any(|name| name == feature)
    }
}

/// Returns the error in a reply, whatever its bytes are.
pub(crate) fn reply_error(reply: &[u8]) -> SourceError {
    match serde_json::from_slice::<FailureReply>(reply) {
        Ok(failure) => SourceError::new(failure.kind(), excerpt(&failure.message)),
        Err(_) => SourceError::new(
            SourceErrorKind::Other,
            "the plugin failed without a message",
        ),
    }
}

/// Returns text of a plugin on one line, cleaned and truncated.
pub(crate) fn excerpt(text: &str) -> String {
    repertoire_core::text::excerpt(text, ERROR_CHARS)
}

pub(crate) fn too_large(found: usize, limit: usize) -> SourceError {
    let message = format!("the plugin replied with {found} bytes, and at most {limit} are read");
    SourceError::new(SourceErrorKind::TooLarge, message)
}

pub(crate) fn overdue(deadline: Duration) -> SourceError {
    unavailable(format!(
        "the plugin has not answered within {}",
        seconds(deadline)
    ))
}

pub(crate) fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f32())
}

pub(crate) fn unavailable(message: impl Into<String>) -> SourceError {
    SourceError::new(SourceErrorKind::Unavailable, message)
}
