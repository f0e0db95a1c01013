//! Untrusted text on one line, and shorter.

use std::borrow::Cow;

use repertoire_core::skill_md::is_invisible;
use unicode_segmentation::GraphemeCursor;

/// `text` on one line, trimmed, without characters that people do not see and models read.
///
/// A line break or tab, with the blanks around it, becomes one space; other text stays as written.
pub(crate) fn one_line(text: &str) -> Cow<'_, str> {
    // Looks at every byte, because that takes whole vectors at a time.
    if text.bytes().fold(true, |all, byte| all & matches!(byte, b' '..=b'~')) {
        return Cow::Borrowed(text.trim());
    }
    let (mut breaks, mut unfit) = (false, false);
    for c in text.chars().filter(|c| !matches!(c, ' '..='~')) {
        if is_break(c) {
            breaks = true;
        } else {
            unfit |= is_unfit(c);
        }
    }
    let visible: Cow<'_, str> = if unfit {
        text.chars().filter(|c| is_break(*c) || !is_unfit(*c)).collect::<String>().into()
    } else {
        text.into()
    };
    if !breaks {
        return match visible {
            Cow::Borrowed(text) => Cow::Borrowed(text.trim()),
            Cow::Owned(text) => Cow::Owned(text.trim().to_owned()),
        };
    }
    let mut line = String::with_capacity(visible.len());
    for part in visible.split(is_break).map(str::trim).filter(|part| !part.is_empty()) {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(part);
    }
    Cow::Owned(line)
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
