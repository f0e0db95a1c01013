//! Sources as they are composed.

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt;
use repertoire_core::{
    Body, Digest, Id, Item, Listing, Manifest, Omission, Resource, ResourcePath, Revision, Source,
    SourceError, SourceErrorKind,
};
use tokio::runtime::{Handle, TryCurrentError};

use crate::{Candidate, Layer, Origin, RuleStack, Tier, Trust};

/// A source with its tier, trust and namespace, which the source itself does not know.
///
/// Builtin and user sources are trusted by default, plugins restricted. Cheap to clone. Clones mount the same source.
#[derive(Debug, Clone)]
pub struct Mount<T: Item> {
    source: Arc<dyn Source<T>>,
    origin: Origin,
    trust: Trust,
    namespaced: bool,
    limit: Option<Duration>,
    /// `true` if the registry has a listing that the source made. Shared by the clones of one composition.
    listed: Arc<AtomicBool>,
}

impl<T: Item> Mount<T> {
    /// Mounts `source` at `tier`.
    pub fn new(tier: Tier, source: impl Source<T>) -> Mount<T> {
        let origin = Origin::new(tier, source.name());
        Mount {
            origin,
            source: Arc::new(source),
            trust: default_trust(tier),
            namespaced: false,
            limit: None,
            listed: Arc::default(),
        }
    }

    /// Mounts a source that is shipped with the agent.
    pub fn builtin(source: impl Source<T>) -> Mount<T> {
        Mount::new(Tier::Builtin, source)
    }

    /// Mounts a source of the user.
    pub fn user(source: impl Source<T>) -> Mount<T> {
        Mount::new(Tier::User, source)
    }

    /// Mounts the source of a plugin.
    pub fn plugin(source: impl Source<T>) -> Mount<T> {
        Mount::new(Tier::Plugin, source)
    }

    /// Returns the same mount at a different tier, with the default trust of that tier.
    #[must_use]
    pub fn at(self, tier: Tier) -> Mount<T> {
        let origin = Origin {
            tier,
            ..self.origin
        };
        Mount {
            origin,
            trust: default_trust(tier),
            ..self
        }
    }

    /// Sets the rights of its text.
    #[must_use]
    pub fn trust(mut self, trust: Trust) -> Mount<T> {
        self.trust = trust;
        self
    }

    /// Makes its effective ids `source:id`. Only a skill of an earlier tier with the same written id comes before them.
    #[must_use]
    pub fn namespaced(mut self) -> Mount<T> {
        self.namespaced = true;
        self
    }

    /// Sets the time limit for listing the source. Default: 30 seconds on a registry that was
    /// [started](crate::Builder::start), none on a registry that was only loaded.
    ///
    /// A source that takes longer keeps its rows and gets a diagnostic. A registry that was only loaded takes the clock of the
    /// tokio runtime that calls it. Without a runtime the source is not listed, with a diagnostic.
    ///
    /// # Panics
    /// Listing panics on a runtime that was built without time.
    #[must_use]
    pub fn time_limit(mut self, limit: Duration) -> Mount<T> {
        self.limit = Some(limit);
        self
    }

    pub(crate) fn name(&self) -> &str {
        &self.origin.source
    }

    pub(crate) fn ptr_eq(&self, other: &Mount<T>) -> bool {
        Arc::ptr_eq(&self.listed, &other.listed)
    }

    pub(crate) fn has_source_of(&self, other: &Mount<T>) -> bool {
        Arc::ptr_eq(&self.source, &other.source)
    }

    pub(crate) fn reset(&mut self) {
        self.listed = Arc::default();
    }

    pub(crate) fn inherit_listing(&mut self, old: &Mount<T>) {
        self.listed = Arc::clone(&old.listed);
    }

    /// Returns whether `candidate` is of this mount under `rules`.
    pub(crate) fn matches(&self, candidate: &Candidate<T>, rules: &RuleStack) -> bool {
        self.origin == candidate.origin
            && rules.trust_of(self.trust, candidate.item.location()) == candidate.trust
    }

