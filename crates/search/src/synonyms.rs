//! Words of an operator that stand for each other in queries.

use std::collections::HashMap;

use super::error::SearchFileError;
use super::tokenize::{Stems, is_stop_word, words};

/// Words that stand for each other in queries, as an operator wrote them.
///
/// They add to a query and replace nothing: a synonym counts a little less than the word that was typed. See
/// [`parse`](Synonyms::parse) for the format.
#[derive(Debug, Clone, Default)]
pub struct Synonyms {
    /// By the first stem of a phrase.
    phrases: HashMap<String, Vec<Phrase>>,
}

/// A word or several in a row, and the words that it adds to a query.
#[derive(Debug, Clone)]
struct Phrase {
    stems: Vec<String>,
    added: Vec<Synonym>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Synonym {
    pub(super) word: String,
    pub(super) stem: String,
}

impl Synonyms {
    /// Parses one group on each line, as Solr's `synonyms.txt` has them.
    ///
    /// - `pr, pull request, merge request`: each stands for the others. Several words in a row are one entry, and add each of
    ///   their words.
    /// - `k8s => kubernetes`: the left side stands for the right side only.
    /// - Empty lines, and lines that begin with `#`, are skipped.
    ///
    /// # Errors
    /// [`SearchFileError::Synonyms`] for the first line of another form.
    pub fn parse(text: &str) -> Result<Synonyms, SearchFileError> {
        let stems = Stems::default();
        let mut synonyms = Synonyms::default();
        for (number, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let (from, to) = match line.split_once("=>") {
                Some((from, to)) => (phrases(from, &stems), Some(phrases(to, &stems))),
                None => (phrases(line, &stems), None),
            };
            let count = to.as_ref().map_or(from.len(), Vec::len);
            if from.is_empty() || count < if to.is_some() { 1 } else { 2 } {
                return Err(SearchFileError::Synonyms {
                    line: number + 1,
                    found: line.to_owned(),
                });
            }
            for (place, phrase) in from.iter().enumerate() {
                let others = to.as_ref().unwrap_or(&from).iter().enumerate();
                let others = others.filter(|(other, _)| to.is_some() || *other != place);
                let added = others.flat_map(|(_, words)| words).cloned();
                synonyms.insert(phrase, added.collect());
            }
        }
        Ok(synonyms)
    }

    fn insert(&mut self, phrase: &[Synonym], mut added: Vec<Synonym>) {
        let stems: Vec<String> = phrase.iter().map(|word| word.stem.clone()).collect();
        added.retain(|word| !is_stop_word(&word.word) && !stems.contains(&word.stem));
        let first = stems[0].clone();
        let phrases = self.phrases.entry(first).or_default();
        phrases.push(Phrase { stems, added });
    }

    /// Returns the synonyms of the words of `text`, by the first stem of each phrase that it has.
    pub(super) fn of(&self, text: &str, stems: &Stems) -> HashMap<String, Vec<&Synonym>> {
        let mut found: HashMap<String, Vec<&Synonym>> = HashMap::new();
        if self.phrases.is_empty() {
            return found;
        }
        let mut typed = Vec::new();
        words(text, |word| typed.push(stems.of(word).into_owned()));
        for (place, stem) in typed.iter().enumerate() {
            let phrases = self.phrases.get(stem).into_iter().flatten();
            for phrase in phrases.filter(|phrase| typed[place..].starts_with(&phrase.stems)) {
                let known = found.entry(stem.clone()).or_default();
                let is_new = |synonym: &&Synonym| !known.contains(synonym);
                let new: Vec<&Synonym> = phrase.added.iter().filter(is_new).collect();
                known.extend(new);
            }
        }
        found
    }
}

/// Returns the words of each part between commas; parts without words are left out.
fn phrases(text: &str, stems: &Stems) -> Vec<Vec<Synonym>> {
    let phrase = |part: &str| {
        let mut phrase = Vec::new();
        words(part, |word| {
            phrase.push(Synonym {
                word: word.to_owned(),
                stem: stems.of(word).into_owned(),
            });
        });
        phrase
    };
    let phrases = text.split(',').map(phrase);
    phrases.filter(|phrase| !phrase.is_empty()).collect()
}
