//! Terms by number.

use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use hashbrown::HashTable;

/// The number of a term in a [`TermTable`].
pub(super) type TermId = u32;

/// Terms in the order in which they were inserted, in one string because there are hundreds of thousands.
#[derive(Debug, Clone, Default)]
pub(super) struct TermTable {
    texts: TermTexts,
    ids: HashTable<TermId>,
    hasher: RandomState,
}

/// The texts of terms in a row, each behind its length: as many [`LONG`] as it has, and the rest in a character.
#[derive(Debug, Clone, Default)]
struct TermTexts {
    texts: String,
    /// The begin of each [`STEP`]th text. The lengths lead to those between.
    begins: Vec<u32>,
    count: usize,
}

/// The terms between two begins that are kept.
const STEP: usize = 8;

/// A length that goes on in the next character.
const LONG: u8 = 0x7F;

impl TermTexts {
    fn get(&self, term: TermId) -> &str {
        let term = term as usize;
        let mut begin = self.begins[term / STEP] as usize;
        for _ in 0..term % STEP {
            let (start, length) = self.text_at(begin);
            begin = start + length;
        }
        let (start, length) = self.text_at(begin);
        &self.texts[start..start + length]
    }

    /// Returns the begin and the length of the text whose length is at `begin`.
    fn text_at(&self, begin: usize) -> (usize, usize) {
        let bytes = self.texts.as_bytes();
        let (mut at, mut length) = (begin, 0);
        while bytes[at] == LONG {
            length += usize::from(LONG);
            at += 1;
        }
        (at + 1, length + usize::from(bytes[at]))
    }

    fn push(&mut self, text: &str) {
        if self.count.is_multiple_of(STEP) {
            let begin = u32::try_from(self.texts.len());
            self.begins
                .push(begin.expect("the terms of an index are less than 4 GB"));
        }
        let mut length = text.len();
        while length >= usize::from(LONG) {
            self.texts.push(char::from(LONG));
            length -= usize::from(LONG);
        }
        self.texts.push(char::from(length as u8));
        self.texts.push_str(text);
        self.count += 1;
    }
}

impl TermTable {
    /// Creates a table that takes `terms` terms before it allocates again.
    pub(super) fn with_capacity(terms: usize) -> TermTable {
        TermTable {
            texts: TermTexts {
                texts: String::with_capacity(8 * terms),
                begins: Vec::with_capacity(terms.div_ceil(STEP)),
                count: 0,
            },
            ids: HashTable::with_capacity(terms),
            hasher: RandomState::default(),
        }
    }

    /// Returns the number of terms, which is above each id.
    pub(super) fn len(&self) -> usize {
        self.texts.count
    }

    pub(super) fn text(&self, term: TermId) -> &str {
        self.texts.get(term)
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
        let term = self.len() as TermId;
        self.texts.push(text);
        let TermTable { texts, ids, hasher } = self;
        ids.insert_unique(hash, term, |term| hasher.hash_one(texts.get(*term)));
        term
    }

    pub(super) fn shrink_to_fit(&mut self) {
        self.texts.texts.shrink_to_fit();
        self.texts.begins.shrink_to_fit();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_of_any_length_keep_their_texts() {
        let mut table = TermTable::default();
        let texts: Vec<String> = (0..600)
            .map(|length| "é".repeat(length % 300) + &length.to_string())
            .collect();
        let terms: Vec<TermId> = texts.iter().map(|text| table.insert(text)).collect();
        let known: Vec<Option<TermId>> = texts.iter().map(|text| table.get(text)).collect();
        let kept: Vec<&str> = terms.iter().map(|term| table.text(*term)).collect();
        assert_eq!(kept, texts);
        assert_eq!(known, terms.iter().copied().map(Some).collect::<Vec<_>>());
    }
}
