//! Sources of whole `SKILL.md` texts, without a runtime.

use std::time::Duration;

use parking_lot::{Condvar, Mutex};
use repertoire_core::{Resource, ResourcePath, SourceError, SourceErrorKind};

use crate::Open;
use crate::message::{DocumentBody, DocumentListing};

/// A source of whole `SKILL.md` texts, which the host parses. No method is `async`.
///
/// The contract is that of [`Source`](repertoire_core::Source), by key instead of by id. The host makes one call at a time. Only
/// [`wait`](Documents::wait) and [`cancel`](Documents::cancel) may run beside it. The example of the crate implements it.
pub trait Documents: Open + Send + Sync + 'static {
    /// The optional features: `resources`, `changes`, or both separated by a blank.
    const FEATURES: &'static str;

    /// Returns all skills of the source.
    ///
    /// # Errors
    /// Returns an error if there is no listing at all. A broken entry is a diagnostic.
    fn list(&self) -> Result<DocumentListing, SourceError>;

    /// Returns the instructions of one skill.
    ///
    /// # Errors
    /// Returns [`NotFound`](SourceErrorKind::NotFound) for an unknown key.
    fn body(&self, key: &str) -> Result<DocumentBody, SourceError>;

    /// Returns the files beside the instructions. Default: an error, for a source without the feature `resources`.
    ///
    /// # Errors
    /// Returns [`NotFound`](SourceErrorKind::NotFound) for an unknown key.
    fn resources(&self, key: &str) -> Result<Vec<Resource>, SourceError> {
        let _ = key;
        Err(SourceError::new(
            SourceErrorKind::Unsupported,
            "this source has no resources",
        ))
    }

    /// Returns the bytes of one file.
    ///
    /// # Errors
    /// Returns [`NotFound`](SourceErrorKind::NotFound) for an unknown key or path.
    fn resource(&self, key: &str, path: &ResourcePath) -> Result<Vec<u8>, SourceError> {
        let _ = (key, path);
        Err(SourceError::new(
            SourceErrorKind::Unsupported,
            "this source has no resources",
        ))
    }

    /// Returns the revision of the source once it exceeds `since`, and otherwise after `patience` or a cancelled pause. Default:
    /// the source never changes.
    ///
    /// # Errors
    /// Returns an error if the revision is unknown.
    fn wait(&self, since: u64, patience: Duration, pause: &Pause) -> Result<u64, SourceError> {
        pause.sleep(patience);
        Ok(since)
    }

    /// Ends the calls in progress soon. Default: only pauses end.
    fn cancel(&self) {}
}

/// A sleep that the host can end.
#[derive(Debug, Default)]
pub struct Pause {
    cancelled: Mutex<u64>,
    woken: Condvar,
}

impl Pause {
    /// Sleeps for `length` or until the host cancels. Returns `true` for the whole length.
    pub fn sleep(&self, length: Duration) -> bool {
        let mut cancelled = self.cancelled.lock();
        let begin = *cancelled;
        self.woken
            .wait_while_for(&mut cancelled, |cancelled| *cancelled == begin, length)
            .timed_out()
    }

    pub(crate) fn cancel(&self) {
        *self.cancelled.lock() += 1;
        self.woken.notify_all();
    }
}
