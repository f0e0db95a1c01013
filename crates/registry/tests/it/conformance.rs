//! `MemorySource` keeps every promise of a source.

use std::collections::BTreeMap;
use std::sync::Arc;

use repertoire_core::{Id, ResourcePath, Skill};
use repertoire_registry::{MemorySource, Registered};
use repertoire_testkit::{Fixture, Unsupported, conformance};

/// The stored content: a description, a body and files.
#[derive(Clone, Default)]
struct Written(String, String, Vec<(ResourcePath, Vec<u8>)>);

struct Memory {
    source: Arc<MemorySource<Skill>>,
    written: BTreeMap<Id, Written>,
}

impl Memory {
    fn new() -> Memory {
        Memory {
            source: Arc::new(MemorySource::new("memory")),
            written: BTreeMap::new(),
        }
    }

    fn write(&mut self, id: &Id, change: impl FnOnce(&mut Written)) {
        let is_new = !self.written.contains_key(id);
        let written = self.written.entry(id.clone()).or_default();
        change(written);
        let Written(description, body, files) = written.clone();
        let skill = Registered::new(Skill::new(id.clone(), description), body);
        let skill = files.into_iter().fold(skill, |skill, (path, bytes)| {
            skill.with_resource(path, bytes)
        });
        if is_new {
            self.source.register(skill)
        } else {
            self.source.replace(id, skill)
        }
        .unwrap();
    }
}

impl Fixture for Memory {
    type Source = MemorySource<Skill>;

    fn source(&self) -> Arc<MemorySource<Skill>> {
        self.source.clone()
    }

    async fn put(&mut self, id: &Id, description: &str, body: &str) -> Result<(), Unsupported> {
        self.write(id, |written| {
            (written.0, written.1) = (description.to_owned(), body.to_owned())
        });
        Ok(())
    }

    async fn remove(&mut self, id: &Id) -> Result<(), Unsupported> {
        self.source.unregister(id.as_str());
        self.written.remove(id);
        Ok(())
    }

    async fn put_malformed(&mut self, _: &Id) -> Result<(), Unsupported> {
        Err(Unsupported::because(
            "an item that was registered is well formed by its type",
        ))
    }

    async fn put_resource(
        &mut self,
        id: &Id,
        path: &ResourcePath,
        bytes: &[u8],
    ) -> Result<(), Unsupported> {
        self.write(id, |written| written.2.push((path.clone(), bytes.to_vec())));
        Ok(())
    }

    async fn hostile_resource_paths(&mut self, _: &Id) -> Result<Vec<ResourcePath>, Unsupported> {
        Err(Unsupported::because("memory holds no links"))
    }

    async fn content(&self, id: &Id) -> Result<Vec<u8>, Unsupported> {
        Ok(self.written[id].1.as_bytes().to_vec())
    }
}

conformance!(Memory::new());

mod deferred {
    use repertoire_core::{Id, ResourcePath, Skill};
    use repertoire_registry::DeferredSource;
    use repertoire_testkit::{Fixture, Unsupported};

    use super::{Arc, Memory};

    /// The same source, which is set up by the first call.
    struct Deferred(Memory, Arc<DeferredSource<Skill>>);

    impl Deferred {
        fn new() -> Deferred {
            let memory = Memory::new();
            let source = memory.source();
            let set_up = move || {
                let source = source.clone();
                async move {
                    tokio::task::yield_now().await;
                    Ok(source)
                }
            };
            Deferred(memory, Arc::new(DeferredSource::new("memory", set_up)))
        }
    }

    impl Fixture for Deferred {
        type Source = DeferredSource<Skill>;

        fn source(&self) -> Arc<DeferredSource<Skill>> {
            self.1.clone()
        }

        async fn put(&mut self, id: &Id, description: &str, body: &str) -> Result<(), Unsupported> {
            self.0.put(id, description, body).await
        }

        async fn remove(&mut self, id: &Id) -> Result<(), Unsupported> {
            self.0.remove(id).await
        }

        async fn put_resource(
            &mut self,
            id: &Id,
            path: &ResourcePath,
            bytes: &[u8],
        ) -> Result<(), Unsupported> {
            self.0.put_resource(id, path, bytes).await
        }

        async fn content(&self, id: &Id) -> Result<Vec<u8>, Unsupported> {
            self.0.content(id).await
        }
    }

    repertoire_testkit::conformance!(Deferred::new());
}
