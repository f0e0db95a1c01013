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
    let mut rest = text;
    while !rest.is_empty() {
        let length = rest.bytes().take_while(u8::is_ascii).count();
        let (ascii, behind) = rest.split_at(length);
        let first = behind.chars().next();
        if let Some(sign) = first.filter(|c| is_sign(*c)) {
            splitter.take_ascii(ascii);
            splitter.end_of_word();
            rest = &behind[sign.len_utf8()..];
            continue;
        }
        // What follows may compose with the last ASCII character.
        let begin = length.saturating_sub(usize::from(first.is_some()));
        splitter.take_ascii(&rest[..begin]);
        let (other, behind) = rest[begin..].split_at(other_length(&rest[begin..]));
        other.nfkc().for_each(|c| splitter.take(c));
        rest = behind;
    }
    splitter.end_of_word();
}

/// Returns whether `c` is one of the signs of which texts have many, and no letter in NFKC: dashes and quotes but the
/// apostrophe, arrows, boxes and pictures.
fn is_sign(c: char) -> bool {
    matches!(u32::from(c), 0x2010..=0x2018 | 0x201A..=0x2029 | 0x2190..=0x23FF | 0x2500..=0x2775 | 0x2794..=0x27BF | 0x1F300..=0x1F6FF)
}

/// Returns the bytes up to the second ASCII character in a row. NFKC takes no ASCII character to the one before it.
fn other_length(text: &str) -> usize {
    let mut pairs = text.as_bytes().windows(2);
    pairs
        .position(|pair| pair[0].is_ascii() && pair[1].is_ascii())
        .map_or(text.len(), |place| place + 1)
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
    fn take_ascii(&mut self, text: &str) {
        let mut rest = text;
        while let Some(first) = rest.bytes().next() {
            let run = rest.bytes().take_while(u8::is_ascii_alphanumeric).count();
            let (letters, behind) = rest.split_at(run.max(1));
            rest = behind;
            if run == 0 {
                self.take(char::from(first));
            } else {
                self.end_of_run();
                let begin = self.word.len();
                self.word.push_str(letters);
                self.word[begin..].make_ascii_lowercase();
            }
        }
    }

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

impl Default for Stems {
    fn default() -> Stems {
        Stems(Stemmer::create(Algorithm::English))
    }
}

impl Stems {
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
