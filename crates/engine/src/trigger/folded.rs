//! Text as it is compared, and where that stands in the text itself.

use std::iter::once;
use std::ops::Range;

use unicode_normalization::char::canonical_combining_class;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

use repertoire_search::fold;

/// A text as it is compared: in NFKC, without letter case and invisible characters, blanks in a row as one.
pub(super) struct Folded {
    pub(super) text: String,
    stretches: Vec<Stretch>,
    length: usize,
}

struct Stretch {
    folded: usize,
    original: usize,
    shape: StretchShape,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum StretchShape {
    /// Byte for byte of the same length, edges of characters at the same places.
    Even,
    /// No place inside corresponds to any of the other.
    Whole,
}

impl Folded {
    pub(super) fn of(text: &str) -> Folded {
        let mut folded = Folded {
            text: String::with_capacity(text.len()),
            stretches: Vec::new(),
            length: text.len(),
        };
        let mut at = 0;
        while at < text.len() {
            let length = match plain(&text[at..]) {
                0 => {
                    let length = unit(&text[at..]);
                    folded.take(at, &text[at..at + length]);
                    length
                }
                length => {
                    folded.stretch(at, StretchShape::Even);
                    folded.text.extend(
                        text[at..at + length]
                            .chars()
                            .map(|c| c.to_ascii_lowercase()),
                    );
                    length
                }
            };
            at += length;
        }
        folded
    }

    pub(super) fn span(&self, range: Range<usize>) -> Range<usize> {
        let stretch = |at: usize| {
            self.stretches
                .partition_point(|stretch| stretch.folded <= at)
                - 1
        };
        let (first, last) = (stretch(range.start), stretch(range.end - 1));
        let start = match &self.stretches[first] {
            Stretch {
                folded,
                original,
                shape: StretchShape::Even,
            } => original + range.start - folded,
            Stretch { original, .. } => *original,
        };
        let end = match &self.stretches[last] {
            Stretch {
                folded,
                original,
                shape: StretchShape::Even,
            } => original + range.end - folded,
            _ => self
                .stretches
                .get(last + 1)
                .map_or(self.length, |next| next.original),
        };
        start..end
    }

    fn take(&mut self, original: usize, unit: &str) {
        let mut folded = String::new();
        let mut chars = unit.chars();
        if chars
            .clone()
            .find(|c| !is_ignorable(*c))
            .is_some_and(char::is_whitespace)
        {
            folded.push(' ');
        } else {
            unit.nfkc()
                .filter(|c| !is_ignorable(*c))
                .for_each(|c| fold(c, &mut folded));
        }
        // Nothing is added where there is nothing that anybody sees.
        if folded.is_empty() {
            return;
        }
        let is_even =
            folded.len() == unit.len() && chars.nth(1).is_none() && folded.chars().nth(1).is_none();
        self.stretch(
            original,
            if is_even {
                StretchShape::Even
            } else {
                StretchShape::Whole
            },
        );
        self.text.push_str(&folded);
    }

    fn stretch(&mut self, original: usize, shape: StretchShape) {
        if !self
            .stretches
            .last()
            .is_some_and(|last| (last.shape, shape) == (StretchShape::Even, StretchShape::Even))
        {
            self.stretches.push(Stretch {
                folded: self.text.len(),
                original,
                shape,
            });
        }
    }
}

/// Folds the first character of `text` with its combining marks into `out`, and returns its length. Folding character by
/// character gives the same as folding the whole text.
pub(super) fn fold_next(text: &str, out: &mut String) -> usize {
    let mut chars = text.char_indices();
    let first = chars.next().map(|(_, first)| first).unwrap_or_default();
    if first.is_whitespace() {
        out.push_str(if out.ends_with(' ') { "" } else { " " });
        return first.len_utf8();
    }
    let length = chars
        .find(|(_, c)| !melts(*c))
        .map_or(text.len(), |(at, _)| at);
    text[..length]
        .nfkc()
        .filter(|c| !is_ignorable(*c))
        .for_each(|c| fold(c, out));
    length
}

/// Returns the length of the ASCII prefix of `text` that folds byte by byte.
fn plain(text: &str) -> usize {
    let length = text
        .bytes()
        .take_while(|byte: &u8| byte.is_ascii() && !char::from(*byte).is_whitespace())
        .count();
    let may_melt = text
        .as_bytes()
        .get(length)
        .is_some_and(|next| !next.is_ascii());
    if may_melt {
        length.saturating_sub(1)
    } else {
        length
    }
}

/// Returns the length of the first part of `text` that is folded by itself: blanks in a row, or a character and its marks.
fn unit(text: &str) -> usize {
    let mut chars = text.char_indices().peekable();
    let first = chars
        .by_ref()
        .map(|(_, c)| c)
        .find(|c| !is_ignorable(*c))
        .unwrap_or_default();
    let goes_on: fn(char) -> bool = if first.is_whitespace() {
        char::is_whitespace
    } else {
        melts
    };
    while chars
        .next_if(|(_, c)| goes_on(*c) || is_ignorable(*c))
        .is_some()
    {}
    chars.next().map_or(text.len(), |(at, _)| at)
}

/// Returns whether `c` may compose with the character before it.
fn melts(c: char) -> bool {
    if c.is_ascii() {
        return false;
    }
    let first = once(c).nfkd().next().unwrap_or(c);
    canonical_combining_class(first) != 0 || is_nfc_quick(once(first)) == IsNormalized::Maybe
}

fn is_ignorable(c: char) -> bool {
    // Default_Ignorable_Code_Point of Unicode 17.
    !c.is_ascii()
        && matches!(u32::from(c),
            0xAD | 0x34F | 0x61C | 0x115F..=0x1160 | 0x17B4..=0x17B5 | 0x180B..=0x180F | 0x200B..=0x200F
            | 0x202A..=0x202E | 0x2060..=0x206F | 0x3164 | 0xFE00..=0xFE0F | 0xFEFF | 0xFFA0 | 0xFFF0..=0xFFF8
            | 0x1_BCA0..=0x1_BCA3 | 0x1_D173..=0x1_D17A | 0xE_0000..=0xE_0FFF)
}

#[cfg(test)]
mod tests;
