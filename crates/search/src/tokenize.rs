//! From text to the words that are compared.

use std::borrow::Cow;

use rust_stemmers::{Algorithm, Stemmer};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::fold::{fold, is_unspaced};

/// English words that carry no meaning in descriptions. In names they count.
pub(super) const STOP_WORDS: [&str; 64] = [
    "a", "about", "all", "also", "an", "and", "any", "are", "as", "asks", "at", "be", "by", "can",
    "do", "does", "etc", "for", "from", "has", "have", "how", "i", "if", "in", "into", "is", "it",
    "its", "like", "me", "my", "need", "needs", "of", "on", "or", "other", "please", "should",
    "skill", "so", "such", "that", "the", "their", "them", "these", "they", "this", "to", "use",
    "used", "user", "uses", "using", "want", "wants", "was", "we", "when", "will", "with", "you",
];

/// A word as [`tokens`] finds it.
#[derive(Debug, Clone, Copy)]
pub(super) enum Token<'t> {
    /// A word of ASCII letters and digits, which is compared without reading memory.
    Short(ShortWord),
    Text(&'t str),
}

/// A word of at most 15 bytes, and their number in the last byte.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(super) struct ShortWord(u128);

impl ShortWord {
    pub(super) fn of(word: &str) -> Option<ShortWord> {
        let mut bytes = [0; 16];
        bytes
            .get_mut(..word.len())
            .filter(|_| word.len() < 16)?
            .copy_from_slice(word.as_bytes());
        bytes[15] = word.len() as u8;
        Some(ShortWord(u128::from_le_bytes(bytes)))
    }

    /// Returns the first `length` of these letters and digits, of which there are at most 15, in lower case.
    fn beginning(bytes: [u8; 16], length: usize) -> ShortWord {
        const KEPT: [u128; 16] = {
            let mut kept = [0; 16];
            let mut length = 1;
            while length < 16 {
                kept[length] = (1 << (8 * length)) - 1;
                length += 1;
            }
            kept
        };
        // This bit distinguishes the cases of a letter, and each digit has it.
        let lower = u128::from_le_bytes(bytes) | u128::from_le_bytes([0x20; 16]);
        ShortWord(lower & KEPT[length] | (length as u128) << 120)
    }

    /// Calls `each` with the text.
    pub(super) fn with_text<T>(self, each: impl FnOnce(&str) -> T) -> T {
        let bytes = self.0.to_le_bytes();
        let text = std::str::from_utf8(&bytes[..usize::from(bytes[15])]);
        each(text.expect("it was made of a text"))
    }

    /// Returns a number of `bits` bits that different words rarely share.
    pub(super) fn hash(self, bits: u32) -> usize {
        let mixed = (self.0 as u64) ^ ((self.0 >> 64) as u64).rotate_left(29);
        (mixed.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - bits)) as usize
    }
}

/// ASCII bytes, of which the first [`CLASSIFIED`] are classified at once, so that every word among them has 16 bytes.
type AsciiWindow = [u8; CLASSIFIED + 16];

const CLASSIFIED: usize = 64;

