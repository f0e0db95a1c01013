//! One made source of a plugin, wherever it lives.

use std::fmt::Debug;

use repertoire_core::{SourceError, SourceErrorKind};
use repertoire_plugin_sdk::message::Failure;

/// What can be asked of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Door {
    List = 2,
    Body = 3,
    Resources = 4,
    Resource = 5,
    Wait = 6,
}

impl Door {
    pub(crate) const ALL: [Door; 5] = [Door::List, Door::Body, Door::Resources, Door::Resource, Door::Wait];

    /// Bytes of a reply.
    pub(crate) fn limit(self) -> usize {
        match self {
            // 10,000 skills with front matter of 1 KiB are 10 MiB, and escapes add to that.
            Door::List => 64 << 20,
            // A `SKILL.md` has at most 1 MiB, each byte of which may be an escape of six.
            Door::Body => 8 << 20,
            Door::Resources => 8 << 20,
            // As a folder source reads.
            Door::Resource => 16 << 20,
            Door::Wait => SHORT,
        }
    }
}

/// Bytes of a reply that says little: an error, a revision.
pub(crate) const SHORT: usize = 64 << 10;

/// Characters of an error of a plugin that are told.
const TOLD: usize = 1000;

/// One made source of a plugin.
///
/// One [`call`](Guest::call) at a time, on any thread; beside it one that waits, and [`stop`](Guest::stop). Dropping it, when
/// nothing runs in it, unmakes it. All of that may hang.
pub(crate) trait Guest: Debug + Send + Sync {
    /// What the source says it offers, with blanks between.
    fn features(&self) -> &str;

    /// Asks, and waits for the reply, which is copied.
    fn call(&self, door: Door, request: &[u8]) -> Result<Vec<u8>, SourceError>;

    /// Ends whatever runs, by whatever means there are.
    fn stop(&self);

    /// Whether asking again makes sense.
    fn is_alive(&self) -> bool;

    /// Whether the source names a feature.
    fn has(&self, feature: &str) -> bool {
        self.features().split(' ').any(|name| name == feature)
    }
}

/// The error that a reply tells, whatever is in it.
pub(crate) fn failure(reply: &[u8]) -> SourceError {
    match serde_json::from_slice::<Failure>(reply) {
        Ok(failure) => SourceError::new(failure.kind(), told(&failure.message)),
        Err(_) => SourceError::new(SourceErrorKind::Other, "the plugin failed and did not say why"),
    }
}

/// What a plugin says, on one line and short.
pub(crate) fn told(text: &str) -> String {
    repertoire_core::text::excerpt(text, TOLD)
}

pub(crate) fn too_large(found: usize, limit: usize) -> SourceError {
    let message = format!("the plugin replied with {found} bytes, and at most {limit} are read");
    SourceError::new(SourceErrorKind::TooLarge, message)
}
