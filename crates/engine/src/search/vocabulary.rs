//! The words of names, for what was typed wrong or not to the end.

use std::cmp::{Ordering, Reverse};
use std::sync::Arc;

use super::sorted::Sorted;

/// The words of names as written, each with how many names have it. Numbers are left out: nobody means another one.
#[derive(Debug, Clone, Default)]
pub(super) struct Vocabulary(Sorted<Word>);

#[derive(Debug, Clone)]
struct Word {
    text: Arc<str>,
    /// A bit for each letter that it has: tells most words apart without reading them.
    letters: u64,
    names: u32,
}

/// How many of its names whoever asks may know, from a word and how many there are.
pub(super) type Names<'n> = &'n dyn Fn(&str, u32) -> u32;

impl Word {
    /// How many names have it, as far as whoever asks may know; `None` if that is none.
    fn known(&self, names: Names<'_>) -> Option<u32> {
        Some(names(&self.text, self.names)).filter(|names| *names > 0)
    }
}

impl Ord for Word {
    fn cmp(&self, other: &Word) -> Ordering {
        self.text.cmp(&other.text)
    }
}

impl PartialOrd for Word {
    fn partial_cmp(&self, other: &Word) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Word {
    fn eq(&self, other: &Word) -> bool {
        self.text == other.text
    }
}

impl Eq for Word {}

impl Vocabulary {
    pub(super) fn insert(&mut self, word: &str) {
        self.count(word, |names| names + 1);
    }

    /// Takes out what was inserted.
    pub(super) fn remove(&mut self, word: &str) {
        self.count(word, |names| names - 1);
    }

    /// Whether a word of a name belongs here.
    pub(super) fn takes(word: &str) -> bool {
        !word.bytes().any(|byte| byte.is_ascii_digit())
    }

    fn count(&mut self, word: &str, change: impl Fn(u32) -> u32) {
        if !Vocabulary::takes(word) {
            return;
        }
        let found = self.0.from(|other| *other.text < *word).next().filter(|other| *other.text == *word).cloned();
        let names = change(found.as_ref().map_or(0, |found| found.names));
        let text = match &found {
            Some(found) => found.text.clone(),
            None => word.into(),
        };
        if let Some(found) = found {
            self.0.remove(&found);
        }
        if names > 0 {
            self.0.insert(Word { letters: letters(&text), text, names });
        }
    }

    /// Longer words that begin with `beginning`: those of the most names, then by their bytes, `most` of them.
    pub(super) fn beginning_with(&self, beginning: &str, most: usize, names: Names<'_>) -> Vec<&str> {
        let words = self.0.from(|word| *word.text < *beginning);
        let words = words.take_while(|word| word.text.starts_with(beginning));
        let longer = words.filter(|word| word.text.len() > beginning.len());
        let found = longer.filter_map(|word| Some((Reverse(word.known(names)?), word.text.as_ref())));
        let mut found: Vec<_> = found.take(LOOKED_AT).collect();
        found.sort_unstable();
        found.into_iter().take(most).map(|(_, word)| word).collect()
    }

    /// The words that `typed` may have been meant for: the nearest ones, then those of the most names, `most` of them.
    ///
    /// One mistake is forgiven from three letters on, two from eight: a letter more, less, another, or two swapped.
    pub(super) fn near(&self, typed: &str, most: usize, names: Names<'_>) -> Vec<&str> {
        let wanted: Vec<char> = typed.chars().collect();
        let forgiven = match wanted.len() {
            0..3 => return Vec::new(),
            3..8 => 1,
            8..64 => 2,
            _ => return Vec::new(),
        };
        let mask = letters(typed);
        let mut found = Vec::new();
        for word in self.0.chunks().flatten() {
            // A mistake changes at most two letters, and at most four bytes.
            let differ = (word.letters ^ mask).count_ones() as usize;
            if differ > 2 * forgiven || word.text.len().abs_diff(typed.len()) > 4 * forgiven {
                continue;
            }
            if let Some(mistakes) = distance(&wanted, &word.text, forgiven)
                && let Some(names) = word.known(names)
            {
                found.push((mistakes, Reverse(names), word.text.as_ref()));
            }
        }
        found.sort_unstable();
        // What is nearer was meant.
        let nearest = found.first().map_or(0, |(mistakes, ..)| *mistakes);
        found.into_iter().take_while(|(mistakes, ..)| *mistakes == nearest).take(most).map(|(.., word)| word).collect()
    }
}

/// A beginning that more words have is too short to tell.
const LOOKED_AT: usize = 256;

fn letters(word: &str) -> u64 {
    word.chars().fold(0, |letters, c| letters | 1 << (u32::from(c) % 64))
}

/// The mistakes between two words, if they are at most `most`: optimal string alignment.
fn distance(typed: &[char], word: &str, most: usize) -> Option<usize> {
    let word: Vec<char> = word.chars().collect();
    if typed.len().abs_diff(word.len()) > most {
        return None;
    }
    let mut before = vec![usize::MAX / 2; word.len() + 1];
    let mut last: Vec<usize> = (0..=word.len()).collect();
    for (row, &a) in typed.iter().enumerate() {
        let mut current = vec![row + 1];
        for (column, &b) in word.iter().enumerate() {
            let mut cost = (last[column] + usize::from(a != b)).min(last[column + 1] + 1).min(current[column] + 1);
            if row > 0 && column > 0 && a == word[column - 1] && typed[row - 1] == b {
                cost = cost.min(before[column - 1] + 1);
            }
            current.push(cost);
        }
        if current.iter().min().is_none_or(|least| *least > most) {
            return None;
        }
        before = std::mem::replace(&mut last, current);
    }
    last.last().copied().filter(|mistakes| *mistakes <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vocabulary() -> Vocabulary {
        let mut vocabulary = Vocabulary::default();
        for word in ["deploy", "deployment", "deployments", "deploy", "pdf", "weather", "whether", "表計", "release"]
        {
            vocabulary.insert(word);
        }
        vocabulary
    }

    #[test]
    fn slips_are_forgiven_by_length() {
        let vocabulary = vocabulary();
        for (typed, meant) in [
            ("pfd", &["pdf"][..]),
            ("deplo", &["deploy"]),
            ("deplyoment", &["deployment"]),
            ("delpoymetn", &["deployment"]),
            ("relaese", &["release"]),
            ("wether", &["weather", "whether"]),
            ("weatherr", &["weather"]),
            ("wezther", &["weather"]),
            ("pf", &[]),
            ("repleaz", &[]),
            ("表計算", &["表計"]),
        ] {
            assert_eq!(vocabulary.near(typed, 3, &|_, all| all), meant, "{typed}");
        }
    }

    #[test]
    fn beginnings_lead_to_the_commonest_words() {
        assert_eq!(vocabulary().beginning_with("dep", 2, &|_, all| all), ["deploy", "deployment"]);
        assert_eq!(vocabulary().beginning_with("deploy", 3, &|_, all| all), ["deployment", "deployments"]);
        assert_eq!(vocabulary().beginning_with("x", 3, &|_, all| all), [""; 0]);
    }

    #[test]
    fn a_word_stays_as_long_as_a_name_has_it() {
        let mut vocabulary = vocabulary();
        vocabulary.remove("deploy");
        assert_eq!(vocabulary.near("deplyo", 1, &|_, all| all), ["deploy"]);
        vocabulary.remove("deploy");
        assert_eq!(vocabulary.near("deplyo", 1, &|_, all| all), [""; 0]);
    }
}
