//! The terms of skills, by number, while they are taken apart.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::RandomState;

use super::background::Background;
use super::document::accented;
use super::tokenize::{Stems, is_stop_word};
use crate::fold::bare;

/// The number of a term in a [`Lexicon`].
pub(super) type TermId = u32;

/// The terms that were met so far. A word is stemmed once, because texts repeat their words.
#[derive(Default)]
pub(super) struct Lexicon {
    stems: Stems,
    /// Most words are short, and compared without a further read of memory.
    short: HashMap<u128, WordTerms, RandomState>,
    long: HashMap<Box<str>, WordTerms, RandomState>,
    ids: HashMap<Arc<str>, TermId, RandomState>,
    terms: Vec<TermRow>,
    /// By term: its place in the rows that were looked at last.
    places: Vec<u32>,
}

/// The terms of a word as it is written.
#[derive(Debug, Clone, Copy)]
pub(super) struct WordTerms {
    pub(super) stem: TermId,
    /// The term of its spelling without accents.
    pub(super) accented: Option<TermId>,
    pub(super) is_stop: bool,
}

struct TermRow {
    text: Arc<str>,
    /// The rarity in public skills.
    rarity: f32,
}

impl Lexicon {
    /// Returns the number of terms, which is above each id.
    pub(super) fn len(&self) -> usize {
        self.terms.len()
    }

    pub(super) fn text(&self, term: TermId) -> &Arc<str> {
        &self.terms[term as usize].text
    }

    pub(super) fn rarity(&self, term: TermId) -> f32 {
        self.terms[term as usize].rarity
    }

    pub(super) fn stem_of<'w>(&self, word: &'w str) -> Cow<'w, str> {
        self.stems.of(word)
    }

    pub(super) fn word(&mut self, word: &str) -> WordTerms {
        let packed = packed(word);
        let known = match packed {
            Some(packed) => self.short.get(&packed),
            None => self.long.get(word),
        };
        if let Some(known) = known {
            return *known;
        }
        let stem = self.stems.of(word).into_owned();
        let accented = bare(word).map(|bare| accented(&self.stems.of(&bare)));
        let terms = WordTerms {
            stem: self.term(&stem),
            accented: accented.map(|term| self.term(&term)),
            is_stop: is_stop_word(word),
        };
        if let Some(packed) = packed {
            self.short.insert(packed, terms);
        } else {
            self.long.insert(word.into(), terms);
        }
        terms
    }

    pub(super) fn term(&mut self, text: &str) -> TermId {
        if let Some(known) = self.ids.get(text) {
            return *known;
        }
        let id = self.terms.len() as TermId;
        let text: Arc<str> = text.into();
        self.terms.push(TermRow {
            rarity: Background::get().all(&text).rarity(),
            text: text.clone(),
        });
        self.places.push(0);
        self.ids.insert(text, id);
        id
    }

    /// Finds each term of `rows` there.
    pub(super) fn place<T>(&mut self, rows: &[(TermId, T)]) {
        for (place, (term, _)) in (0..).zip(rows) {
            self.places[*term as usize] = place;
        }
    }

    /// Returns the row of `term` among `rows`, where each term has at most one; adds it if there is none.
    ///
    /// The rows are empty, or those of the call before or of [`place`](Lexicon::place).
    pub(super) fn row<'r, T: Default>(
        &mut self,
        rows: &'r mut Vec<(TermId, T)>,
        term: TermId,
    ) -> &'r mut T {
        // A sparse set: the place may be one of other rows, and is checked.
        let place = &mut self.places[term as usize];
        let is_known = rows
            .get(*place as usize)
            .is_some_and(|(other, _)| *other == term);
        if !is_known {
            *place = rows.len() as u32;
            rows.push((term, T::default()));
        }
        &mut rows[*place as usize].1
    }
}

/// Returns the bytes of a word of at most 15, and their number.
fn packed(word: &str) -> Option<u128> {
    let mut bytes = [0; 16];
    bytes
        .get_mut(..word.len())
        .filter(|_| word.len() < 16)?
        .copy_from_slice(word.as_bytes());
    bytes[15] = word.len() as u8;
    Some(u128::from_le_bytes(bytes))
}
