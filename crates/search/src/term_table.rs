//! Terms by number.

use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use hashbrown::HashTable;

/// The number of a term in a [`TermTable`].
pub(super) type TermId = u32;

/// Terms in the order in which they were inserted, in one string because there are hundreds of thousands.
#[derive(Debug, Clone, Default)]
pub(super) struct TermTable {
    texts: String,
    /// By term: the end of its text.
    ends: Vec<u32>,
    ids: HashTable<TermId>,
    hasher: RandomState,
}

impl TermTable {
    /// Creates a table that takes `terms` terms before it allocates again.
    pub(super) fn with_capacity(terms: usize) -> TermTable {
        TermTable {
            texts: String::with_capacity(8 * terms),
            ends: Vec::with_capacity(terms),
            ids: HashTable::with_capacity(terms),
            hasher: RandomState::default(),
        }
    }

    /// Returns the number of terms, which is above each id.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn text(&self, term: TermId) -> &str {
        text(&self.texts, &self.ends, term)
    }

    pub(super) fn get(&self, text: &str) -> Option<TermId> {
        self.find(self.hasher.hash_one(text), text)
    }

    fn find(&self, hash: u64, text: &str) -> Option<TermId> {
        let found = self.ids.find(hash, |term| self.text(*term) == text);
        found.copied()
    }

    /// Returns the number of `text`, which is the greatest if the term is new.
    pub(super) fn insert(&mut self, text: &str) -> TermId {
        let hash = self.hasher.hash_one(text);
        if let Some(known) = self.find(hash, text) {
            return known;
        }
        let term = self.ends.len() as TermId;
        self.texts.push_str(text);
        self.ends.push(
            u32::try_from(self.texts.len()).expect("the terms of an index are less than 4 GB"),
        );
        let TermTable {
            texts,
            ends,
            ids,
            hasher,
        } = self;
        ids.insert_unique(hash, term, |term| {
            hasher.hash_one(self::text(texts, ends, *term))
        });
        term
    }

    pub(super) fn shrink_to_fit(&mut self) {
        self.texts.shrink_to_fit();
        self.ends.shrink_to_fit();
    }
}

fn text<'t>(texts: &'t str, ends: &[u32], term: TermId) -> &'t str {
    let term = term as usize;
    let begin = if term == 0 { 0 } else { ends[term - 1] };
    &texts[begin as usize..ends[term] as usize]
}
