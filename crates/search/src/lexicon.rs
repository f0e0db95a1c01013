//! The terms of skills, by number, while they are taken apart.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::background::Background;
use super::language::{Language, LanguageSet};
use super::term_table::{TermId, TermTable};
use super::tokenize::{ShortWord, Stems, Token, words};
use super::word_table::{WordTable, WordTerms};
use crate::fold::bare;

/// The mark of the stem of a word with accents, without them.
pub(super) const ACCENTED: char = '\u{6}';

/// The terms that were met so far. A word is stemmed once, because texts repeat their words.
#[derive(Default)]
pub(super) struct Lexicon {
    stems: Stems,
    short: WordTable,
    long: HashMap<Box<str>, WordTerms, RandomState>,
    terms: TermTable,
    /// By term: its rarity in public skills.
    rarities: Vec<f32>,
    /// By term: its place in the rows that were looked at last.
    places: Vec<u32>,
    /// The text of a term that begins with a mark.
    marked: String,
}

impl Lexicon {
    pub(super) fn text(&self, term: TermId) -> &str {
        self.terms.text(term)
    }

    /// Returns the number of terms, which is above each of them.
    pub(super) fn len(&self) -> usize {
        self.terms.len()
    }

    pub(super) fn into_terms(self) -> TermTable {
        self.terms
    }

    pub(super) fn rarity(&self, term: TermId) -> f32 {
        self.rarities[term as usize]
    }

    pub(super) fn token(&mut self, token: Token<'_>) -> WordTerms {
        match token {
            Token::Text(word) => self.word(word),
            Token::Short(word) => self.short_word(word),
        }
    }

    pub(super) fn word(&mut self, word: &str) -> WordTerms {
        if let Some(short) = ShortWord::of(word) {
            return self.short_word(short);
        }
        if let Some(known) = self.long.get(word) {
            return *known;
        }
        let terms = self.terms_of(word);
        self.long.insert(word.into(), terms);
        terms
    }

    pub(super) fn short_word(&mut self, word: ShortWord) -> WordTerms {
        if let Some(known) = self.short.get(word) {
            return known;
        }
        let terms = word.with_text(|text| self.terms_of(text));
        self.short.insert(word, terms);
        terms
    }

    fn terms_of(&mut self, word: &str) -> WordTerms {
        let stem = self.stems.of(word);
        let stem = self.term(&stem);
        let accented = bare(word).map(|bare| {
            let stem = self.stems.of(&bare).into_owned();
            self.marked_term(ACCENTED, &stem)
        });
        WordTerms {
            stem,
            accented,
            languages: LanguageSet::of(word),
        }
    }

    /// Calls `each` with the terms of the forms of the words of `text`.
    pub(super) fn forms(
        &mut self,
        text: &str,
        language: Language,
        mut each: impl FnMut(TermId, &mut Lexicon),
    ) {
        words(text, |word| {
            if let Some(form) = language.form(word) {
                each(self.term(&form), self);
            }
        });
    }

    /// Returns the term of `text` behind a control character, with which no word begins.
    pub(super) fn marked_term(&mut self, mark: char, text: &str) -> TermId {
        let mut marked = std::mem::take(&mut self.marked);
        marked.clear();
        marked.push(mark);
        marked.push_str(text);
        let term = self.term(&marked);
        self.marked = marked;
        term
    }

    pub(super) fn term(&mut self, text: &str) -> TermId {
        let term = self.terms.insert(text);
        if term as usize == self.places.len() {
            self.rarities.push(Background::get().all(text).rarity());
            self.places.push(0);
        }
        term
    }

    /// Returns the number of `text` if it was met.
    pub(super) fn get(&self, text: &str) -> Option<TermId> {
        self.terms.get(text)
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