/// Returns a bit for each of the first bytes that is a letter or a digit.
fn letters_and_digits(window: &AsciiWindow) -> u64 {
    const UPPER: u64 = u64::from_le_bytes([0x80; 8]);
    // A sum has the upper bit from a least byte on, and no byte carries over because ASCII is below 0x80.
    let from = |bytes: u64, least: u8| bytes + u64::from_le_bytes([0x80 - least; 8]);
    let between = |bytes, least, above| from(bytes, least) & !from(bytes, above);
    let (eights, _) = window[..CLASSIFIED].as_chunks();
    let mut bits = 0;
    for (shift, eight) in (0..).step_by(8).zip(eights) {
        let bytes = u64::from_le_bytes(*eight);
        let lower = bytes | u64::from_le_bytes([0x20; 8]);
        let found = between(lower, b'a', b'z' + 1) | between(bytes, b'0', b'9' + 1);
        // The product gathers the upper bits of the bytes in the uppermost one.
        let gathered = ((found & UPPER) >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        bits |= gathered << shift;
    }
    bits
}

/// Calls `each` with every word of `text`: letters and digits of any script, in NFKC, without letter case.
///
/// In a script without blanks, every two neighbours are a word, and so is a character that stands alone. Apostrophes are
/// skipped: `don't` is `dont`. A letter keeps `+` and `#` behind it: `c++`, `f#`.
pub(super) fn words(text: &str, mut each: impl FnMut(&str)) {
    tokens(text, |token| match token {
        Token::Short(word) => word.with_text(&mut each),
        Token::Text(word) => each(word),
    });
}

/// Calls `each` as [`words`] does.
pub(super) fn tokens(text: &str, each: impl FnMut(Token<'_>)) {
    let mut splitter = Splitter {
        word: String::new(),
        neighbour: None,
        alone: false,
        each,
    };
    let mut rest = text;
    while !rest.is_empty() {
        let length = ascii_length(rest.as_bytes());
        let (ascii, behind) = rest.split_at(length);
        let plain = plain_length(behind);
        if plain > 0 || behind.is_empty() {
            splitter.take_ascii(ascii);
            let (plain, behind) = behind.split_at(plain);
            plain.chars().for_each(|c| splitter.take(c));
            rest = behind;
            continue;
        }
        // What follows may compose with the last ASCII character.
        let begin = length.saturating_sub(1);
        splitter.take_ascii(&rest[..begin]);
        let (other, behind) = rest[begin..].split_at(other_length(&rest[begin..]));
        other.nfkc().for_each(|c| splitter.take(c));
        rest = behind;
    }
    splitter.end_of_word();
}

fn ascii_length(bytes: &[u8]) -> usize {
    let blocks = bytes.chunks(32).take_while(|block| block.is_ascii());
    let whole: usize = blocks.map(<[u8]>::len).sum();
    let rest = bytes[whole..].iter().take_while(|byte| byte.is_ascii());
    whole + rest.count()
}

/// Returns the bytes of the first characters that NFKC leaves as they are, whatever follows.
fn plain_length(text: &str) -> usize {
    let (mut plain, mut last) = (0, 0);
    for c in text.chars() {
        if !is_sign(c) && !is_composed(c) {
            // What is no ASCII may compose with the last.
            return if c.is_ascii() { plain } else { plain - last };
        }
        last = if is_sign(c) { 0 } else { c.len_utf8() };
        plain += c.len_utf8();
    }
    plain
}

/// Returns whether `c` is one of the signs of which texts have many, and no letter in NFKC: dashes and quotes but the
/// apostrophe, punctuation of ideographs, arrows, boxes and pictures.
fn is_sign(c: char) -> bool {
    matches!(u32::from(c), 0x2010..=0x2018 | 0x201A..=0x2029 | 0x2190..=0x23FF | 0x2500..=0x2775 | 0x2794..=0x27BF
        | 0x3001..=0x3003 | 0x3008..=0x3011 | 0x3014..=0x301B | 0xFF01 | 0xFF08..=0xFF09 | 0xFF0C..=0xFF0F
        | 0xFF1A..=0xFF1B | 0xFF1F | 0x1F300..=0x1F6FF)
}

/// Returns whether `c` is one of the letters of which texts have many, which NFKC keeps and takes to none before it.
fn is_composed(c: char) -> bool {
    matches!(u32::from(c), 0x00C0..=0x00D6 | 0x00D8..=0x00F6 | 0x00F8..=0x0131 | 0x0134..=0x013E | 0x0141..=0x0148
        | 0x014A..=0x017E | 0x0391..=0x03A1 | 0x03A3..=0x03CE | 0x0400..=0x0481 | 0x048A..=0x052F | 0x3041..=0x3096
        | 0x30A1..=0x30FA | 0x30FC | 0x4E00..=0x9FFF | 0xAC00..=0xD7A3)
}

/// Returns the bytes of the first characters that NFKC may change, with one before them that they may compose with.
///
/// NFKC takes no ASCII character and no plain one to the one before it.
fn other_length(text: &str) -> usize {
    let mut others = text
        .char_indices()
        .skip_while(|(_, c)| is_plain(*c))
        .skip_while(|(_, c)| !is_plain(*c));
    others.next().map_or(text.len(), |(place, _)| place)
}

/// Returns whether `c` is an ideograph or a syllable of Hangul, as most letters of scripts without blanks are.
fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{4E00}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7A3}')
}

