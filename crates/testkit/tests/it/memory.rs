//! A correct source in memory.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use repertoire_core::{
    Body, Bytes, Code, Diagnostic, Digest, Id, Listing, ListingEntry, Resource, ResourcePath,
    Revision, Severity, Skill, Source, SourceError, Stamp, async_trait,
};
use repertoire_testkit::{Fixture, Unsupported};
use tokio::sync::watch;

/// Skills in the order of their ids.
#[derive(Debug, Default)]
pub(crate) struct MemoryStore {
    records: Mutex<BTreeMap<Id, Record>>,
    revision: watch::Sender<u64>,
}

/// A record of the store.
#[derive(Debug, Clone)]
pub(crate) enum Record {
    Skill {
        description: String,
        body: String,
        resources: BTreeMap<ResourcePath, Bytes>,
    },
    Malformed,
}

impl MemoryStore {
    pub(crate) fn records(&self) -> MutexGuard<'_, BTreeMap<Id, Record>> {
        self.records.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn revision(&self) -> Revision {
        Revision(*self.revision.borrow())
    }

    pub(crate) fn subscribe(&self) -> watch::Receiver<u64> {
        self.revision.subscribe()
    }

    fn change(&self, change: impl FnOnce(&mut BTreeMap<Id, Record>)) {
        change(&mut self.records());
        self.revision.send_modify(|revision| *revision += 1);
    }

    fn read<R>(
        &self,
        id: &Id,
        read: impl FnOnce(&str, &BTreeMap<ResourcePath, Bytes>) -> Option<R>,
    ) -> Result<R, SourceError> {
        match self.records().get(id) {
            Some(Record::Skill {
                body, resources, ..
            }) => read(body, resources),
            Some(Record::Malformed) | None => None,
        }
        .ok_or_else(|| SourceError::not_found("skill", id))
    }
}

const TORN: Code = Code::foreign(
    "store-torn",
    Severity::Error,
    "An entry of the store cannot be read.",
);

#[async_trait]
impl Source<Skill> for MemoryStore {
    fn name(&self) -> &str {
        "store"
    }

    async fn list(&self) -> Result<Listing<Skill>, SourceError> {
        let revision = self.revision();
        let (mut rows, mut diagnostics) = (Vec::new(), Vec::new());
        for (id, record) in self.records().iter() {
            match record {
                Record::Skill {
                    description,
                    body,
                    resources,
                } => {
                    let stamp = Stamp::of(&(body, resources));
                    rows.push(ListingEntry::new(
                        Skill::new(id.clone(), description.as_str()),
                        stamp,
                    ));
                }
                Record::Malformed => {
                    diagnostics.push(Diagnostic::new(TORN, format!("`{id}` is torn")))
                }
            }
        }
        Ok(Listing::new(revision, rows, diagnostics))
    }

    async fn body(&self, id: &Id) -> Result<Body, SourceError> {
        self.read(id, |body, resources| {
            Some(Body::new(
                body,
                Digest::of(body.as_bytes()),
                Stamp::of(&(body, resources)),
            ))
        })
    }

    async fn resources(&self, id: &Id) -> Result<Vec<Resource>, SourceError> {
        let row = |(path, bytes): (&ResourcePath, &Bytes)| {
            Resource::new(path.clone(), bytes.len() as u64, Digest::of(bytes))
        };
        self.read(id, |_, resources| Some(resources.iter().map(row).collect()))
    }

    async fn resource(&self, id: &Id, path: &ResourcePath) -> Result<Bytes, SourceError> {
        self.read(id, |_, resources| resources.get(path).cloned())
    }

    async fn changed(&self, since: Revision) {
        let mut revision = self.subscribe();
        revision
            .wait_for(|revision| *revision > since.0)
            .await
            .expect("the store holds the sender");
    }
}

/// Does all that can be done to a store; it has no links.
#[derive(Debug, Default)]
pub(crate) struct MemoryFixture(pub(crate) Arc<MemoryStore>);

impl Fixture for MemoryFixture {
    type Source = MemoryStore;

    fn source(&self) -> Arc<MemoryStore> {
        self.0.clone()
    }

    async fn put(&mut self, id: &Id, description: &str, body: &str) -> Result<(), Unsupported> {
        self.0.change(|records| {
            let resources = match records.remove(id) {
                Some(Record::Skill { resources, .. }) => resources,
                Some(Record::Malformed) | None => BTreeMap::new(),
            };
            records.insert(
                id.clone(),
                Record::Skill {
                    description: description.into(),
                    body: body.into(),
                    resources,
                },
            );
        });
        Ok(())
    }

    async fn remove(&mut self, id: &Id) -> Result<(), Unsupported> {
        self.0
            .change(|records| assert!(records.remove(id).is_some(), "`{id}` is not there"));
        Ok(())
    }

    async fn put_malformed(&mut self, id: &Id) -> Result<(), Unsupported> {
        self.0
            .change(|records| drop(records.insert(id.clone(), Record::Malformed)));
        Ok(())
    }

    async fn put_resource(
        &mut self,
        id: &Id,
        path: &ResourcePath,
        bytes: &[u8],
    ) -> Result<(), Unsupported> {
        self.0.change(|records| match records.get_mut(id) {
            Some(Record::Skill { resources, .. }) => {
                drop(resources.insert(path.clone(), Bytes::copy_from_slice(bytes)))
            }
            Some(Record::Malformed) | None => panic!("`{id}` is not there"),
        });
        Ok(())
    }

    async fn hostile_resource_paths(&mut self, _: &Id) -> Result<Vec<ResourcePath>, Unsupported> {
        Err(Unsupported::because("the store has no links"))
    }

    async fn content(&self, id: &Id) -> Result<Vec<u8>, Unsupported> {
        match self.0.records().get(id) {
            Some(Record::Skill { body, .. }) => Ok(body.clone().into_bytes()),
            Some(Record::Malformed) | None => panic!("`{id}` is not there"),
        }
    }
}
