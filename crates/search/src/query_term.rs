//! The words of a query, and the terms that stand for them in an index.

use std::borrow::Cow;
use std::sync::Arc;

use super::background::Background;
use super::document::{HitFields, Posting, accented, written};
use super::hit::HitWord;
use super::index::IndexData;
use super::item::SearchItem;
use super::language::{Language, LanguageCounts, LanguageSet};
use super::mask::VisibilityMask;
use super::patched_list::PatchedList;
use super::postings::TermPostings;
use super::synonyms::Synonym;
use super::term_table::{TermId, TermTable};
use super::tokenize::{Stems, is_stop_word, words};

use crate::fold::{bare, is_unspaced};

/// Score multiplier for the synonyms of an operator.
pub(super) const SYNONYM_WEIGHT: f32 = 0.8;
/// Score multiplier for terms added by spelling correction or prefix expansion.
pub(super) const EXPANSION_WEIGHT: f32 = 0.4;

/// One word of a query, with the terms that stand for it.
pub(super) struct QueryTerm<'a> {
    /// The word; empty until it is among those that are scored.
    text: Arc<str>,
    /// Its number among those of the query.
    typed_word: TermId,
    pub(super) typed: Option<Term<'a>>,
    pub(super) spelled: Vec<Term<'a>>,
    /// Expansions, each with its word. They count in names alone.
    pub(super) instead: Vec<(&'a str, Term<'a>)>,
    /// Words of the operator that stand for it, each with its term.
    pub(super) synonyms: Vec<(&'a str, Term<'a>)>,
}

pub(super) struct Term<'a> {
    pub(super) postings: TermPostings<'a>,
    /// The inverse document frequency.
    pub(super) idf: f32,
}

/// The most expansions of a typed word.
const MOST_INSTEAD: usize = 8;
/// The most words of a query that are scored: those with the highest weight.
const MOST_WORDS: usize = 32;
/// The most distinct words of a query that are read.
const MOST_READ: usize = 4096;
/// The most words of a query whose last word may be unfinished: in a sentence it is complete.
const MOST_UNFINISHED: usize = 4;
/// The most words of a query whose unknown words are corrected: pasted text has many that no skill has.
const MOST_CORRECTED: usize = 16;

/// The words of a query.
pub(super) struct QueryWords<'a> {
    /// Those that weigh most, in their order.
    pub(super) words: Vec<QueryTerm<'a>>,
    /// The weight of all words: the score of a skill whose description has each of them once.
    pub(super) weight: f32,
}

impl<'a> QueryWords<'a> {
    /// Looks up the words of `text`, with the terms that `sight` may see.
    ///
    /// A word weighs its rarity, and more if it is repeated. Stop words count only if there are no others.
    pub(super) fn of<T: SearchItem>(
        index: &'a IndexData<T>,
        text: &str,
        sight: Option<&VisibilityMask>,
    ) -> QueryWords<'a> {
        let terms = TermLookup {
            index,
            sight,
            stems: Stems::default(),
        };
        let synonyms = index.synonyms.of(text, &terms.stems);
        let typed = TypedStems::of(text, &terms.stems);
        let languages = terms.languages_of(&typed.languages);
        let (last, count) = (typed.stems.last().copied(), typed.stems.len());
        let (mut all, mut weight) = (Vec::with_capacity(count.min(4 * MOST_WORDS)), 0.0);
        for typed_stem in typed.stems.iter().copied() {
            let text = typed.terms.text(typed_stem.word);
            let stem = typed.terms.text(typed_stem.stem);
            let repeated = typed_stem.repeated();
            let mut found = terms.of(stem);
            let mut spelled = terms.spelled(text, stem);
            spelled.extend(
                languages
                    .iter()
                    .filter_map(|language| terms.of(&language.form(text)?)),
            );
            // Spellings of one word are equally rare, so that the one that was typed comes first.
            let idf =
                (found.iter().chain(&spelled).map(|term| term.idf)).fold(f32::INFINITY, f32::min);
            found
                .iter_mut()
                .chain(&mut spelled)
                .for_each(|term| term.idf = idf);
            let synonyms = synonyms.get(stem).into_iter().flatten();
            let synonyms: Vec<_> = synonyms.flat_map(|word| terms.of_synonym(word)).collect();
            let is_unknown = found.is_none() && spelled.is_empty() && synonyms.is_empty();
            let is_corrected = is_unknown && count <= MOST_CORRECTED;
            let is_unfinished = last == Some(typed_stem) && count <= MOST_UNFINISHED;
            let instead = match is_corrected || is_unfinished {
                true => terms.instead_of(text, stem, is_corrected, is_unfinished),
                false => Vec::new(),
            };
            let mut term = QueryTerm {
                text: Arc::default(),
                typed_word: typed_stem.word,
                typed: found,
                spelled,
                instead,
                synonyms,
            };
            term.terms_mut().for_each(|term| term.idf *= repeated);
            weight += if is_unknown {
                repeated * terms.rarity_of_unknown(stem)
            } else {
                term.weight()
            };
            all.push(term);
            if all.len() == 4 * MOST_WORDS {
                keep_heaviest(&mut all);
            }
        }
        keep_heaviest(&mut all);
        for term in &mut all {
            term.text = typed.terms.text(term.typed_word).into();
        }
        QueryWords { words: all, weight }
    }

    /// Returns the words that the skill with this number has.
    pub(super) fn found_in(&self, number: u32) -> Vec<HitWord> {
        // A skill that is found has most of the words.
        let mut found = Vec::with_capacity(self.words.len());
        found.extend(self.words.iter().filter_map(|word| word.found_in(number)));
        found
    }
}

