//! The words of a query, and the terms that stand for them in an index.

use super::document::{HitField, Posting, accented, written};
use super::hit::HitWord;
use super::index::IndexData;
use super::mask::VisibilityMask;
use super::postings::Postings;
use super::tokenize::{Stems, is_stop_word, words};
use repertoire_core::ChunkedVec;

use crate::fold::bare;

/// One word of a query, with the terms that stand for it.
pub(super) struct QueryTerm<'a> {
    text: String,
    pub(super) typed: Option<Term<'a>>,
    pub(super) spelled: Vec<Term<'a>>,
    /// Expansions, each with its word. They count in names alone.
    pub(super) instead: Vec<(&'a str, Term<'a>)>,
}

pub(super) struct Term<'a> {
    pub(super) postings: &'a Postings,
    /// The inverse document frequency.
    pub(super) idf: f32,
}

/// The most expansions of a typed word.
const MOST_INSTEAD: usize = 8;
/// The most words of a query.
const MOST_WORDS: usize = 32;

impl<'a> QueryTerm<'a> {
    /// Returns the distinct words of `text`, stop words only if there are no others, with the terms that `sight` may see.
    pub(super) fn all(index: &'a IndexData, text: &str, sight: Option<&VisibilityMask>) -> Vec<QueryTerm<'a>> {
        let mut typed: Vec<String> = Vec::new();
        words(text, |word| {
            if typed.len() < MOST_WORDS && !typed.iter().any(|other| other == word) {
                typed.push(word.to_owned());
            }
        });
        if typed.iter().any(|word| !is_stop_word(word)) {
            typed.retain(|word| !is_stop_word(word));
        }
        let terms = TermLookup { index, sight, stems: Stems::new() };
        let mut seen: Vec<String> = Vec::new();
        let mut all = Vec::new();
        let last = typed.len().wrapping_sub(1);
        for (place, text) in typed.into_iter().enumerate() {
            let stem = terms.stems.of(&text).into_owned();
            if seen.contains(&stem) {
                continue;
            }
            let mut typed = terms.of(&stem);
            let mut spelled = terms.spelled(&text, &stem);
            // Spellings of one word are equally rare, so that the one that was typed comes first.
            let idf = (typed.iter().chain(&spelled).map(|term| term.idf)).fold(f32::INFINITY, f32::min);
            typed.iter_mut().chain(&mut spelled).for_each(|term| term.idf = idf);
            let is_unknown = typed.is_none() && spelled.is_empty();
            let instead = terms.instead_of(&text, &stem, is_unknown, place == last);
            seen.push(stem);
            all.push(QueryTerm { text, typed, spelled, instead });
        }
        all
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &'a ChunkedVec<Posting>> {
        let instead = self.instead.iter().map(|(_, term)| term);
        self.typed.iter().chain(&self.spelled).chain(instead).map(|term| &term.postings.named)
    }

    pub(super) fn found_in(&self, number: u32) -> Option<HitWord> {
        let word = self.text.clone();
        if let Some(posting) = self.typed.iter().chain(&self.spelled).find_map(|term| term.postings.get(number)) {
            let fields = HitField::ALL.into_iter().zip(posting.counts()).filter(|(_, count)| *count > 0);
            return Some(HitWord { word, instead: None, fields: fields.map(|(field, _)| field).collect() });
        }
        let (instead, _) =
            self.instead.iter().find(|(_, term)| term.postings.get(number).is_some_and(Posting::is_in_name))?;
        Some(HitWord { word, instead: Some((*instead).to_owned()), fields: vec![HitField::Name] })
    }
}

struct TermLookup<'a, 's> {
    index: &'a IndexData,
    sight: Option<&'s VisibilityMask>,
    stems: Stems,
}

impl<'a> TermLookup<'a, '_> {
    fn of(&self, stem: &str) -> Option<Term<'a>> {
        let postings = self.index.dictionary.get(stem)?;
        let (all, with) = match self.sight {
            None => (self.index.len(), postings.len()),
            Some(sight) => (sight.count(), sight.count_of(postings)),
        };
        let (all, with) = (all as f32, with as f32);
        let idf = (1.0 + (all - with + 0.5) / (with + 0.5)).ln();
        (with > 0.0).then_some(Term { postings, idf })
    }

    fn spelled(&self, text: &str, stem: &str) -> Vec<Term<'a>> {
        match bare(text) {
            None => self.of(&accented(stem)).into_iter().collect(),
            Some(bare) => {
                let stem = self.stems.of(&bare);
                self.of(&stem).into_iter().chain(self.of(&accented(&stem))).collect()
            }
        }
    }

    fn instead_of(&self, text: &str, stem: &str, is_unknown: bool, is_last: bool) -> Vec<(&'a str, Term<'a>)> {
        let names = |word: &str, all: u32| match self.sight {
            None => all,
            Some(sight) => self.index.dictionary.get(&written(word)).map_or(0, |names| sight.count_of(names) as u32),
        };
        let mut words = Vec::new();
        let bare = bare(text);
        let text = bare.as_deref().unwrap_or(text);
        if is_unknown {
            words.extend(self.index.vocabulary.near(text, MOST_INSTEAD, &names));
        }
        // The last word may be incomplete.
        if is_last && text.chars().nth(2).is_some() {
            words.extend(self.index.vocabulary.beginning_with(text, MOST_INSTEAD, &names));
        }
        let others = words.into_iter().map(|word| (word, self.stems.of(word))).filter(|(_, other)| other != stem);
        let terms = others.flat_map(|(word, other)| {
            let accented = accented(&other);
            [other.as_ref(), &accented].map(|stem| self.of(stem)).into_iter().flatten().map(move |term| (word, term))
        });
        terms.collect()
    }
}
