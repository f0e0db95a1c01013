//! `MemorySource` keeps every promise of a source.

use std::sync::Arc;

use repertoire_core::{Id, ResourcePath, Skill};
use repertoire_registry::{MemorySource, Registered};
use repertoire_testkit::{Fixture, Unsupported, conformance};

struct Memory {
    source: Arc<MemorySource<Skill>>,
    written: Vec<Registered<Skill>>,
}

impl Memory {
    fn new() -> Memory {
        Memory { source: Arc::new(MemorySource::named("memory")), written: Vec::new() }
    }

    fn of(&mut self, id: &Id) -> &mut Registered<Skill> {
        self.written.iter_mut().find(|skill| skill.item.id == *id).unwrap()
    }

    fn replace(&self, skill: &Registered<Skill>) {
        self.source.replace(&skill.item.id, skill.clone()).unwrap();
    }
}

impl Fixture for Memory {
    type Source = MemorySource<Skill>;

    fn source(&self) -> Arc<MemorySource<Skill>> {
        self.source.clone()
    }

    async fn put(&mut self, id: &Id, description: &str, body: &str) -> Result<(), Unsupported> {
        let skill = Skill::new(id.clone(), description);
        if self.source.has(id.as_str()) {
            let old = self.of(id);
            (old.item, old.body) = (Arc::new(skill), Some(body.into()));
            let new = old.clone();
            self.replace(&new);
        } else {
            let skill = Registered::new(skill, body);
            self.source.register(skill.clone()).unwrap();
            self.written.push(skill);
        }
        Ok(())
    }

    async fn remove(&mut self, id: &Id) -> Result<(), Unsupported> {
        self.source.unregister(id.as_str());
        self.written.retain(|skill| skill.item.id != *id);
        Ok(())
    }

    async fn put_malformed(&mut self, _: &Id) -> Result<(), Unsupported> {
        Err(Unsupported::because("an item that was registered is well formed by its type"))
    }

    async fn put_resource(&mut self, id: &Id, path: &ResourcePath, bytes: &[u8]) -> Result<(), Unsupported> {
        let skill = self.of(id);
        *skill = skill.clone().with_resource(path.clone(), bytes.to_vec());
        let new = skill.clone();
        self.replace(&new);
        Ok(())
    }

    async fn hostile_resource_paths(&mut self, _: &Id) -> Result<Vec<ResourcePath>, Unsupported> {
        Err(Unsupported::because("memory holds no links"))
    }

    async fn content(&self, id: &Id) -> Result<Vec<u8>, Unsupported> {
        let skill = self.written.iter().find(|skill| skill.item.id == *id).unwrap();
        Ok(skill.body.as_deref().unwrap_or_default().as_bytes().to_vec())
    }
}

conformance!(Memory::new());
