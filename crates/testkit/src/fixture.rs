//! A source under test, and what can be done to it.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;
use std::sync::Arc;

use repertoire_core::{Id, ResourcePath, Skill, Source};

/// A fresh source, and hands that reach behind it.
///
/// Only [`source`](Fixture::source) is required. What the source is able to do ([`watches`](Fixture::watches),
/// [`reads_bodies`](Fixture::reads_bodies), [`reads_resources`](Fixture::reads_resources)) is expected of it until the
/// fixture says otherwise; an operation that is left out is one the fixture cannot do. Either way the promises that need
/// it are reported as skipped. An operation that succeeds must have happened when it returns; the listing may take its
/// time to show it, bodies and resources may not.
#[expect(async_fn_in_trait, reason = "promises drive a fixture in place and never spawn it, so no `Send` is needed")]
pub trait Fixture {
    /// What is tested.
    type Source: Source<Skill>;

    /// The source: the same one at every call.
    fn source(&self) -> Arc<Self::Source>;

    /// Whether the source signals its changes through [`Source::changed`]. Default: it does.
    ///
    /// # Errors
    /// [`Unable`] for a source that has to be polled.
    fn watches(&self) -> Result<(), Unable> {
        Ok(())
    }

    /// Whether the source reads bodies. Default: it does.
    ///
    /// # Errors
    /// [`Unable`] for a source that only lists.
    fn reads_bodies(&self) -> Result<(), Unable> {
        Ok(())
    }

    /// Whether the source reads resources. Default: it does.
    ///
    /// # Errors
    /// [`Unable`] for a source whose skills have no files beside them.
    fn reads_resources(&self) -> Result<(), Unable> {
        Ok(())
    }

    /// Adds a skill, or replaces the one that has this id and keeps its resources.
    ///
    /// # Errors
    /// [`Unable`] when the fixture cannot.
    async fn put(&mut self, id: &Id, description: &str, body: &str) -> Result<(), Unable> {
        let _ = (id, description, body);
        Err(Unable::to("put a skill"))
    }

    /// Adds a skill whose file, front matter and body, is `document`.
    ///
    /// # Errors
    /// [`Unable`] when the fixture cannot, or when the source has no files.
    async fn put_document(&mut self, id: &Id, document: &str) -> Result<(), Unable> {
        let _ = (id, document);
        Err(Unable::to("put the file of a skill"))
    }

    /// Removes a skill that is there.
    ///
    /// # Errors
    /// [`Unable`] when the fixture cannot.
    async fn remove(&mut self, id: &Id) -> Result<(), Unable> {
        let _ = id;
        Err(Unable::to("remove a skill"))
    }

    /// Adds an entry beside the others that the source cannot understand; `id` is what it would be called.
    ///
    /// # Errors
    /// [`Unable`] when the fixture cannot, or when the source has no entries that could be malformed.
    async fn put_malformed(&mut self, id: &Id) -> Result<(), Unable> {
        let _ = id;
        Err(Unable::to("put a malformed entry"))
    }

    /// Adds a file beside the instructions of a skill that is there.
    ///
    /// # Errors
    /// [`Unable`] when the fixture cannot.
    async fn put_resource(&mut self, id: &Id, path: &ResourcePath, bytes: &[u8]) -> Result<(), Unable> {
        let _ = (id, path, bytes);
        Err(Unable::to("put a resource"))
    }

    /// Plants whatever could lead out of a skill that is there (links to files, to folders, to the parent), and tells
    /// the paths that would then leave it.
    ///
    /// # Errors
    /// [`Unable`] when the fixture cannot, or when the source has no links.
    async fn hostile_resource_paths(&mut self, id: &Id) -> Result<Vec<ResourcePath>, Unable> {
        let _ = id;
        Err(Unable::to("plant a link that leaves a skill"))
    }

    /// The raw bytes behind a skill that is there: those that its digest identifies.
    ///
    /// # Errors
    /// [`Unable`] when the fixture cannot.
    async fn content(&self, id: &Id) -> Result<Vec<u8>, Unable> {
        let _ = id;
        Err(Unable::to("show the raw content of a skill"))
    }
}

/// Why a fixture cannot do something, and so why a promise was skipped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unable(Cow<'static, str>);

impl Unable {
    /// "the fixture cannot `action`".
    pub fn to(action: &str) -> Unable {
        Unable(format!("the fixture cannot {action}").into())
    }

    /// A reason in the fixture's own words; lower case, no final dot.
    pub fn because(reason: impl Into<Cow<'static, str>>) -> Unable {
        Unable(reason.into())
    }
}

impl fmt::Display for Unable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for Unable {}
