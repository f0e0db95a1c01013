//! The terms of short words.

use std::hash::BuildHasher;

use foldhash::fast::RandomState;

use super::language::LanguageSet;
use super::term_table::TermId;
use super::tokenize::ShortWord;

/// The terms of a word as it is written.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct WordTerms {
    pub(super) stem: TermId,
    /// The term of its spelling without accents.
    pub(super) accented: Option<TermId>,
    pub(super) languages: LanguageSet,
}

impl WordTerms {
    pub(super) fn is_stop(self) -> bool {
        self.languages.has_english()
    }
}

/// The terms of short words, by open addressing: a look-up reads one cache line, and an index of large texts makes millions.
#[derive(Debug, Default)]
pub(super) struct WordTable {
    /// Half of them are empty, with a word of no bytes. Their number is a power of two.
    slots: Vec<(ShortWord, WordTerms)>,
    words: usize,
    hasher: RandomState,
}

/// The number of the first slots.
const FIRST: usize = 1024;
const _: () = assert!(FIRST.is_power_of_two());

impl WordTable {
    pub(super) fn get(&self, word: ShortWord) -> Option<WordTerms> {
        if self.slots.is_empty() {
            return None;
        }
        let (known, terms) = self.slots[self.place_of(word)];
        (known == word).then_some(terms)
    }

    /// Adds a word that is not in the table.
    pub(super) fn insert(&mut self, word: ShortWord, terms: WordTerms) {
        self.words += 1;
        if 2 * self.words > self.slots.len() {
            let length = FIRST.max(2 * self.slots.len());
            let slots = std::mem::replace(&mut self.slots, vec![Default::default(); length]);
            for (word, terms) in slots {
                if word != ShortWord::default() {
                    self.put(word, terms);
                }
            }
        }
        self.put(word, terms);
    }

    fn put(&mut self, word: ShortWord, terms: WordTerms) {
        let place = self.place_of(word);
        self.slots[place] = (word, terms);
    }

    /// Returns the slot of `word`, or the empty one where it belongs.
    fn place_of(&self, word: ShortWord) -> usize {
        let mask = self.slots.len() - 1;
        let mut place = self.hasher.hash_one(word) as usize & mask;
        while self.slots[place].0 != word && self.slots[place].0 != ShortWord::default() {
            place = (place + 1) & mask;
        }
        place
    }
}
