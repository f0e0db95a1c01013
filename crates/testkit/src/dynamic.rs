//! The same fixture, its source behind a pointer to a trait object.

use std::sync::Arc;

use repertoire_core::{Id, ResourcePath, Skill, Source};

use crate::{Fixture, Unable};

/// A fixture whose source is reached through `Arc<dyn Source<Skill>>`.
///
/// A defaulted method that a pointer forgets to forward still compiles, and quietly does nothing; the same promises
/// through this fixture find it.
#[derive(Debug)]
pub struct Dynamic<F>(F);

impl<F: Fixture> Dynamic<F> {
    /// The same fixture behind a trait object.
    pub fn new(fixture: F) -> Dynamic<F> {
        Dynamic(fixture)
    }
}

impl<F: Fixture> Fixture for Dynamic<F> {
    type Source = Arc<dyn Source<Skill>>;

    fn source(&self) -> Arc<Self::Source> {
        Arc::new(self.0.source())
    }

    fn watches(&self) -> Result<(), Unable> {
        self.0.watches()
    }

    fn reads_bodies(&self) -> Result<(), Unable> {
        self.0.reads_bodies()
    }

    fn reads_resources(&self) -> Result<(), Unable> {
        self.0.reads_resources()
    }

    async fn put(&mut self, id: &Id, description: &str, body: &str) -> Result<(), Unable> {
        self.0.put(id, description, body).await
    }

    async fn put_document(&mut self, id: &Id, document: &str) -> Result<(), Unable> {
        self.0.put_document(id, document).await
    }

    async fn remove(&mut self, id: &Id) -> Result<(), Unable> {
        self.0.remove(id).await
    }

    async fn put_malformed(&mut self, id: &Id) -> Result<(), Unable> {
        self.0.put_malformed(id).await
    }

    async fn put_resource(&mut self, id: &Id, path: &ResourcePath, bytes: &[u8]) -> Result<(), Unable> {
        self.0.put_resource(id, path, bytes).await
    }

    async fn hostile_resource_paths(&mut self, id: &Id) -> Result<Vec<ResourcePath>, Unable> {
        self.0.hostile_resource_paths(id).await
    }

    async fn content(&self, id: &Id) -> Result<Vec<u8>, Unable> {
        self.0.content(id).await
    }
}
