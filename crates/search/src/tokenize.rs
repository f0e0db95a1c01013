//! From text to the words that are compared.

use rust_stemmers::{Algorithm, Stemmer};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::fold::{fold, is_unspaced};

/// English words that carry no meaning in descriptions. In names they count.
const STOP_WORDS: [&str; 64] = [
    "a", "about", "all", "also", "an", "and", "any", "are", "as", "asks", "at", "be", "by", "can",
    "do", "does", "etc", "for", "from", "has", "have", "how", "i", "if", "in", "into", "is", "it",
    "its", "like", "me", "my", "need", "needs", "of", "on", "or", "other", "please", "should",
    "skill", "so", "such", "that", "the", "their", "them", "these", "they", "this", "to", "use",
    "used", "user", "uses", "using", "want", "wants", "was", "we", "when", "will", "with", "you",
];

/// Calls `each` with every word of `text`: letters and digits of any script, in NFKC, without letter case.
///
/// In a script without blanks, every two neighbours are a word, and so is a character that stands alone. Apostrophes are
/// skipped: `don't` is `dont`. A letter keeps `+` and `#` behind it: `c++`, `f#`.
pub(super) fn words(text: &str, each: impl FnMut(&str)) {
    let mut splitter = Splitter {
        word: String::new(),
        neighbour: None,
        alone: false,
        each,
    };
    if text.is_ascii() {
        text.chars().for_each(|c| splitter.take(c));
    } else {
        text.nfkc().for_each(|c| splitter.take(c));
    }
    splitter.end_of_word();
}

/// Calls `each` as [`words`] does, and also with the parts of names such as `ReleaseNotes`.
pub(super) fn name_words(name: &str, mut each: impl FnMut(&str)) {
    words(name, &mut each);
    let mut parts = String::with_capacity(name.len() + 8);
    let mut lower = false;
    for c in name.chars() {
        if lower && c.is_uppercase() {
            parts.push(' ');
        }
        lower = c.is_lowercase();
        parts.push(c);
    }
    if parts.len() > name.len() {
        words(&parts, each);
    }
}

/// Returns all letters and digits of `name` in a row, so that `Release_Notes` and `release notes` are one name.
pub(super) fn normalized(name: &str) -> String {
    let mut normalized = String::with_capacity(name.len());
    let mut take = |c: char| {
        if c.is_alphanumeric() || is_combining_mark(c) {
            fold(c, &mut normalized);
        }
    };
    if name.is_ascii() {
        name.chars().for_each(&mut take)
    } else {
        name.nfkc().for_each(&mut take)
    }
    normalized
}

pub(super) fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.binary_search(&word).is_ok()
}

struct Splitter<F> {
    word: String,
    neighbour: Option<char>,
    alone: bool,
    each: F,
}

impl<F: FnMut(&str)> Splitter<F> {
    fn take(&mut self, c: char) {
        let in_word = !self.word.is_empty();
        if c.is_ascii_alphanumeric() {
            self.end_of_run();
            self.word.push(c.to_ascii_lowercase());
        } else if is_unspaced(c) && (c.is_alphanumeric() || is_combining_mark(c)) {
            self.end_of_letters();
            if let Some(before) = self.neighbour.replace(c) {
                self.alone = false;
                let mut pair = String::with_capacity(8);
                pair.extend([before, c]);
                (self.each)(&pair);
            } else {
                self.alone = true;
            }
        } else if c.is_alphanumeric() || in_word && is_combining_mark(c) {
            self.end_of_run();
            fold(c, &mut self.word);
        } else if in_word && matches!(c, '\'' | '’') {
            // Part of the word, and not read.
        } else if matches!(c, '+' | '#')
            && matches!(self.word.as_bytes(), [letter, rest @ ..] if letter.is_ascii_alphabetic() && rest.iter().all(|b| matches!(b, b'+' | b'#')))
        {
            self.word.push(c);
        } else {
            self.end_of_word();
        }
    }

    fn end_of_word(&mut self) {
        self.end_of_letters();
        self.end_of_run();
    }

    fn end_of_letters(&mut self) {
        if !self.word.is_empty() {
            (self.each)(&self.word);
            self.word.clear();
        }
    }

    fn end_of_run(&mut self) {
        if let Some(last) = self.neighbour.take()
            && self.alone
        {
            (self.each)(last.encode_utf8(&mut [0; 4]));
        }
    }
}

/// A stemmer for English words; other words stay as they are.
pub(super) struct Stems(Stemmer);

impl Stems {
    pub(super) fn new() -> Stems {
        Stems(Stemmer::create(Algorithm::English))
    }

    pub(super) fn of<'w>(&self, word: &'w str) -> std::borrow::Cow<'w, str> {
        // Shorter words have no forms; longer ones are no words.
        if (3..=32).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_lowercase()) {
            self.0.stem(word)
        } else {
            word.into()
        }
    }
}

#[cfg(test)]
mod tests;
