//! From a term to the skills that have it.

use std::sync::Arc;

use hashbrown::{DefaultHashBuilder, HashMap};
use std::hash::BuildHasher;

use super::document::Counts;
use super::sorted::Sorted;

/// A term in a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Posting {
    /// The number of the skill.
    pub(super) number: u32,
    pub(super) counts: Counts,
}

/// Postings by term, in shards that copies share: a change copies the shards of its terms, or none if nobody shares them.
#[derive(Debug, Clone)]
pub(super) struct Dictionary {
    hasher: DefaultHashBuilder,
    shards: Vec<Arc<Shard>>,
}

type Shard = HashMap<Arc<str>, Arc<Sorted<Posting>>>;

/// A power of two: a skill has some sixty terms, each in a shard of its own.
const SHARDS: usize = 2048;

impl Dictionary {
    pub(super) fn new() -> Dictionary {
        Dictionary { hasher: DefaultHashBuilder::default(), shards: vec![Arc::default(); SHARDS] }
    }

    pub(super) fn get(&self, term: &str) -> Option<&Sorted<Posting>> {
        self.shards[self.shard(term)].get(term).map(AsRef::as_ref)
    }

    pub(super) fn insert(&mut self, term: &str, posting: Posting) {
        let shard = self.shard(term);
        let shard = Arc::make_mut(&mut self.shards[shard]);
        match shard.get_mut(term) {
            Some(postings) => Arc::make_mut(postings).insert(posting),
            None => {
                let mut postings = Sorted::default();
                postings.insert(posting);
                shard.insert(term.into(), Arc::new(postings));
            }
        }
    }

    /// Takes out what was inserted.
    pub(super) fn remove(&mut self, term: &str, posting: Posting) {
        let shard = self.shard(term);
        let shard = Arc::make_mut(&mut self.shards[shard]);
        let postings = Arc::make_mut(shard.get_mut(term).expect("only what was inserted is removed"));
        postings.remove(&posting);
        if postings.len() == 0 {
            shard.remove(term);
        }
    }

    fn shard(&self, term: &str) -> usize {
        // The maps hash with seeds of their own.
        self.hasher.hash_one(term) as usize % SHARDS
    }
}
