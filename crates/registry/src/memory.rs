//! Items registered in code.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use parking_lot::{Mutex, MutexGuard};
use repertoire_core::{
    Body, ContentDigests, Digest, Flavor, Id, Injection, Item, Listing, ListingEntry, Manifest,
    Resource, ResourcePath, Revision, Skill, Source, SourceError, SourceErrorKind, Stamp, Trigger,
};
use tokio::sync::watch;

use crate::RegistryError;

/// An item with its body and its resources.
#[derive(Debug, Clone, PartialEq)]
pub struct Registered<T> {
    item: Arc<T>,
    body: Option<Arc<str>>,
    resources: BTreeMap<ResourcePath, Bytes>,
}

impl<T: Item> Registered<T> {
    /// Creates an item with instructions.
    pub fn new(item: T, body: impl Into<Arc<str>>) -> Registered<T> {
        Registered {
            body: Some(body.into()),
            ..Registered::from(item)
        }
    }

    /// Adds a file.
    #[must_use]
    pub fn with_resource(mut self, path: ResourcePath, bytes: impl Into<Bytes>) -> Registered<T> {
        self.resources.insert(path, bytes.into());
        self
    }

    fn files(&self) -> impl Iterator<Item = Resource> {
        self.resources
            .iter()
            .map(|(path, bytes)| Resource::new(path.clone(), bytes.len() as u64, Digest::of(bytes)))
    }

    fn row(&self) -> ListingEntry<T> {
        let row = ListingEntry::new(
            Arc::clone(&self.item),
            Stamp::of(&(&self.body, &self.resources)),
        );
        let files = Manifest::new(self.files()).expect("the paths are the keys of a map");
        match &self.body {
            Some(body) => row
                .with_digest(Digest::of(body.as_bytes()))
                .with_parts(ContentDigests::new(body, &files)),
            None => row,
        }
    }
}

impl<T: Item> From<T> for Registered<T> {
    fn from(item: T) -> Registered<T> {
        Registered {
            item: Arc::new(item),
            body: None,
            resources: BTreeMap::new(),
        }
    }
}

impl TryFrom<Injection> for Registered<Skill> {
    type Error = RegistryError;

    /// Returns the skill that `injection` declares, with its body. Refuses what a registered skill cannot keep.
    fn try_from(injection: Injection) -> Result<Registered<Skill>, RegistryError> {
        if injection.flavor == Flavor::Skill {
            let lost = [
                ("tools", !injection.content.tools.is_empty()),
                ("messages", !injection.content.messages.is_empty()),
                (
                    "a trigger but `activated`",
                    injection.trigger != Trigger::Activated,
                ),
            ];
            let lost: Vec<_> = lost
                .into_iter()
                .filter(|(_, is_lost)| *is_lost)
                .map(|(what, _)| what)
                .collect();
            if !lost.is_empty() {
                return Err(RegistryError::Lossy {
                    id: injection.id,
                    lost,
                });
            }
        }
        let body = injection.content.system_prompt.clone();
        Ok(Registered {
            body,
            ..Registered::from(Skill::try_from(injection)?)
        })
    }
}

/// An item and its row, which costs a digest: made once, not at every listing.
#[derive(Debug)]
struct Kept<T> {
    registered: Registered<T>,
    row: ListingEntry<T>,
}

impl<T: Item> From<Registered<T>> for Kept<T> {
    fn from(registered: Registered<T>) -> Kept<T> {
        Kept {
            row: registered.row(),
            registered,
        }
    }
}

/// Items in the order of their places, and the place of each id.
#[derive(Debug)]
struct KeptItems<T> {
    items: BTreeMap<u64, Kept<T>>,
    places: HashMap<Id, u64>,
    /// The listing that was made last, with the place of each row.
    listed: Option<(Listing<T>, Vec<u64>)>,
    /// Places that changed since.
    changed: BTreeSet<u64>,
}

/// More changes than an eighth of the items make a listing from all of them.
const MANY: usize = 8;

impl<T: Item> Default for KeptItems<T> {
    fn default() -> KeptItems<T> {
        KeptItems {
            items: BTreeMap::new(),
            places: HashMap::new(),
            listed: None,
            changed: BTreeSet::new(),
        }
    }
}

