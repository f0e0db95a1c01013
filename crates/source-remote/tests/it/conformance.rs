//! The promises of every source.

use std::sync::Arc;

use repertoire_core::{Id, ResourcePath, Source};
use repertoire_source_remote::RemoteSource;
use repertoire_testkit::{Fixture, Unsupported};

use crate::publisher::{Form, Publisher};

struct Remote {
    publisher: Publisher,
    source: Arc<RemoteSource>,
}

fn remote(form: Form) -> Remote {
    let publisher = Publisher::new(form);
    let source = Arc::new(publisher.source());
    Remote { publisher, source }
}

impl Remote {
    /// Bodies are those of the last listing.
    async fn read_again(&self) -> Result<(), Unsupported> {
        self.source.list().await.expect("the server is there");
        Ok(())
    }
}

impl Fixture for Remote {
    type Source = RemoteSource;

    fn source(&self) -> Arc<RemoteSource> {
        self.source.clone()
    }

    async fn put(&mut self, id: &Id, description: &str, body: &str) -> Result<(), Unsupported> {
        let text = format!("---\nname: {id}\ndescription: {description}\n---\n\n{body}");
        self.publisher.put(id.as_str(), "SKILL.md", text);
        self.read_again().await
    }

    async fn put_document(&mut self, id: &Id, document: &str) -> Result<(), Unsupported> {
        self.publisher.put(id.as_str(), "SKILL.md", document);
        Ok(())
    }

    async fn remove(&mut self, id: &Id) -> Result<(), Unsupported> {
        self.publisher.skills.remove(id.as_str());
        self.publisher.publish();
        self.read_again().await
    }

    async fn put_malformed(&mut self, id: &Id) -> Result<(), Unsupported> {
        self.publisher
            .put(id.as_str(), "SKILL.md", "no front matter");
        self.read_again().await
    }

    async fn put_resource(
        &mut self,
        id: &Id,
        path: &ResourcePath,
        bytes: &[u8],
    ) -> Result<(), Unsupported> {
        self.publisher.put(id.as_str(), path.as_str(), bytes);
        self.read_again().await
    }

    async fn hostile_resource_paths(&mut self, _: &Id) -> Result<Vec<ResourcePath>, Unsupported> {
        Err(Unsupported::because(
            "a server has no links, and links in archives are refused",
        ))
    }

    async fn content(&self, id: &Id) -> Result<Vec<u8>, Unsupported> {
        let skill = self.publisher.skills.get(id.as_str());
        let content = skill.and_then(|files| files.get("SKILL.md"));
        Ok(content.expect("the skill was put").clone())
    }
}

mod of_an_index_with_digests {
    use super::*;

    repertoire_testkit::conformance!(remote(Form::Archives));
}

mod of_an_index_of_files {
    use super::*;

    repertoire_testkit::conformance!(remote(Form::Files));
}

mod of_a_collection_in_a_registry {
    use super::*;

    repertoire_testkit::conformance!(remote(Form::Collection));
}
