//! The words of names, for what was typed wrong or not to the end.

use std::cmp::Reverse;
use std::sync::Arc;

use repertoire_core::ChunkedVec;

use super::edit_distance::TypedWord;

/// The words of names, each with the number of names that have it. Words with digits are left out.
#[derive(Debug, Clone, Default)]
pub(super) struct NameVocabulary(ChunkedVec<NameWord>);

#[derive(Debug, Clone)]
struct NameWord {
    text: Arc<str>,
    /// A bit for each letter, which excludes most words without reading them.
    letters: u64,
    /// Characters.
    length: u32,
    names: u32,
}

/// Returns how many names with a word the asker may see, of all that have it.
pub(super) type NameCounter<'n> = &'n dyn Fn(&str, u32) -> u32;

impl NameWord {
    fn known(&self, names: NameCounter<'_>) -> Option<u32> {
        Some(names(&self.text, self.names)).filter(|names| *names > 0)
    }
}

impl NameVocabulary {
    pub(super) fn from_counts(words: impl IntoIterator<Item = (String, u32)>) -> NameVocabulary {
        let words = words
            .into_iter()
            .filter(|(word, _)| NameVocabulary::takes(word));
        let word = |(text, names): (String, u32)| NameWord {
            letters: letters(&text),
            length: length(&text),
            text: text.into(),
            names,
        };
        let mut words: Vec<NameWord> = words.map(word).collect();
        words.sort_unstable_by(|a, b| a.text.cmp(&b.text));
        NameVocabulary(words.into_iter().collect())
    }

    pub(super) fn insert(&mut self, word: &str) {
        self.count(word, |names| names + 1);
    }

    pub(super) fn remove(&mut self, word: &str) {
        self.count(word, |names| names - 1);
    }

    pub(super) fn takes(word: &str) -> bool {
        !word.bytes().any(|byte| byte.is_ascii_digit())
    }

    fn count(&mut self, word: &str, change: impl Fn(u32) -> u32) {
        if !NameVocabulary::takes(word) {
            return;
        }
        let at = self.0.partition_point(|other| *other.text < *word);
        let found = self.0.get(at).filter(|found| *found.text == *word).cloned();
        let counted = found.clone().unwrap_or_else(|| NameWord {
            text: word.into(),
            letters: letters(word),
            length: length(word),
            names: 0,
        });
        let counted = NameWord {
            names: change(counted.names),
            ..counted
        };
        self.0.splice(
            at..at + usize::from(found.is_some()),
            Some(counted).filter(|word| word.names > 0),
        );
    }

    pub(super) fn beginning_with(
        &self,
        beginning: &str,
        most: usize,
        names: NameCounter<'_>,
    ) -> Vec<&str> {
        let words = self
            .0
            .iter_from(self.0.partition_point(|word| *word.text < *beginning));
        let words = words.take_while(|word| word.text.starts_with(beginning));
        let longer = words.filter(|word| word.text.len() > beginning.len());
        let found =
            longer.filter_map(|word| Some((Reverse(word.known(names)?), word.text.as_ref())));
        let mut found: Vec<_> = found.take(LOOKED_AT).collect();
        found.sort_unstable();
        found.into_iter().take(most).map(|(_, word)| word).collect()
    }

    /// Returns the `most` nearest words to `typed`, those of the most names first.
    ///
    /// One mistake is forgiven from three letters on, two from eight: an insertion, deletion, substitution or transposition.
    pub(super) fn near(&self, typed: &str, most: usize, names: NameCounter<'_>) -> Vec<&str> {
        let length = length(typed);
        let forgiven = match length {
            0..3 => return Vec::new(),
            3..8 => 1,
            8..64 => 2,
            _ => return Vec::new(),
        };
        let mask = letters(typed);
        let Some(typed) = TypedWord::of(typed) else {
            return Vec::new();
        };
        let mut found = Vec::new();
        for word in self.0.iter() {
            // A mistake changes at most two letters, and the length by one.
            let differ = (word.letters ^ mask).count_ones();
            if differ > 2 * forgiven || word.length.abs_diff(length) > forgiven {
                continue;
            }
            let mistakes = typed.distance(&word.text);
            if mistakes <= forgiven
                && let Some(names) = word.known(names)
            {
                found.push((mistakes, Reverse(names), word.text.as_ref()));
            }
        }
        found.sort_unstable();
        // What is nearer was meant.
        let nearest = found.first().map_or(0, |(mistakes, ..)| *mistakes);
        found
            .into_iter()
            .take_while(|(mistakes, ..)| *mistakes == nearest)
            .take(most)
            .map(|(.., word)| word)
            .collect()
    }
}

/// The most words that a prefix may have.
const LOOKED_AT: usize = 256;

fn length(word: &str) -> u32 {
    word.chars().count() as u32
}

fn letters(word: &str) -> u64 {
    word.chars()
        .fold(0, |letters, c| letters | 1 << (u32::from(c) % 64))
}

#[cfg(test)]
mod tests;