impl<T: Item> KeptItems<T> {
    fn push(&mut self, kept: Kept<T>) {
        let place = self.items.last_key_value().map_or(0, |(last, _)| last + 1);
        self.places.insert(kept.row.item.id().clone(), place);
        self.items.insert(place, kept);
        self.changed.insert(place);
    }

    fn get(&self, id: &Id) -> Option<&Kept<T>> {
        self.items.get(self.places.get(id)?)
    }

    fn replace(&mut self, id: &Id, kept: Kept<T>) {
        if let Some(place) = self.places.get(id) {
            self.items.insert(*place, kept);
            self.changed.insert(*place);
        }
    }

    fn remove(&mut self, id: &str) -> Option<Kept<T>> {
        let place = self.places.remove(id)?;
        self.changed.insert(place);
        self.items.remove(&place)
    }

    fn row(&self, place: u64) -> Option<ListingEntry<T>> {
        Some(self.items.get(&place)?.row.clone())
    }

    /// Returns the listing of all items, which shares the chunks that did not change with the one before.
    fn listing(&mut self, revision: Revision) -> Listing<T> {
        let changed = std::mem::take(&mut self.changed);
        let (listing, places) = match self.listed.take() {
            Some((listing, mut places)) if changed.len() < self.items.len() / MANY => {
                let (mut splices, mut removed) = (Vec::new(), Vec::new());
                let mut added = Vec::new();
                for place in &changed {
                    match places.binary_search(place) {
                        Ok(at) => {
                            removed.extend(self.row(*place).is_none().then_some(*place));
                            splices.push((at..at + 1, self.row(*place).into_iter().collect()));
                        }
                        // New items come last.
                        Err(_) => added.extend(Some(*place).zip(self.row(*place))),
                    }
                }
                let (new_places, rows): (Vec<u64>, Vec<_>) = added.into_iter().unzip();
                if !rows.is_empty() {
                    splices.push((places.len()..places.len(), rows));
                }
                let listing = listing.spliced(revision, splices, []);
                if !removed.is_empty() {
                    places.retain(|place| removed.binary_search(place).is_err());
                }
                places.extend(new_places);
                (listing, places)
            }
            _ => {
                let rows = self.items.values().map(|kept| kept.row.clone());
                let places = self.items.keys().copied().collect();
                (Listing::new(revision, rows, []), places)
            }
        };
        self.listed = Some((listing.clone(), places));
        listing
    }
}

/// A source of items registered in code, in the order of registration. Cheap to clone; clones share their content.
///
/// ```
/// use repertoire_core::Skill;
/// use repertoire_registry::{MemorySource, Registered};
///
/// let source = MemorySource::new("mine");
/// let tidy = Skill::new("tidy".parse()?, "Sorts a folder.");
/// source.register(Registered::new(tidy.clone(), "Sort it."))?;
/// assert!(source.register(tidy).is_err(), "use replace to change it");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct MemorySource<T: Item> {
    name: Arc<str>,
    items: Arc<Mutex<KeptItems<T>>>,
    revision: watch::Sender<u64>,
}

impl<T: Item> MemorySource<T> {
    /// Creates an empty source.
    pub fn new(name: impl Into<Arc<str>>) -> MemorySource<T> {
        MemorySource {
            name: name.into(),
            items: Arc::default(),
            revision: watch::Sender::new(0),
        }
    }

    /// Registers an item at the end.
    ///
    /// # Errors
    /// [`RegistryError::AlreadyRegistered`] for an id that is there.
    pub fn register(&self, item: impl Into<Registered<T>>) -> Result<&Self, RegistryError> {
        let (kept, mut items) = (Kept::from(item.into()), self.items());
        let id = kept.row.item.id();
        if items.get(id).is_some() {
            return Err(RegistryError::AlreadyRegistered {
                kind: T::KIND,
                id: id.clone(),
            });
        }
        items.push(kept);
        Ok(self.touched(items))
    }

