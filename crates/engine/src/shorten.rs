//! Untrusted text, shorter.

use std::borrow::Cow;

use unicode_segmentation::GraphemeCursor;

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
