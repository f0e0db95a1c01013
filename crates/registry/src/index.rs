//! Entries by id, in shards that successive views share.

use std::hash::BuildHasher;
use std::sync::Arc;

use hashbrown::hash_table::Entry as TableEntry;
use hashbrown::{DefaultHashBuilder, HashTable};
use repertoire_core::{Id, Item};

use crate::Entry;

/// Entries by id, in shards that successive views share.
#[derive(Debug, Clone)]
pub(crate) struct Index<T> {
    hasher: DefaultHashBuilder,
    shards: Vec<Arc<HashTable<Arc<Entry<T>>>>>,
    len: usize,
    /// How many entries have shadows.
    contested: usize,
}

/// A power of two. One change copies a shard: 1/256 of the entries.
const SHARDS: usize = 256;

impl<T: Item> Index<T> {
    pub(crate) fn new() -> Index<T> {
        Index { hasher: DefaultHashBuilder::default(), shards: vec![Arc::default(); SHARDS], len: 0, contested: 0 }
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

    /// Puts what `next` makes of the entry of an id in its place, or takes the id out.
    pub(crate) fn update(&mut self, id: &Id, next: impl FnOnce(Option<&Entry<T>>) -> Option<Entry<T>>) {
        let (shard, hash) = self.place(id.as_str());
        let hasher = &self.hasher;
        let table = Arc::make_mut(&mut self.shards[shard]);
        let contested = |entry: &Entry<T>| usize::from(!entry.shadows.is_empty());
        match table.entry(hash, |old| old.id == *id, |entry| hasher.hash_one(entry.id.as_str())) {
            TableEntry::Occupied(mut place) => {
                self.contested -= contested(place.get());
                match next(Some(place.get())) {
                    Some(entry) => {
                        self.contested += contested(&entry);
                        *place.get_mut() = Arc::new(entry);
                    }
                    None => {
                        place.remove();
                        self.len -= 1;
                    }
                }
            }
            TableEntry::Vacant(place) => {
                if let Some(entry) = next(None) {
                    self.contested += contested(&entry);
                    place.insert(Arc::new(entry));
                    self.len += 1;
                }
            }
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