    /// Registers many items at the end as one change: all of them or, when one is refused, none.
    ///
    /// # Errors
    /// [`RegistryError::AlreadyRegistered`] for the first id that is there, or that comes twice.
    pub(crate) fn register_all<R: Into<Registered<T>>>(
        &self,
        more: impl IntoIterator<Item = R>,
    ) -> Result<&Self, RegistryError> {
        let more: Vec<Kept<T>> = more
            .into_iter()
            .map(|item| Kept::from(item.into()))
            .collect();
        let mut items = self.items();
        let mut new = HashSet::new();
        let mut is_known = |id| items.get(id).is_some() || !new.insert(id);
        if let Some(twice) = more
            .iter()
            .map(|kept| kept.row.item.id())
            .find(|id| is_known(id))
        {
            return Err(RegistryError::AlreadyRegistered {
                kind: T::KIND,
                id: twice.clone(),
            });
        }
        if more.is_empty() {
            return Ok(self);
        }
        for kept in more {
            items.push(kept);
        }
        Ok(self.touched(items))
    }

    /// Replaces the item with the same id. The position stays.
    ///
    /// # Errors
    /// First [`RegistryError::NotRegistered`] for an unknown `id`, then [`RegistryError::IdMismatch`].
    pub fn replace(&self, id: &Id, item: impl Into<Registered<T>>) -> Result<&Self, RegistryError> {
        let (kept, mut items) = (Kept::from(item.into()), self.items());
        if items.get(id).is_none() {
            return Err(RegistryError::NotRegistered {
                kind: T::KIND,
                id: id.clone(),
            });
        }
        let found = kept.row.item.id();
        if found != id {
            return Err(RegistryError::IdMismatch {
                kind: T::KIND,
                id: id.clone(),
                found: found.clone(),
            });
        }
        items.replace(id, kept);
        Ok(self.touched(items))
    }

    /// Removes an item. An unknown id changes nothing.
    pub fn unregister(&self, id: &str) -> &Self {
        let mut items = self.items();
        match items.remove(id) {
            Some(_) => self.touched(items),
            None => self,
        }
    }

    /// Removes everything.
    pub fn clear(&self) -> &Self {
        let mut items = self.items();
        *items = KeptItems::default();
        self.touched(items)
    }

    pub(crate) fn listing(&self) -> Listing<T> {
        // Changes are counted under the same lock, so the revision is that of these very items.
        let mut items = self.items();
        items.listing(Revision(*self.revision.borrow()))
    }

    fn items(&self) -> MutexGuard<'_, KeptItems<T>> {
        self.items.lock()
    }

    fn touched(&self, items: MutexGuard<'_, KeptItems<T>>) -> &Self {
        self.revision.send_modify(|revision| *revision += 1);
        drop(items);
        self
    }

    fn find<R>(&self, id: &Id, read: impl FnOnce(&Kept<T>) -> Option<R>) -> Result<R, SourceError> {
        let items = self.items();
        let kept = items
            .get(id)
            .ok_or_else(|| SourceError::not_found(T::KIND, id))?;
        read(kept).ok_or_else(|| SourceError::unsupported(T::KIND, id, "body"))
    }
}

#[async_trait]
impl<T: Item> Source<T> for MemorySource<T> {
    fn name(&self) -> &str {
        &self.name
    }

    async fn list(&self) -> Result<Listing<T>, SourceError> {
        Ok(self.listing())
    }

    async fn body(&self, id: &Id) -> Result<Body, SourceError> {
        self.find(id, |kept| {
            let (text, digest) = (kept.registered.body.as_ref()?, kept.row.digest?);
            Some(Body::new(Arc::clone(text), digest, kept.row.stamp))
        })
    }

    async fn resources(&self, id: &Id) -> Result<Vec<Resource>, SourceError> {
        self.find(id, |kept| Some(kept.registered.files().collect()))
    }

    async fn resource(&self, id: &Id, path: &ResourcePath) -> Result<Bytes, SourceError> {
        self.find(id, |kept| {
            Some(kept.registered.resources.get(path).cloned())
        })?
        .ok_or_else(|| {
            SourceError::new(
                SourceErrorKind::NotFound,
                format!("{} `{id}` has no file `{path}`", T::KIND),
            )
        })
    }

    async fn changed(&self, since: Revision) {
        let mut revision = self.revision.subscribe();
        // The sender lives in `self`, so waiting cannot fail.
        let _ = revision.wait_for(|now| *now > since.0).await;
    }
}
