//! Sources behind a trait object.

use std::sync::Arc;

use repertoire_core::{Id, Item, ResourcePath, Source};

use crate::{Fixture, Unsupported};

/// A fixture with its source behind `Arc<dyn Source<T>>`.
///
/// A wrapper that does not forward a method with a default compiles. The tests detect it through this fixture.
#[doc(hidden)]
#[derive(Debug)]
pub struct Dynamic<F>(F);

impl<F> Dynamic<F> {
    /// Wraps a fixture.
    pub fn new(fixture: F) -> Dynamic<F> {
        Dynamic(fixture)
    }
}

impl<T: Item, F: Fixture<T>> Fixture<T> for Dynamic<F> {
    type Source = Arc<dyn Source<T>>;

    fn source(&self) -> Arc<Self::Source> {
        Arc::new(self.0.source())
    }

    fn watches(&self) -> Result<(), Unsupported> {
        self.0.watches()
    }

    fn reads_bodies(&self) -> Result<(), Unsupported> {
        self.0.reads_bodies()
    }

    fn reads_resources(&self) -> Result<(), Unsupported> {
        self.0.reads_resources()
    }

    async fn put(&mut self, id: &Id, description: &str, body: &str) -> Result<(), Unsupported> {
        self.0.put(id, description, body).await
    }

    async fn put_document(&mut self, id: &Id, document: &str) -> Result<(), Unsupported> {
        self.0.put_document(id, document).await
    }

    async fn remove(&mut self, id: &Id) -> Result<(), Unsupported> {
        self.0.remove(id).await
    }

    async fn put_malformed(&mut self, id: &Id) -> Result<(), Unsupported> {
        self.0.put_malformed(id).await
    }

    async fn put_resource(
        &mut self,
        id: &Id,
        path: &ResourcePath,
        bytes: &[u8],
    ) -> Result<(), Unsupported> {
        self.0.put_resource(id, path, bytes).await
    }

    async fn hostile_resource_paths(&mut self, id: &Id) -> Result<Vec<ResourcePath>, Unsupported> {
        self.0.hostile_resource_paths(id).await
    }

    async fn content(&self, id: &Id) -> Result<Vec<u8>, Unsupported> {
        self.0.content(id).await
    }
}
