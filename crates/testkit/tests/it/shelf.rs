//! A sound source in memory.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use repertoire_core::{
    Body, Bytes, Code, Diagnostic, Digest, Id, Listed, Listing, Resource, ResourcePath, Revision, Severity, Skill,
    Source, SourceError, Stamp, async_trait,
};
use repertoire_testkit::{Fixture, Unable};
use tokio::sync::watch;

/// Skills in the order of their ids.
#[derive(Debug, Default)]
pub(crate) struct Shelf {
    books: Mutex<BTreeMap<Id, Book>>,
    revision: watch::Sender<u64>,
}

/// What stands at one id.
#[derive(Debug, Clone)]
pub(crate) enum Book {
    Skill { description: String, body: String, resources: BTreeMap<ResourcePath, Bytes> },
    Malformed,
}

impl Shelf {
    pub(crate) fn books(&self) -> MutexGuard<'_, BTreeMap<Id, Book>> {
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn revision(&self) -> Revision {
        Revision(*self.revision.borrow())
    }

    pub(crate) fn subscribe(&self) -> watch::Receiver<u64> {
        self.revision.subscribe()
    }

    fn change(&self, change: impl FnOnce(&mut BTreeMap<Id, Book>)) {
        change(&mut self.books());
        self.revision.send_modify(|revision| *revision += 1);
    }

    fn read<R>(
        &self,
        id: &Id,
        read: impl FnOnce(&str, &BTreeMap<ResourcePath, Bytes>) -> Option<R>,
    ) -> Result<R, SourceError> {
        match self.books().get(id) {
            Some(Book::Skill { body, resources, .. }) => read(body, resources),
            Some(Book::Malformed) | None => None,
        }
        .ok_or_else(|| SourceError::not_found("skill", id))
    }
}

const TORN: Code = Code::foreign("shelf-torn", Severity::Error, "An entry of the shelf cannot be read.");

#[async_trait]
impl Source<Skill> for Shelf {
    fn name(&self) -> &str {
        "shelf"
    }

    async fn list(&self) -> Result<Listing<Skill>, SourceError> {
        let revision = self.revision();
        let (mut rows, mut diagnostics) = (Vec::new(), Vec::new());
        for (id, book) in self.books().iter() {
            match book {
                Book::Skill { description, body, .. } => {
                    rows.push(Listed::new(Skill::new(id.clone(), description.as_str()), Stamp::of(body)));
                }
                Book::Malformed => diagnostics.push(Diagnostic::new(TORN, format!("`{id}` is torn"))),
            }
        }
        Ok(Listing::new(revision, rows, diagnostics))
    }

    async fn body(&self, id: &Id) -> Result<Body, SourceError> {
        self.read(id, |body, _| Some(Body::new(body, Digest::of(body.as_bytes()), Stamp::of(body))))
    }

    async fn resources(&self, id: &Id) -> Result<Vec<Resource>, SourceError> {
        let row =
            |(path, bytes): (&ResourcePath, &Bytes)| Resource::new(path.clone(), bytes.len() as u64, Digest::of(bytes));
        self.read(id, |_, resources| Some(resources.iter().map(row).collect()))
    }

    async fn resource(&self, id: &Id, path: &ResourcePath) -> Result<Bytes, SourceError> {
        self.read(id, |_, resources| resources.get(path).cloned())
    }

    async fn changed(&self, since: Revision) {
        let mut revision = self.subscribe();
        revision.wait_for(|revision| *revision > since.0).await.expect("the shelf holds the sender");
    }
}

/// Does all that can be done to a shelf; it has no links.
#[derive(Debug, Default)]
pub(crate) struct ShelfFixture(pub(crate) Arc<Shelf>);

impl Fixture for ShelfFixture {
    type Source = Shelf;

    fn source(&self) -> Arc<Shelf> {
        self.0.clone()
    }

    async fn put(&mut self, id: &Id, description: &str, body: &str) -> Result<(), Unable> {
        self.0.change(|books| {
            let resources = match books.remove(id) {
                Some(Book::Skill { resources, .. }) => resources,
                Some(Book::Malformed) | None => BTreeMap::new(),
            };
            books.insert(id.clone(), Book::Skill { description: description.into(), body: body.into(), resources });
        });
        Ok(())
    }

    async fn remove(&mut self, id: &Id) -> Result<(), Unable> {
        self.0.change(|books| assert!(books.remove(id).is_some(), "`{id}` is not there"));
        Ok(())
    }

    async fn put_malformed(&mut self, id: &Id) -> Result<(), Unable> {
        self.0.change(|books| drop(books.insert(id.clone(), Book::Malformed)));
        Ok(())
    }

    async fn put_resource(&mut self, id: &Id, path: &ResourcePath, bytes: &[u8]) -> Result<(), Unable> {
        self.0.change(|books| match books.get_mut(id) {
            Some(Book::Skill { resources, .. }) => drop(resources.insert(path.clone(), Bytes::copy_from_slice(bytes))),
            Some(Book::Malformed) | None => panic!("`{id}` is not there"),
        });
        Ok(())
    }

    async fn hostile_resource_paths(&mut self, _: &Id) -> Result<Vec<ResourcePath>, Unable> {
        Err(Unable::because("a shelf has no links"))
    }

    async fn content(&self, id: &Id) -> Result<Vec<u8>, Unable> {
        match self.0.books().get(id) {
            Some(Book::Skill { body, .. }) => Ok(body.clone().into_bytes()),
            Some(Book::Malformed) | None => panic!("`{id}` is not there"),
        }
    }
}
