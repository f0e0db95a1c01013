//! Untrusted text on one line, and shorter.

use std::borrow::Cow;

use repertoire_core::skill_md::is_invisible;
use unicode_segmentation::GraphemeCursor;

/// `text` on one line, trimmed, without characters that people do not see and models read.
///
/// A line break or tab, with the blanks around it, becomes one space; other text stays as written.
pub(crate) fn one_line(text: &str) -> Cow<'_, str> {
    let mut unwanted = unwanted(text).peekable();
    if unwanted.peek().is_none() {
        return Cow::Borrowed(text.trim());
    }
    let mut line = String::with_capacity(text.len());
    let (mut from, mut begins) = (0, true);
    for (at, c) in unwanted {
        push(&text[from..at], &mut begins, &mut line);
        from = at + c.len_utf8();
        if is_break(c) {
            line.truncate(line.trim_end().len());
            begins = true;
        }
    }
    push(&text[from..], &mut begins, &mut line);
    line.truncate(line.trim_end().len());
    Cow::Owned(line)
}

/// Adds `part` to `line`; where a line of the text begins, without the blanks before it and behind a single one.
fn push(part: &str, begins: &mut bool, line: &mut String) {
    let part = if *begins { part.trim_start() } else { part };
    if part.is_empty() {
        return;
    }
    if *begins && !line.is_empty() {
        line.push(' ');
    }
    *begins = false;
    line.push_str(part);
}

/// The characters of `text` that are breaks or unfit, and where: few in any script.
fn unwanted(text: &str) -> impl Iterator<Item = (usize, char)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            at += next_suspect(&text.as_bytes()[at..])?;
            let c = text[at..].chars().next()?;
            let place = at;
            at += c.len_utf8();
            if is_break(c) || is_unfit(c) {
                return Some((place, c));
            }
        }
    })
}

/// Where the first byte is that a break or an unfit character may begin with.
///
/// Looks at all bytes of a chunk before it looks at one, because that takes whole vectors at a time; and first whether they are
/// printable ASCII, which is one comparison and mostly true.
fn next_suspect(bytes: &[u8]) -> Option<usize> {
    let (chunks, rest) = bytes.as_chunks::<16>();
    for (number, chunk) in chunks.iter().enumerate() {
        if chunk.iter().fold(false, |any, byte| any | is_unusual(*byte))
            && let Some(at) = chunk.iter().position(|byte| is_suspect(*byte))
        {
            return Some(16 * number + at);
        }
    }
    Some(bytes.len() - rest.len() + rest.iter().position(|byte| is_suspect(*byte))?)
}

/// Whether `byte` is other than printable ASCII: one more makes it negative, or less than 33.
fn is_unusual(byte: u8) -> bool {
    (byte.wrapping_add(1) as i8) < 0x21
}

/// Whether a character that is a break or unfit may begin with `byte`.
fn is_suspect(byte: u8) -> bool {
    matches!(byte, 0..b' ' | 0x7F | 0xC2 | 0xD8 | 0xE2 | 0xEF | 0xF3)
}

/// How many characters of `text` people do not see and models read; its `line` has none.
pub(crate) fn hidden_in(text: &str, line: &str) -> usize {
    // Nothing was taken out but blanks at the ends.
    if line.len() == text.trim().len() {
        return 0;
    }
    text.chars().filter(|c| !is_break(*c) && is_unfit(*c)).count()
}

/// What a reader may take for the end of a line, and tabs.
fn is_break(c: char) -> bool {
    matches!(c, '\t'..='\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Invisible, or no character of XML 1.0.
fn is_unfit(c: char) -> bool {
    is_invisible(c) || matches!(c, '\u{FFFE}' | '\u{FFFF}')
}

/// `text` in at most `most` characters: whole, or cut with an ellipsis; empty when nothing sensible is left.
///
/// The cut is at the end of a word where one ends in the second half, else between graphemes.
pub(crate) fn shorten(text: &str, most: usize) -> Cow<'_, str> {
    if text.len() <= most || text.char_indices().nth(most).is_none() {
        return Cow::Borrowed(text);
    }
    // The ellipsis is a character too.
    let room = most.saturating_sub(1);
    let (cut, _) = text.char_indices().nth(room).expect("the text has more than `most` characters");
    let cut = grapheme_boundary(text, cut);
    let (head, rest) = text.split_at(cut);
    let word = match head.rfind(char::is_whitespace) {
        Some(end) if !rest.starts_with(char::is_whitespace) && end >= cut / 2 => end,
        _ => cut,
    };
    let kept = head[..word].trim_end_matches(|c: char| c.is_whitespace() || c.is_ascii_punctuation());
    if kept.is_empty() { Cow::Borrowed("") } else { Cow::Owned(format!("{kept}…")) }
}

/// The last boundary between graphemes that is not after `cut`.
fn grapheme_boundary(text: &str, cut: usize) -> usize {
    let mut cursor = GraphemeCursor::new(cut, text.len(), true);
    if cursor.is_boundary(text, 0).expect("the chunk is the whole text") {
        return cut;
    }
    cursor.prev_boundary(text, 0).expect("the chunk is the whole text").unwrap_or(0)
}

#[cfg(test)]
mod tests;