impl<'a> QueryTerm<'a> {
    fn terms_mut(&mut self) -> impl Iterator<Item = &mut Term<'a>> {
        let instead = self.instead.iter_mut().chain(&mut self.synonyms);
        let instead = instead.map(|(_, term)| term);
        self.typed
            .iter_mut()
            .chain(&mut self.spelled)
            .chain(instead)
    }

    /// Returns the weight of the word in the query; zero if no skill has it.
    fn weight(&self) -> f32 {
        let found = self.typed.iter().chain(&self.spelled).map(|term| term.idf);
        let instead = self
            .instead
            .iter()
            .map(|(_, term)| EXPANSION_WEIGHT * term.idf);
        let synonyms = (self.synonyms.iter()).map(|(_, term)| SYNONYM_WEIGHT * term.idf);
        found.chain(instead).chain(synonyms).fold(0.0, f32::max)
    }

    pub(super) fn names(&self) -> impl Iterator<Item = PatchedList<'a>> {
        let instead = self.instead.iter().map(|(_, term)| term);
        self.typed
            .iter()
            .chain(&self.spelled)
            .chain(instead)
            .map(|term| term.postings.named())
    }

    fn found_in(&self, number: u32) -> Option<HitWord> {
        let word = self.text.clone();
        if let Some(posting) = self
            .typed
            .iter()
            .chain(&self.spelled)
            .find_map(|term| term.postings.get(number))
        {
            return Some(HitWord {
                word,
                instead: None,
                fields: posting.fields(),
            });
        }
        let posting =
            |(word, term): &(&'a str, Term<'a>)| Some((*word, term.postings.get(number)?));
        if let Some((synonym, posting)) = self.synonyms.iter().find_map(posting) {
            return Some(HitWord {
                word,
                instead: Some(synonym.to_owned()),
                fields: posting.fields(),
            });
        }
        let (instead, _) = self
            .instead
            .iter()
            .find(|(_, term)| term.postings.get(number).is_some_and(Posting::is_in_name))?;
        Some(HitWord {
            word,
            instead: Some((*instead).to_owned()),
            fields: HitFields::NAME,
        })
    }
}

/// The distinct stems of a query, without those of stop words of its language if there are others.
struct TypedStems {
    stems: Vec<TypedStem>,
    /// Words and stems.
    terms: TermTable,
    languages: LanguageCounts,
}

/// A stem of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct TypedStem {
    stem: TermId,
    /// The word of which it was typed first.
    word: TermId,
    /// The number of words with it.
    times: u16,
}

impl TypedStem {
    /// Returns what it counts because it is repeated.
    fn repeated(self) -> f32 {
        1.0 + f32::from(self.times).ln()
    }
}

impl TypedStems {
    fn of(text: &str, stems: &Stems) -> TypedStems {
        let capacity = (text.len() / 4).min(MOST_READ);
        let mut terms = TermTable::with_capacity(capacity);
        let mut times: Vec<u16> = Vec::with_capacity(capacity);
        words(text, |word| {
            let known = match times.len() < MOST_READ {
                true => Some(terms.insert(word)),
                false => terms.get(word),
            };
            match known.map(|word| word as usize) {
                Some(word) if word == times.len() => times.push(1),
                Some(word) => times[word] = times[word].saturating_add(1),
                None => {}
            }
        });
        let mut typed = TypedStems {
            stems: Vec::with_capacity(times.len()),
            terms,
            languages: LanguageCounts::default(),
        };
        for (word, times) in (0..).zip(&times) {
            let languages = LanguageSet::of(typed.terms.text(word));
            typed.languages.add(languages, u32::from(*times));
        }
        let language = typed.languages.language();
        let is_stop: Vec<bool> = (0..times.len() as TermId)
            .map(|word| typed.terms.text(word))
            .map(|word| {
                is_stop_word(word) || language.is_some_and(|language| language.is_frequent(word))
            })
            .collect();
        let counts_stop_words = is_stop.iter().all(|is_stop| *is_stop);
        // By stem: its place among the stems.
        let mut places: Vec<usize> = Vec::new();
        for ((word, times), is_stop) in (0..).zip(times).zip(is_stop) {
            if is_stop && !counts_stop_words {
                continue;
            }
            let stem = match stems.of(typed.terms.text(word)) {
                Cow::Borrowed(_) => word,
                Cow::Owned(stem) => typed.terms.insert(&stem),
            };
            if places.len() <= stem as usize {
                places.resize(typed.terms.len(), usize::MAX);
            }
            let place = &mut places[stem as usize];
            if let Some(known) = typed.stems.get_mut(*place) {
                known.times = known.times.saturating_add(times);
            } else {
                *place = typed.stems.len();
                typed.stems.push(TypedStem { stem, word, times });
            }
        }
        typed
    }
}

