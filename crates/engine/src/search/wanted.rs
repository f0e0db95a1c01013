//! The words of a query, and what stands for them in an index.

use super::document::{Counts, HitField, Posting};
use super::hit::HitWord;
use super::index::Inner;
use super::sorted::Sorted;
use super::words::{Stems, is_stop_word, words};

/// One word of a query, with the terms that stand for it.
pub(super) struct Wanted<'a> {
    text: String,
    pub(super) terms: Vec<Term<'a>>,
}

/// A term of the index.
pub(super) struct Term<'a> {
    pub(super) postings: &'a Sorted<Posting>,
    /// The word that it was taken from, if not the typed one; it counts in names alone.
    pub(super) instead: Option<&'a str>,
}

/// How many other words a typed word is taken for.
const MOST_INSTEAD: usize = 8;
/// Words after so many are not looked for.
const MOST_WORDS: usize = 32;

impl<'a> Wanted<'a> {
    /// The words of `text`, each once; those that tell nothing only if there are no others.
    pub(super) fn all(index: &'a Inner, text: &str) -> Vec<Wanted<'a>> {
        let mut typed: Vec<String> = Vec::new();
        words(text, |word| {
            if typed.len() < MOST_WORDS && !typed.iter().any(|other| other == word) {
                typed.push(word.to_owned());
            }
        });
        if typed.iter().any(|word| !is_stop_word(word)) {
            typed.retain(|word| !is_stop_word(word));
        }
        let stems = Stems::new();
        let mut seen: Vec<String> = Vec::new();
        let mut all = Vec::new();
        let last = typed.len().wrapping_sub(1);
        for (place, text) in typed.into_iter().enumerate() {
            let stem = stems.of(&text).into_owned();
            if seen.contains(&stem) {
                continue;
            }
            let terms = Wanted::terms(index, &stems, &text, &stem, place == last);
            seen.push(stem);
            all.push(Wanted { text, terms });
        }
        all
    }

    fn terms(index: &'a Inner, stems: &Stems, text: &str, stem: &str, is_last: bool) -> Vec<Term<'a>> {
        let as_typed = index.dictionary.get(stem);
        let mut instead = Vec::new();
        if as_typed.is_none() {
            instead.extend(index.vocabulary.near(text, MOST_INSTEAD));
        }
        // Whoever types may not have come to the end yet.
        if is_last && text.chars().nth(2).is_some() {
            instead.extend(index.vocabulary.beginning_with(text, MOST_INSTEAD));
        }
        let others = instead.into_iter().map(|word| (word, stems.of(word))).filter(|(_, other)| other != stem);
        let others = others
            .filter_map(|(word, other)| Some(Term { postings: index.dictionary.get(&other)?, instead: Some(word) }));
        as_typed.map(|postings| Term { postings, instead: None }).into_iter().chain(others).collect()
    }

    /// What of the skill with this number made it a hit, as far as this word goes.
    pub(super) fn found_in(&self, number: u32) -> Option<HitWord> {
        let mut found = self.terms.iter().filter_map(|term| Some((term, term.counts_in(number)?)));
        let (term, counts) = found.find(|(term, counts)| term.instead.is_none() || counts[0] > 0)?;
        let fields = HitField::ALL.into_iter().zip(counts).filter(|(_, count)| *count > 0).map(|(field, _)| field);
        let fields = match term.instead {
            None => fields.collect(),
            Some(_) => vec![HitField::Name],
        };
        Some(HitWord { word: self.text.clone(), instead: term.instead.map(str::to_owned), fields })
    }
}

impl Term<'_> {
    /// How much rarer than everything the term is.
    pub(super) fn rarity(&self, all: usize) -> f32 {
        let (all, with) = (all as f32, self.postings.len() as f32);
        (1.0 + (all - with + 0.5) / (with + 0.5)).ln()
    }

    fn counts_in(&self, number: u32) -> Option<Counts> {
        let first = self.postings.from(|posting| posting.number < number).next()?;
        (first.number == number).then(|| first.counts())
    }
}