/// Returns whether NFKC keeps `c` as it is, and takes it to none before it.
fn is_plain(c: char) -> bool {
    c.is_ascii() || is_sign(c) || is_composed(c)
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
    if name.chars().all(is_plain) {
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

impl<F: FnMut(Token<'_>)> Splitter<F> {
    fn take_ascii(&mut self, text: &str) {
        let bytes = text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            if self.word.is_empty() && self.neighbour.is_none() {
                let read = self.take_short_words(&bytes[at..]);
                if read > 0 {
                    at += read;
                    continue;
                }
            }
            let begin = at;
            let letters = bytes[at..].iter();
            at += letters
                .take_while(|byte| byte.is_ascii_alphanumeric())
                .count();
            if begin == at {
                self.take(char::from(bytes[at]));
                at += 1;
                continue;
            }
            self.end_of_run();
            let length = self.word.len();
            self.word.push_str(&text[begin..at]);
            self.word[length..].make_ascii_lowercase();
        }
    }

    /// Takes short words that a sign ends, and the signs around them, while no word is pending. Returns the bytes that were read,
    /// which may be none: most words are short, and [`take_ascii`](Splitter::take_ascii) takes the others.
    fn take_short_words(&mut self, bytes: &[u8]) -> usize {
        let mut padded;
        let window: &AsciiWindow = match bytes.first_chunk() {
            Some(window) => window,
            None => {
                padded = [0; CLASSIFIED + 16];
                padded[..bytes.len()].copy_from_slice(bytes);
                &padded
            }
        };
        let letters = letters_and_digits(window);
        let end = bytes.len().min(CLASSIFIED);
        let mut at = 0;
        while at < end {
            let rest = letters >> at;
            if rest == 0 {
                return end;
            }
            let begin = at + rest.trailing_zeros() as usize;
            let length = (letters >> begin).trailing_ones() as usize;
            let behind = begin + length;
            // A word at the end may go on behind it.
            if length >= 16 || behind >= end || matches!(window[behind], b'\'' | b'+' | b'#') {
                return begin;
            }
            let sixteen = window[begin..]
                .first_chunk()
                .expect("a window has 16 bytes more than those that are classified");
            (self.each)(Token::Short(ShortWord::beginning(*sixteen, length)));
            at = behind + 1;
        }
        at
    }

    fn take(&mut self, c: char) {
        let in_word = !self.word.is_empty();
        if c.is_ascii_alphanumeric() {
            self.end_of_run();
            self.word.push(c.to_ascii_lowercase());
        } else if is_unspaced(c) && (is_ideograph(c) || c.is_alphanumeric() || is_combining_mark(c))
        {
            self.end_of_letters();
            if let Some(before) = self.neighbour.replace(c) {
                self.alone = false;
                let mut pair = [0; 8];
                let length = before.encode_utf8(&mut pair).len();
                let length = length + c.encode_utf8(&mut pair[length..]).len();
                let pair = std::str::from_utf8(&pair[..length]);
                (self.each)(Token::Text(pair.expect("two characters")));
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
            (self.each)(Token::Text(&self.word));
            self.word.clear();
        }
    }

    fn end_of_run(&mut self) {
        if let Some(last) = self.neighbour.take()
            && self.alone
        {
            (self.each)(Token::Text(last.encode_utf8(&mut [0; 4])));
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
    /// Returns the stem, which is borrowed if it is `word`.
    pub(super) fn of<'w>(&self, word: &'w str) -> Cow<'w, str> {
        // Shorter words have no forms; longer ones are no words.
        if (3..=32).contains(&word.len())
            && may_have_suffix(word)
            && word.bytes().all(|byte| byte.is_ascii_lowercase())
        {
            match self.0.stem(word) {
                Cow::Owned(stem) if stem != word => stem.into(),
                _ => word.into(),
            }
        } else {
            word.into()
        }
    }
}

/// Returns whether `word` ends as a suffix of any step of the English stemmer does. Other words are their own stems, and the
/// stemmer compares each with more than a hundred suffixes.
fn may_have_suffix(word: &str) -> bool {
    matches!(
        word.as_bytes(),
        [.., b'e' | b's' | b'y']
            | [.., b'e', b'd']
            | [.., b'n', b'g' | b't']
            | [.., b'c' | b'g' | b'l' | b't', b'i']
            | [.., b'a' | b'l' | b'u', b'l']
            | [.., b'e' | b'o', b'r']
            | [.., b'o', b'n']
            | [.., b's', b'm']
            | [.., b'i', b'c']
    )
}

#[cfg(test)]
mod tests;
