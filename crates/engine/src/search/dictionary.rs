//! From a term to the skills that have it.

use std::hash::BuildHasher;
use std::sync::Arc;

use hashbrown::hash_table::Entry;
use hashbrown::{DefaultHashBuilder, HashTable};

use super::document::Posting;
use super::postings::Postings;

/// Postings by term, in shards that copies share: a change copies the shards of its terms, or none if nobody shares them.
#[derive(Debug, Clone)]
pub(super) struct Dictionary {
    hasher: DefaultHashBuilder,
    shards: Vec<Arc<HashTable<Row>>>,
}

#[derive(Debug, Clone)]
struct Row {
    term: Arc<str>,
    postings: Arc<Postings>,
}

/// A power of two: a skill has some sixty terms, each in a shard of its own.
const SHARDS: usize = 2048;

impl Dictionary {
    pub(super) fn new() -> Dictionary {
        Dictionary { hasher: DefaultHashBuilder::default(), shards: vec![Arc::default(); SHARDS] }
    }

    pub(super) fn get(&self, term: &str) -> Option<&Postings> {
        let (shard, hash) = self.place(term);
        self.shards[shard].find(hash, |row| *row.term == *term).map(|row| row.postings.as_ref())
    }

    pub(super) fn insert(&mut self, term: &str, posting: Posting) {
        let (shard, hash) = self.place(term);
        let hasher = &self.hasher;
        let table = Arc::make_mut(&mut self.shards[shard]);
        match table.entry(hash, |row| *row.term == *term, |row| hasher.hash_one(&*row.term)) {
            Entry::Occupied(mut place) => Arc::make_mut(&mut place.get_mut().postings).insert(posting),
            Entry::Vacant(place) => {
                let mut postings = Postings::default();
                postings.insert(posting);
                place.insert(Row { term: term.into(), postings: Arc::new(postings) });
            }
        }
    }

    /// Takes out what was inserted.
    pub(super) fn remove(&mut self, term: &str, posting: &Posting) {
        let (shard, hash) = self.place(term);
        let table = Arc::make_mut(&mut self.shards[shard]);
        let mut place = table.find_entry(hash, |row| *row.term == *term).expect("only what was inserted is removed");
        let postings = Arc::make_mut(&mut place.get_mut().postings);
        postings.remove(posting);
        if postings.len() == 0 {
            place.remove();
        }
    }

    fn place(&self, term: &str) -> (usize, u64) {
        let hash = self.hasher.hash_one(term);
        // The table uses the top seven and the low bits: take the shard from between.
        ((hash >> 40) as usize % SHARDS, hash)
    }
}
