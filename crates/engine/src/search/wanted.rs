//! The words of a query, and what stands for them in an index.

use super::document::{HitField, Posting, written};
use super::hit::HitWord;
use super::index::Inner;
use super::postings::Postings;
use super::sight::Sight;
use super::sorted::Sorted;
use super::words::{Stems, is_stop_word, words};

/// One word of a query, with the terms that stand for it.
pub(super) struct Wanted<'a> {
    text: String,
    /// Its own.
    pub(super) typed: Option<Term<'a>>,
    /// Those of other words that it may be, each with its word: they count in names alone.
    pub(super) instead: Vec<(&'a str, Term<'a>)>,
}

/// A term of the index.
pub(super) struct Term<'a> {
    pub(super) postings: &'a Postings,
    /// How much rarer than everything it is.
    pub(super) rarity: f32,
}

/// How many other words a typed word is taken for.
const MOST_INSTEAD: usize = 8;
/// Words after so many are not looked for.
const MOST_WORDS: usize = 32;

impl<'a> Wanted<'a> {
    /// The words of `text`, each once; those that tell nothing only if there are no others. What stands for them is what `sight`
    /// has, all if there is none.
    pub(super) fn all(index: &'a Inner, text: &str, sight: Option<&Sight>) -> Vec<Wanted<'a>> {
        let mut typed: Vec<String> = Vec::new();
        words(text, |word| {
            if typed.len() < MOST_WORDS && !typed.iter().any(|other| other == word) {
                typed.push(word.to_owned());
            }
        });
        if typed.iter().any(|word| !is_stop_word(word)) {
            typed.retain(|word| !is_stop_word(word));
        }
        let terms = Terms { index, sight, stems: Stems::new() };
        let mut seen: Vec<String> = Vec::new();
        let mut all = Vec::new();
        let last = typed.len().wrapping_sub(1);
        for (place, text) in typed.into_iter().enumerate() {
            let stem = terms.stems.of(&text).into_owned();
            if seen.contains(&stem) {
                continue;
            }
            let typed = terms.of(&stem);
            let instead = terms.instead_of(&text, &stem, typed.is_none(), place == last);
            seen.push(stem);
            all.push(Wanted { text, typed, instead });
        }
        all
    }

    /// Who has the word, or one that stands for it, in the name.
    pub(super) fn names(&self) -> impl Iterator<Item = &'a Sorted<Posting>> {
        let instead = self.instead.iter().map(|(_, term)| term);
        self.typed.iter().chain(instead).map(|term| &term.postings.named)
    }

    /// What of the skill with this number made it a hit, as far as this word goes.
    pub(super) fn found_in(&self, number: u32) -> Option<HitWord> {
        let word = |instead, fields| HitWord { word: self.text.clone(), instead, fields };
        if let Some(posting) = self.typed.as_ref().and_then(|term| term.postings.get(number)) {
            let fields = HitField::ALL.into_iter().zip(posting.counts()).filter(|(_, count)| *count > 0);
            return Some(word(None, fields.map(|(field, _)| field).collect()));
        }
        let is_in_name = |term: &Term<'_>| term.postings.get(number).is_some_and(|posting| posting.is_in_name());
        let (instead, _) = self.instead.iter().find(|(_, term)| is_in_name(term))?;
        Some(word(Some((*instead).to_owned()), vec![HitField::Name]))
    }
}

/// Looks terms up, among what somebody may see.
struct Terms<'a, 's> {
    index: &'a Inner,
    sight: Option<&'s Sight>,
    stems: Stems,
}

impl<'a> Terms<'a, '_> {
    fn of(&self, stem: &str) -> Option<Term<'a>> {
        let postings = self.index.dictionary.get(stem)?;
        let (all, with) = match self.sight {
            None => (self.index.len(), postings.len()),
            Some(sight) => (sight.count(), sight.count_of(postings)),
        };
        let (all, with) = (all as f32, with as f32);
        let rarity = (1.0 + (all - with + 0.5) / (with + 0.5)).ln();
        (with > 0.0).then_some(Term { postings, rarity })
    }

    fn instead_of(&self, text: &str, stem: &str, is_unknown: bool, is_last: bool) -> Vec<(&'a str, Term<'a>)> {
        let names = |word: &str, all: u32| match self.sight {
            None => all,
            Some(sight) => self.index.dictionary.get(&written(word)).map_or(0, |names| sight.count_of(names) as u32),
        };
        let mut words = Vec::new();
        if is_unknown {
            words.extend(self.index.vocabulary.near(text, MOST_INSTEAD, &names));
        }
        // Whoever types may not have come to the end yet.
        if is_last && text.chars().nth(2).is_some() {
            words.extend(self.index.vocabulary.beginning_with(text, MOST_INSTEAD, &names));
        }
        let others = words.into_iter().map(|word| (word, self.stems.of(word))).filter(|(_, other)| other != stem);
        others.filter_map(|(word, other)| Some((word, self.of(&other)?))).collect()
    }
}