/// Keeps the [`MOST_WORDS`] words with the highest weight, in their order.
fn keep_heaviest(all: &mut Vec<QueryTerm<'_>>) {
    if all.len() <= MOST_WORDS {
        return;
    }
    let mut weights: Vec<f32> = all.iter().map(QueryTerm::weight).collect();
    weights.sort_by(|a, b| b.total_cmp(a));
    let least = weights[MOST_WORDS - 1];
    let above = weights.iter().take_while(|weight| **weight > least).count();
    let mut ties = MOST_WORDS - above;
    all.retain(|word| {
        let weight = word.weight();
        let is_tie = weight == least && ties > 0;
        ties -= usize::from(is_tie);
        weight > least || is_tie
    });
}

struct TermLookup<'a, 's, T: SearchItem> {
    index: &'a IndexData<T>,
    sight: Option<&'s VisibilityMask>,
    stems: Stems,
}

impl<'a, T: SearchItem> TermLookup<'a, '_, T> {
    fn of(&self, stem: &str) -> Option<Term<'a>> {
        let postings = self.index.dictionary.get(stem)?;
        let all = self.sight.map_or(self.index.len(), VisibilityMask::count);
        let count = |list: PatchedList<'_>| {
            self.sight
                .map_or_else(|| list.len(), |sight| sight.count_of(list))
        };
        let [named, others, texts] = postings.lists.map(count);
        // Front matter alone is best for questions about it, everything for long ones; the mean is near the better of both.
        let [in_front_matter, anywhere] = Background::get().frequencies(stem);
        let in_front_matter = in_front_matter.and(named + others, all).rarity();
        let anywhere = anywhere.and(named + others + texts, all).rarity();
        (named + others + texts > 0).then_some(Term {
            postings,
            idf: (in_front_matter + anywhere) / 2.0,
        })
    }

    /// Returns the weight of a word that no skill has.
    fn rarity_of_unknown(&self, stem: &str) -> f32 {
        let all = self.sight.map_or(self.index.len(), VisibilityMask::count);
        Background::get().all(stem).and(0, all).rarity()
    }

    fn of_synonym(&self, synonym: &'a Synonym) -> Vec<(&'a str, Term<'a>)> {
        let terms = self.of(&synonym.stem).into_iter();
        let terms = terms.chain(self.spelled(&synonym.word, &synonym.stem));
        terms.map(|term| (synonym.word.as_str(), term)).collect()
    }

    fn spelled(&self, text: &str, stem: &str) -> Vec<Term<'a>> {
        match bare(text) {
            // No accent is in a script without blanks.
            None if text.starts_with(is_unspaced) => Vec::new(),
            None => self.of(&accented(stem)).into_iter().collect(),
            Some(bare) => {
                let stem = self.stems.of(&bare);
                self.of(&stem)
                    .into_iter()
                    .chain(self.of(&accented(&stem)))
                    .collect()
            }
        }
    }

    /// Returns those languages of a query that skills have texts in.
    fn languages_of(&self, typed: &LanguageCounts) -> Vec<Language> {
        let mut known = Language::ALL
            .into_iter()
            .filter(|language| self.of(&language.term()).is_some())
            .peekable();
        if known.peek().is_none() {
            return Vec::new();
        }
        known.filter(|language| typed.may_be(*language)).collect()
    }

    fn instead_of(
        &self,
        text: &str,
        stem: &str,
        is_corrected: bool,
        is_unfinished: bool,
    ) -> Vec<(&'a str, Term<'a>)> {
        let names = |word: &str, all: u32| match self.sight {
            None => all,
            Some(sight) => self
                .index
                .dictionary
                .get(&written(word))
                .map_or(0, |names| sight.count_of(names.named()) as u32),
        };
        let mut words = Vec::new();
        let bare = bare(text);
        let text = bare.as_deref().unwrap_or(text);
        if is_corrected {
            words.extend(self.index.vocabulary.near(text, MOST_INSTEAD, &names));
        }
        if is_unfinished && text.chars().nth(2).is_some() {
            words.extend(
                self.index
                    .vocabulary
                    .beginning_with(text, MOST_INSTEAD, &names),
            );
        }
        let others = words
            .into_iter()
            .map(|word| (word, self.stems.of(word)))
            .filter(|(_, other)| other != stem);
        let terms = others.flat_map(|(word, other)| {
            let accented = accented(&other);
            [other.as_ref(), &accented]
                .map(|stem| self.of(stem))
                .into_iter()
                .flatten()
                .map(move |term| (word, term))
        });
        terms.collect()
    }
}
