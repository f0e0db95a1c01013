//! The promises of every source.

use std::sync::Arc;

use crate::scripted::With;

use repertoire_core::{Id, ResourcePath};
use repertoire_source_mcp::McpSource;
use repertoire_testkit::{Fixture, Unsupported};

use crate::served::{Served, served};

/// A source over a server, and hands that reach into the server.
struct Remote {
    served: Served,
    source: Arc<McpSource>,
}

async fn notifying_remote() -> Remote {
    let served = served(true).await;
    let source = Arc::new(served.source("remote"));
    Remote { served, source }
}

async fn polled() -> Remote {
    let served = served(false).await;
    let options = served.options().with(|options| options.poll_ms = 5);
    let source = Arc::new(McpSource::new("remote", options).unwrap());
    Remote { served, source }
}

impl Fixture for Remote {
    type Source = McpSource;

    fn source(&self) -> Arc<McpSource> {
        self.source.clone()
    }

    async fn put(&mut self, id: &Id, description: &str, body: &str) -> Result<(), Unsupported> {
        let text = format!("---\nname: {id}\ndescription: {description}\n---\n\n{body}");
        self.served.shop.put(id.as_str(), "SKILL.md", text).await;
        Ok(())
    }

    async fn put_document(&mut self, id: &Id, document: &str) -> Result<(), Unsupported> {
        self.served
            .shop
            .put(id.as_str(), "SKILL.md", document)
            .await;
        Ok(())
    }

    async fn remove(&mut self, id: &Id) -> Result<(), Unsupported> {
        self.served.shop.remove(id.as_str()).await;
        Ok(())
    }

    async fn put_malformed(&mut self, id: &Id) -> Result<(), Unsupported> {
        self.served.shop.put_malformed(id.as_str()).await;
        Ok(())
    }

    async fn put_resource(
        &mut self,
        id: &Id,
        path: &ResourcePath,
        bytes: &[u8],
    ) -> Result<(), Unsupported> {
        self.served
            .shop
            .put(id.as_str(), path.as_str(), bytes)
            .await;
        Ok(())
    }

    async fn hostile_resource_paths(&mut self, _: &Id) -> Result<Vec<ResourcePath>, Unsupported> {
        Err(Unsupported::because(
            "a server lists files and has no links; those that lie outside are in `hostile`",
        ))
    }

    async fn content(&self, id: &Id) -> Result<Vec<u8>, Unsupported> {
        Ok(self.served.shop.content(id.as_str()))
    }
}

mod of_a_server_that_tells {
    use super::*;

    repertoire_testkit::conformance!(notifying_remote().await);
}

mod of_a_server_that_is_polled {
    use super::*;

    repertoire_testkit::conformance!(polled().await);
}
