//! Finds hidden characters and breaks, fast where there are none.

use super::clean::is_break;
use super::sequence::{self, is_shapeless};

/// A part of a text that does not stay as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Odd<'t> {
    /// The byte where it begins.
    pub(super) at: usize,
    pub(super) text: &'t str,
    pub(super) kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// One character that a reader may take for the end of a line, or a tab.
    Break,
    /// A run of hidden characters.
    Hidden,
}

impl Odd<'_> {
    pub(super) fn end(&self) -> usize {
        self.at + self.text.len()
    }
}

/// Returns the runs of hidden characters in `text`.
pub(super) fn hidden(text: &str) -> impl Iterator<Item = Odd<'_>> {
    Scan::<false> { text, from: 0, has_braille: None }
}

/// Returns the runs of hidden characters in `text`, and its breaks, in order.
pub(super) fn odd(text: &str) -> impl Iterator<Item = Odd<'_>> {
    Scan::<true> { text, from: 0, has_braille: None }
}

struct Scan<'t, const BREAKS: bool> {
    text: &'t str,
    from: usize,
    /// Whether the text has visible Braille patterns, once that was asked.
    has_braille: Option<bool>,
}

impl<'t, const BREAKS: bool> Iterator for Scan<'t, BREAKS> {
    type Item = Odd<'t>;

    fn next(&mut self) -> Option<Odd<'t>> {
        loop {
            let text = self.text;
            let at = self.from + next_suspect::<BREAKS>(&text.as_bytes()[self.from..])?;
            let c = text[at..].chars().next()?;
            let first = &text[at..at + c.len_utf8()];
            self.from = at + first.len();
            if BREAKS && is_break(c) {
                return Some(Odd { at, text: first, kind: Kind::Break });
            }
            if !is_shapeless(c) {
                continue;
            }
            let rest = &text[self.from..];
            self.from += rest.find(|c| !is_shapeless(c)).unwrap_or(rest.len());
            let run = &text[at..self.from];
            if !self.is_honest(at, run) {
                return Some(Odd { at, text: run, kind: Kind::Hidden });
            }
        }
    }
}

impl<const BREAKS: bool> Scan<'_, BREAKS> {
    fn is_honest(&mut self, at: usize, run: &str) -> bool {
        let text = self.text;
        if run.chars().all(|c| c == '\u{2800}') {
            let has_braille = || text.contains(|c| matches!(c, '\u{2801}'..='\u{28FF}'));
            return *self.has_braille.get_or_insert_with(has_braille);
        }
        let (before, after) = (text[..at].chars().next_back(), text[at + run.len()..].chars().next());
        sequence::is_honest(before, run, after)
    }
}

/// Returns the place of the first byte that an odd character may begin with.
///
/// Compares whole chunks with printable ASCII first, which takes a vector at a time and is mostly enough.
fn next_suspect<const BREAKS: bool>(bytes: &[u8]) -> Option<usize> {
    const CHUNK: usize = 16;
    let is_suspect = |at: usize| {
        let next = bytes.get(at + 1).copied().unwrap_or_default();
        may_begin::<BREAKS>(bytes[at], next)
    };
    let (chunks, rest) = bytes.as_chunks::<CHUNK>();
    for (number, chunk) in chunks.iter().enumerate() {
        if chunk.iter().fold(false, |any, byte| any | is_unusual(*byte)) {
            let start = CHUNK * number;
            if let Some(at) = (start..start + CHUNK).find(|at| is_suspect(*at)) {
                return Some(at);
            }
        }
    }
    (bytes.len() - rest.len()..bytes.len()).find(|at| is_suspect(*at))
}

/// Returns whether `byte` is not printable ASCII: one more makes it negative, or less than 33.
fn is_unusual(byte: u8) -> bool {
    (byte.wrapping_add(1) as i8) < 0x21
}

/// Returns whether an odd character may begin with these two bytes.
fn may_begin<const BREAKS: bool>(byte: u8, next: u8) -> bool {
    match byte {
        b'\n' | b'\r' | b'\t' | 0x0B | 0x0C => BREAKS,
        0..b' ' | 0x7F => true,
        // Continuation bytes and other ASCII, which are most of what is left.
        b' '..=0xC1 => false,
        // U+0080 to U+009F, U+00AD.
        0xC2 => next < 0xA0 || next == 0xAD,
        // U+034F.
        0xCD => next == 0x8F,
        // U+061C.
        0xD8 => next == 0x9C,
        // U+115F and U+1160, U+17B4 and U+17B5, U+180B to U+180F.
        0xE1 => matches!(next, 0x85 | 0x9E | 0xA0),
        // U+200B to U+202E, U+2060 to U+206F, U+2800.
        0xE2 => matches!(next, 0x80 | 0x81 | 0xA0),
        // U+3164.
        0xE3 => next == 0x85,
        // U+FE00 to U+FE0F, U+FEFF, U+FFA0, U+FFF0 to U+FFFF.
        0xEF => matches!(next, 0xB8 | 0xBB | 0xBE | 0xBF),
        // U+1BCA0 to U+1BCA3, U+1D173 to U+1D17A.
        0xF0 => matches!(next, 0x9B | 0x9D),
        // U+E0000 to U+E0FFF.
        0xF3 => next == 0xA0,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_and_characters_agree() {
        for c in '\0'..=char::MAX {
            let text = format!("some text before {c}{c}{c} and some more after it");
            let wanted = is_shapeless(c) || is_break(c);
            assert_eq!(odd(&text).next().is_some(), wanted, "{c:?}");
            assert_eq!(hidden(&text).next().is_some(), wanted && !is_break(c), "{c:?}");
        }
    }
}
