//! How a source is composed.

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt;
use repertoire_core::{
    Body, Digest, Id, Item, Listing, Manifest, Omission, Resource, ResourcePath, Revision, Source, SourceError,
    SourceErrorKind,
};

use crate::clock::Clock;
use crate::{Claim, Layer, Origin, Tier, Trust};

/// A source and how it is composed: tier, trust, namespace. The source itself knows none of it.
///
/// Builtin and user sources are trusted unless said otherwise, plugins restricted. Cheap to clone; clones mount the very
/// same source.
#[derive(Debug, Clone)]
pub struct Mount<T: Item> {
    source: Arc<dyn Source<T>>,
    origin: Origin,
    trust: Trust,
    namespaced: bool,
    limit: Duration,
    /// Whether the listing that views hold is one the source made. Shared by the clones of one composition.
    listed: Arc<AtomicBool>,
}

impl<T: Item> Mount<T> {
    /// `source` at `tier`.
    pub fn new(tier: Tier, source: impl Source<T>) -> Mount<T> {
        let origin = Origin::new(tier, source.name());
        Mount {
            origin,
            source: Arc::new(source),
            trust: default_trust(tier),
            namespaced: false,
            limit: TIME_LIMIT,
            listed: Arc::default(),
        }
    }

    /// Shipped with the agent.
    pub fn builtin(source: impl Source<T>) -> Mount<T> {
        Mount::new(Tier::Builtin, source)
    }

    /// The user's own.
    pub fn user(source: impl Source<T>) -> Mount<T> {
        Mount::new(Tier::User, source)
    }

    /// From a plugin.
    pub fn plugin(source: impl Source<T>) -> Mount<T> {
        Mount::new(Tier::Plugin, source)
    }

    /// The same source at another tier, with the trust that goes with it unless said otherwise after.
    #[must_use]
    pub fn at(self, tier: Tier) -> Mount<T> {
        let origin = Origin { tier, ..self.origin };
        Mount { origin, trust: default_trust(tier), ..self }
    }

    /// What its text may do.
    #[must_use]
    pub fn trust(mut self, trust: Trust) -> Mount<T> {
        self.trust = trust;
        self
    }

    /// Makes its effective ids `source:id`. Only a skill of an earlier tier that is written so itself comes before them.
    #[must_use]
    pub fn namespaced(mut self) -> Mount<T> {
        self.namespaced = true;
        self
    }

    /// How long the source may take to list what it has, or what changed; 30 seconds unless said otherwise. One that takes
    /// longer could not be listed: it keeps its rows and gets a finding, and the others wait no longer.
    ///
    /// Time is told by the runtime of [`Builder::start`](crate::Builder::start). A registry that was only loaded has no clock, and waits.
    #[must_use]
    pub fn time_limit(mut self, limit: Duration) -> Mount<T> {
        self.limit = limit;
        self
    }

    /// The name of the source.
    pub(crate) fn name(&self) -> &str {
        &self.origin.source
    }

    /// Whether both are one mount of one composition, whatever its settings were.
    pub(crate) fn is(&self, other: &Mount<T>) -> bool {
        Arc::ptr_eq(&self.listed, &other.listed)
    }

    /// Whether both are mounts of the very same source.
    pub(crate) fn has_source_of(&self, other: &Mount<T>) -> bool {
        Arc::ptr_eq(&self.source, &other.source)
    }

    /// Enters a composition, where no view holds a listing of it yet.
    pub(crate) fn begin(&mut self) {
        self.listed = Arc::default();
    }

    /// Takes the place of `old`, a mount of the same source, together with its listing.
    pub(crate) fn go_on_as(&mut self, old: &Mount<T>) {
        self.listed = Arc::clone(&old.listed);
    }

    /// Whether it is composed as it was when `claim` was made.
    pub(crate) fn has_made(&self, claim: &Claim<T>) -> bool {
        self.origin == claim.origin && self.trust == claim.trust
    }

    /// Tier and name.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    pub(crate) async fn list(&self, clock: Clock<'_>) -> Result<Listing<T>, SourceError> {
        let listing = clock.within(self.limit, guarded(self.source.list())).await?;
        self.listed.store(true, Ordering::Relaxed);
        Ok(listing)
    }

    /// Lists what changed since a revision of the source, or everything if the registry has no listing of the source.
    pub(crate) async fn list_since(&self, since: Revision, clock: Clock<'_>) -> Result<Listing<T>, SourceError> {
        if self.listed.load(Ordering::Relaxed) {
            clock.within(self.limit, guarded(self.source.list_since(since))).await
        } else {
            self.list(clock).await
        }
    }

    /// The digest of an item's content, if the source gives it in time.
    pub(crate) async fn digest(&self, id: &Id, clock: Clock<'_>) -> Option<Digest> {
        Some(clock.within(self.limit, self.body(id)).await.ok()?.digest)
    }

    pub(crate) async fn body(&self, id: &Id) -> Result<Body, SourceError> {
        guarded(self.source.body(id)).await
    }

    /// The files of an item, without what is not part of it by its name, whatever kind of source lists it.
    pub(crate) async fn resources(&self, id: &Id) -> Result<Vec<Resource>, SourceError> {
        let mut files = guarded(self.source.resources(id)).await?;
        files.retain(|file| !file.path.is_apart());
        Ok(files)
    }

    pub(crate) async fn resource(&self, id: &Id, path: &ResourcePath) -> Result<Bytes, SourceError> {
        if path.is_apart() {
            let message = format!("no file `{}` in `{id}`", path.as_str().escape_debug());
            return Err(SourceError::new(SourceErrorKind::NotFound, message));
        }
        guarded(self.source.resource(id, path)).await
    }

    pub(crate) async fn omissions(&self, id: &Id) -> Result<Vec<Omission>, SourceError> {
        guarded(self.source.omissions(id)).await
    }

    pub(crate) async fn manifest(&self, id: &Id) -> Result<Manifest, SourceError> {
        guarded(self.source.manifest(id)).await
    }

    /// Resolves when the source is to be looked at again: it says so, or it cannot even tell.
    pub(crate) async fn changed(&self, since: Revision) {
        let _ = guarded(self.source.changed(since).map(Ok)).await;
    }

    pub(crate) fn layer(&self, position: usize, listing: Listing<T>) -> Layer<T> {
        let mut layer = Layer::new(self.origin.clone(), position, listing);
        (layer.trust, layer.namespaced) = (self.trust, self.namespaced);
        layer
    }
}

/// Far above what a folder or a server takes that is well.
const TIME_LIMIT: Duration = Duration::from_secs(30);

fn default_trust(tier: Tier) -> Trust {
    match tier {
        Tier::Builtin | Tier::User => Trust::Trusted,
        Tier::Plugin => Trust::Restricted,
    }
}

/// A call of a source that panics has failed, like one that says so: sources are other people's code, and what keeps
/// the others up to date must outlive them.
async fn guarded<O>(call: impl Future<Output = Result<O, SourceError>>) -> Result<O, SourceError> {
    // What the panic may have left half done belongs to the source, not to us.
    AssertUnwindSafe(call).catch_unwind().await.unwrap_or_else(|panic| Err(panicked(panic.as_ref())))
}

fn panicked(panic: &(dyn Any + Send)) -> SourceError {
    let said = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    SourceError::new(SourceErrorKind::Other, format!("it panicked: {}", said.unwrap_or("it did not say why")))
}
