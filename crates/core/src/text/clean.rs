//! The same text without what people do not see.

use std::borrow::Cow;

use super::scan::{self, OddKind, is_shapeless};

/// Returns `text` without its hidden characters. Breaks and everything visible stay as written.
///
/// ```
/// use repertoire_core::text::clean;
///
/// assert_eq!(clean("Format.\u{E0041} Keep\u{202E}."), "Format. Keep.");
/// assert_eq!(clean("می\u{200C}خواهم ❤\u{FE0F}"), "می\u{200C}خواهم ❤\u{FE0F}");
/// ```
pub fn clean(text: &str) -> Cow<'_, str> {
    let mut hidden = scan::hidden(text).peekable();
    if hidden.peek().is_none() {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len());
    let mut done = 0;
    for run in hidden {
        kept.push_str(&text[done..run.at]);
        done = run.end();
    }
    kept.push_str(&text[done..]);
    Cow::Owned(kept)
}

/// Returns `text` on one line, trimmed and without its hidden characters.
///
/// A break, with the blanks around it, becomes one blank. Other text stays as written.
pub fn clean_line(text: &str) -> Cow<'_, str> {
    let mut odd = scan::odd(text).peekable();
    if odd.peek().is_none() {
        return Cow::Borrowed(text.trim());
    }
    let mut line = String::with_capacity(text.len());
    let (mut from, mut begins) = (0, true);
    for part in odd {
        push(&text[from..part.at], &mut begins, &mut line);
        from = part.end();
        if part.kind == OddKind::Break {
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

/// Returns whether nothing of `text` has a shape: blanks, breaks and invisible characters alone, or nothing at all.
pub(crate) fn shows_nothing(text: &str) -> bool {
    text.chars().all(|c| c.is_whitespace() || is_shapeless(c))
}
