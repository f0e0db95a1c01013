//! Sources with an asynchronous set-up.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use repertoire_core::{
    Body, Id, Item, Listing, Manifest, Omission, Resource, ResourcePath, Revision, Source,
    SourceError,
};
use tokio::sync::OnceCell;

/// A source that is set up when it is first used, for example by opening a connection.
///
/// A set-up that fails is an error of the call that needed it, and is tried again by the next call. A started registry tries
/// again by itself, each time after a longer pause.
///
/// ```
/// use repertoire_core::{Skill, SourceError};
/// use repertoire_registry::{DeferredSource, MemorySource, SkillRegistry};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let wiki = DeferredSource::new("wiki", async || {
///     tokio::task::yield_now().await;
///     let pages = MemorySource::new("wiki");
///     let page = Skill::new("tidy".parse().map_err(|_| SourceError::invalid("a bad title"))?, "Sorts a folder.");
///     pages.register(page).map_err(|error| SourceError::invalid(error.to_string()))?;
///     Ok(pages)
/// });
/// let registry = SkillRegistry::builder().user(wiki).load().await?;
/// assert!(registry.get("tidy").is_some());
/// # Ok(())
/// # }
/// ```
pub struct DeferredSource<T: Item> {
    name: Arc<str>,
    set_up: SetUp<T>,
    source: OnceCell<Arc<dyn Source<T>>>,
}

type SetUp<T> =
    Box<dyn Fn() -> BoxFuture<'static, Result<Arc<dyn Source<T>>, SourceError>> + Send + Sync>;

impl<T: Item> DeferredSource<T> {
    /// Creates a source called `name` with the content of the source that `set_up` creates.
    pub fn new<S: Source<T>, F: Future<Output = Result<S, SourceError>> + Send + 'static>(
        name: impl Into<Arc<str>>,
        set_up: impl Fn() -> F + Send + Sync + 'static,
    ) -> DeferredSource<T> {
        let set_up: SetUp<T> = Box::new(move || {
            let source = set_up();
            async move { Ok(Arc::new(source.await?) as Arc<dyn Source<T>>) }.boxed()
        });
        DeferredSource {
            name: name.into(),
            set_up,
            source: OnceCell::new(),
        }
    }

    async fn source(&self) -> Result<&Arc<dyn Source<T>>, SourceError> {
        self.source.get_or_try_init(|| (self.set_up)()).await
    }
}

impl<T: Item> fmt::Debug for DeferredSource<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeferredSource")
            .field("name", &self.name)
            .field("source", &self.source)
            .finish_non_exhaustive()
    }
}

#[async_trait]
impl<T: Item> Source<T> for DeferredSource<T> {
    fn name(&self) -> &str {
        &self.name
    }

    async fn list(&self) -> Result<Listing<T>, SourceError> {
        self.source().await?.list().await
    }

    async fn list_since(&self, since: Revision) -> Result<Listing<T>, SourceError> {
        self.source().await?.list_since(since).await
    }

    async fn body(&self, id: &Id) -> Result<Body, SourceError> {
        self.source().await?.body(id).await
    }

    async fn resources(&self, id: &Id) -> Result<Vec<Resource>, SourceError> {
        self.source().await?.resources(id).await
    }

    async fn resource(&self, id: &Id, path: &ResourcePath) -> Result<Bytes, SourceError> {
        self.source().await?.resource(id, path).await
    }

    async fn omissions(&self, id: &Id) -> Result<Vec<Omission>, SourceError> {
        self.source().await?.omissions(id).await
    }

    async fn manifest(&self, id: &Id) -> Result<Manifest, SourceError> {
        self.source().await?.manifest(id).await
    }

    async fn changed(&self, since: Revision) {
        // Without a source there was no listing, so a new one is due.
        if let Some(source) = self.source.get() {
            source.changed(since).await;
        }
    }
}