    /// Returns the tier and the name.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    pub(crate) async fn list(&self, clock: Option<&Handle>) -> Result<Listing<T>, SourceError> {
        let listing = self
            .within_limit(clock, catch_panic(self.source.list()))
            .await?;
        self.listed.store(true, Ordering::Relaxed);
        Ok(listing)
    }

    /// Lists what changed since a revision of the source, or everything if the registry has no listing of the source.
    pub(crate) async fn list_since(
        &self,
        since: Revision,
        clock: Option<&Handle>,
    ) -> Result<Listing<T>, SourceError> {
        if self.listed.load(Ordering::Relaxed) {
            self.within_limit(clock, catch_panic(self.source.list_since(since)))
                .await
        } else {
            self.list(clock).await
        }
    }

    pub(crate) async fn digest(&self, id: &Id, clock: Option<&Handle>) -> Option<Digest> {
        Some(self.within_limit(clock, self.body(id)).await.ok()?.digest)
    }

    pub(crate) async fn body(&self, id: &Id) -> Result<Body, SourceError> {
        catch_panic(self.source.body(id)).await
    }

    pub(crate) async fn resources(&self, id: &Id) -> Result<Vec<Resource>, SourceError> {
        let mut files = catch_panic(self.source.resources(id)).await?;
        files.retain(|file| !file.path.is_apart());
        Ok(files)
    }

    pub(crate) async fn resource(
        &self,
        id: &Id,
        path: &ResourcePath,
    ) -> Result<Bytes, SourceError> {
        if path.is_apart() {
            let message = format!("no file `{}` in `{id}`", path.as_str().escape_debug());
            return Err(SourceError::new(SourceErrorKind::NotFound, message));
        }
        catch_panic(self.source.resource(id, path)).await
    }

    pub(crate) async fn omissions(&self, id: &Id) -> Result<Vec<Omission>, SourceError> {
        catch_panic(self.source.omissions(id)).await
    }

    pub(crate) async fn manifest(&self, id: &Id) -> Result<Manifest, SourceError> {
        catch_panic(self.source.manifest(id)).await
    }

    /// Waits for `call` as long as the limit allows. `clock` is the runtime that the registry was started on.
    async fn within_limit<O>(
        &self,
        clock: Option<&Handle>,
        call: impl Future<Output = Result<O, SourceError>>,
    ) -> Result<O, SourceError> {
        let (runtime, limit) = match (clock, self.limit) {
            (Some(runtime), limit) => (runtime.clone(), limit.unwrap_or(TIME_LIMIT)),
            (None, None) => return call.await,
            (None, Some(limit)) => (Handle::try_current().map_err(without_runtime)?, limit),
        };
        let end = {
            // The caller may wait on a different runtime, which need not have a clock.
            let _runtime = runtime.enter();
            tokio::time::sleep(limit)
        };
        tokio::select! {
            biased;
            answer = call => answer,
            () = end => {
                let message = format!("it did not answer within {limit:?}");
                Err(SourceError::new(SourceErrorKind::Unavailable, message))
            }
        }
    }

    /// Resolves when the source reports a change, or panics instead.
    pub(crate) async fn changed(&self, since: Revision) {
        let _ = catch_panic(self.source.changed(since).map(Ok)).await;
    }

    pub(crate) fn layer(&self, position: usize, listing: Listing<T>) -> Layer<T> {
        let mut layer = Layer::new(self.origin.clone(), position, listing);
        (layer.trust, layer.namespaced) = (self.trust, self.namespaced);
        layer
    }
}

const TIME_LIMIT: Duration = Duration::from_secs(30);

fn default_trust(tier: Tier) -> Trust {
    match tier {
        Tier::Builtin | Tier::User => Trust::Trusted,
        Tier::Plugin => Trust::Restricted,
    }
}

fn without_runtime(error: TryCurrentError) -> SourceError {
    SourceError::new(
        SourceErrorKind::Other,
        "its time limit needs a tokio runtime",
    )
    .caused_by(error)
}

async fn catch_panic<O>(
    call: impl Future<Output = Result<O, SourceError>>,
) -> Result<O, SourceError> {
    // What the panic may have left half done belongs to the source, not to us.
    AssertUnwindSafe(call)
        .catch_unwind()
        .await
        .unwrap_or_else(|panic| Err(panicked(panic.as_ref())))
}

fn panicked(panic: &(dyn Any + Send)) -> SourceError {
    let said = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    SourceError::new(
        SourceErrorKind::Other,
        format!("it panicked: {}", said.unwrap_or("no panic message")),
    )
}
