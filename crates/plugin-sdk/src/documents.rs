//! A source in terms of files, without a runtime.

use std::time::Duration;

use repertoire_core::{Resource, ResourcePath, SourceError, SourceErrorKind};

use crate::message::{Body, Listing};
use crate::{Open, Pause};

/// A source in terms of whole `SKILL.md` texts, which the host parses. Nothing here is `async`.
///
/// What [`Source`](repertoire_core::Source) promises holds for these too, by key instead of by id. The host makes one
/// call at a time; only [`wait`](Documents::wait) and [`cancel`](Documents::cancel) may run beside it.
///
/// ```
/// use repertoire_plugin_sdk::message::{Body, Listing, Row};
/// use repertoire_plugin_sdk::{Config, Documents, Open, SourceError, export_documents};
///
/// struct Greeting;
///
/// const SKILL: &str = "---\nname: greet\ndescription: Greets people.\n---\nSay hello.\n";
///
/// impl Open for Greeting {
///     fn open(_: &Config) -> Result<Greeting, SourceError> {
///         Ok(Greeting)
///     }
/// }
///
/// impl Documents for Greeting {
///     const FEATURES: &'static str = "";
///
///     fn list(&self) -> Result<Listing, SourceError> {
///         Ok(Listing::new(0, [Row::new("greet", "1", SKILL)]))
///     }
///
///     fn body(&self, _: &str) -> Result<Body, SourceError> {
///         Ok(Body::document("1", SKILL))
///     }
/// }
///
/// export_documents!(Greeting);
/// # fn main() {}
/// ```
pub trait Documents: Open + Send + Sync + 'static {
    /// What the source offers besides listings and bodies: `resources`, `changes`, with a blank between them.
    const FEATURES: &'static str;

    /// Everything the source has now.
    ///
    /// # Errors
    /// Only when nothing can be said at all; one broken entry is a finding.
    fn list(&self) -> Result<Listing, SourceError>;

    /// The instructions of one skill.
    ///
    /// # Errors
    /// [`NotFound`](SourceErrorKind::NotFound) for a key that is not there.
    fn body(&self, key: &str) -> Result<Body, SourceError>;

    /// The files beside the instructions. Default: none of the source's skills has any.
    ///
    /// # Errors
    /// [`NotFound`](SourceErrorKind::NotFound) for a key that is not there.
    fn resources(&self, key: &str) -> Result<Vec<Resource>, SourceError> {
        let _ = key;
        Err(SourceError::new(SourceErrorKind::Unsupported, "this source has no resources"))
    }

    /// The bytes of one file.
    ///
    /// # Errors
    /// [`NotFound`](SourceErrorKind::NotFound) for a key or a path that is not there.
    fn resource(&self, key: &str, path: &ResourcePath) -> Result<Vec<u8>, SourceError> {
        let _ = (key, path);
        Err(SourceError::new(SourceErrorKind::Unsupported, "this source has no resources"))
    }

    /// Returns the source's revision once it is past `since`, or whatever it is after `patience` or a cancelled pause.
    /// Default: nothing ever changes.
    ///
    /// # Errors
    /// When that cannot be told.
    fn wait(&self, since: u64, patience: Duration, pause: &Pause) -> Result<u64, SourceError> {
        pause.sleep(patience);
        Ok(since)
    }

    /// Ends whatever runs, soon. Default: pauses end by themselves, and nothing else is waited for.
    fn cancel(&self) {}
}
