//! Entries by id, in shards that successive views share.

use std::hash::BuildHasher;
use std::sync::Arc;

use hashbrown::hash_table::Entry as TableEntry;
use hashbrown::{DefaultHashBuilder, HashMap, HashTable};
use repertoire_core::text::has_lookalikes;
use repertoire_core::{Id, Item};

use crate::entry::Claim;
use crate::layers::Layers;
use crate::{Entry, Origin};

/// Entries by id, in shards that successive views share.
#[derive(Debug, Clone)]
pub(crate) struct Index<T> {
    hasher: DefaultHashBuilder,
    shards: Vec<Arc<HashTable<Arc<Entry<T>>>>>,
    len: usize,
    /// How many entries have shadows.
    contested: usize,
    /// How many ids have letters that are taken for others.
    lookalikes: usize,
    /// The claims to ids that others claim too, as long as it is open who gets them. None in a view.
    open: HashMap<Id, Vec<Claim<T>>>,
}

/// A power of two. One change copies a shard: 1/256 of the entries.
const SHARDS: usize = 256;

impl<T: Item> Index<T> {
    pub(crate) fn new() -> Index<T> {
        Index {
            hasher: DefaultHashBuilder::default(),
            shards: vec![Arc::default(); SHARDS],
            len: 0,
            contested: 0,
            lookalikes: 0,
            open: HashMap::new(),
        }
    }

    fn place(&self, id: &str) -> (usize, u64) {
        let hash = self.hasher.hash_one(id);
        // The table uses the top seven and the low bits: take the shard from between.
        ((hash >> 40) as usize % SHARDS, hash)
    }

    pub(crate) fn get(&self, id: &str) -> Option<&Arc<Entry<T>>> {
        let (shard, hash) = self.place(id);
        self.shards[shard].find(hash, |entry| entry.id.as_str() == id)
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn is_contested(&self) -> bool {
        self.contested > 0
    }

    pub(crate) fn has_lookalikes(&self) -> bool {
        self.lookalikes > 0
    }

    /// Returns all entries in no order.
    pub(crate) fn unsorted(&self) -> impl Iterator<Item = &Entry<T>> {
        self.shards.iter().flat_map(|shard| shard.iter()).map(AsRef::as_ref)
    }

    /// Puts what `origin` claims now for its `item` in place of what it claimed of `id` for it. Where others claim it too,
    /// nobody is given the id before the next [`settle`](Index::settle): one that many sources change at once is fought for
    /// once.
    pub(crate) fn put(&mut self, origin: &Origin, item: &Id, id: Id, claim: Option<Claim<T>>) {
        let is_others = |claim: &Claim<T>| !claim.is_of(origin, item);
        if let Some(claims) = self.open.get_mut(&id) {
            claims.retain(is_others);
            claims.extend(claim);
            return;
        }
        let (shard, hash) = self.place(id.as_str());
        let hasher = &self.hasher;
        let table = Arc::make_mut(&mut self.shards[shard]);
        match (table.entry(hash, |old| old.id == id, |entry| hasher.hash_one(entry.id.as_str())), claim) {
            (TableEntry::Vacant(place), Some(claim)) => {
                self.lookalikes += usize::from(has_lookalikes(id.as_str()));
                place.insert(Arc::new(Entry::uncontested(id, claim)));
                self.len += 1;
            }
            (TableEntry::Vacant(_), None) => {}
            (TableEntry::Occupied(place), claim) if place.get().all_claims().any(is_others) => {
                let others = place.get().all_claims().filter(|claim| is_others(claim)).cloned();
                self.open.insert(id, others.chain(claim).collect());
            }
            (TableEntry::Occupied(mut place), Some(claim)) => {
                *place.get_mut() = Arc::new(Entry::uncontested(id, claim));
            }
            (TableEntry::Occupied(place), None) => {
                self.lookalikes -= usize::from(has_lookalikes(id.as_str()));
                place.remove();
                self.len -= 1;
            }
        }
    }

    /// Has whoever claims the id fight for it again.
    pub(crate) fn reopen(&mut self, id: Id, claims: Vec<Claim<T>>) {
        self.open.entry(id).or_insert(claims);
    }

    /// Decides who has the ids that are open. Everybody who claims one is one of `layers`.
    pub(crate) fn settle(&mut self, layers: &Layers<T>) {
        for (id, claims) in std::mem::take(&mut self.open) {
            let entry = (!claims.is_empty()).then(|| Entry::contest(id.clone(), claims, layers));
            self.set(&id, entry);
        }
    }

    /// Puts an entry in the place of the one of its id, or takes the id out.
    pub(crate) fn set(&mut self, id: &Id, next: Option<Entry<T>>) {
        let (shard, hash) = self.place(id.as_str());
        let hasher = &self.hasher;
        let table = Arc::make_mut(&mut self.shards[shard]);
        let contested = |entry: &Entry<T>| usize::from(!entry.shadows.is_empty());
        self.contested += next.as_ref().map_or(0, contested);
        match (table.entry(hash, |old| old.id == *id, |entry| hasher.hash_one(entry.id.as_str())), next) {
            (TableEntry::Occupied(mut place), Some(entry)) => {
                self.contested -= contested(place.get());
                *place.get_mut() = Arc::new(entry);
            }
            (TableEntry::Occupied(place), None) => {
                self.contested -= contested(place.get());
                self.lookalikes -= usize::from(has_lookalikes(id.as_str()));
                place.remove();
                self.len -= 1;
            }
            (TableEntry::Vacant(place), Some(entry)) => {
                self.lookalikes += usize::from(has_lookalikes(id.as_str()));
                place.insert(Arc::new(entry));
                self.len += 1;
            }
            (TableEntry::Vacant(_), None) => {}
        }
    }

    /// Makes room for `more` entries, if they are so many that they come to nearly every shard.
    pub(crate) fn reserve(&mut self, more: usize) {
        let hasher = &self.hasher;
        if more >= 8 * SHARDS {
            for table in &mut self.shards {
                // Hashing spreads the entries so evenly that few shards get more than a quarter more than their share.
                Arc::make_mut(table).reserve(more / SHARDS * 5 / 4, |entry| hasher.hash_one(entry.id.as_str()));
            }
        }
    }

    /// Entries whose id has another entry, or none, in `other`; shards that both share are skipped.
    ///
    /// Both come from one index, else every entry is looked up.
    pub(crate) fn differing<'a>(&'a self, other: &'a Index<T>) -> impl Iterator<Item = &'a Arc<Entry<T>>> {
        let shards = self.shards.iter().zip(&other.shards);
        let rows = shards.filter(|(mine, theirs)| !Arc::ptr_eq(mine, theirs)).flat_map(|(mine, _)| mine.iter());
        rows.filter(|entry| !other.get(entry.id.as_str()).is_some_and(|other| Arc::ptr_eq(entry, other)))
    }
}
