//! The contract of a source, one test a line.

use std::sync::Arc;

use repertoire_core::{Id, ResourcePath};
use repertoire_source_acme::AcmeSource;
use repertoire_testkit::{Fixture, Unsupported, conformance};

/// A source, and hands that reach behind it. What is left out here is skipped, and the test run says so.
struct Acme(Arc<AcmeSource>);

impl Fixture for Acme {
    type Source = AcmeSource;

    fn source(&self) -> Arc<AcmeSource> {
        self.0.clone()
    }

    async fn put(&mut self, id: &Id, description: &str, body: &str) -> Result<(), Unsupported> {
        self.0.put(id, description, body);
        Ok(())
    }

    async fn remove(&mut self, id: &Id) -> Result<(), Unsupported> {
        self.0.remove(id);
        Ok(())
    }

    async fn put_resource(&mut self, id: &Id, path: &ResourcePath, bytes: &[u8]) -> Result<(), Unsupported> {
        self.0.put_resource(id, path, bytes);
        Ok(())
    }
}

conformance!(Acme(Arc::new(AcmeSource::new("acme"))));
