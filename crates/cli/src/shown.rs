//! Text of strangers, made safe for a terminal.

use std::borrow::Cow;

use repertoire::skill_md::is_invisible;

/// `text` on one line: whatever could move a cursor, turn text around or hide it is spelled out, as in `\u{1b}`.
pub(crate) fn shown(text: &str) -> Cow<'_, str> {
    escape(text, is_hidden)
}

/// As [`shown`], with line ends and tabs left alone.
pub(crate) fn shown_lines(text: &str) -> Cow<'_, str> {
    escape(text, |c| is_hidden(c) && !matches!(c, '\n' | '\t'))
}

/// `text` for an excerpt, whose columns must stay: one sign for each such character.
pub(crate) fn veiled(text: &str) -> String {
    text.chars().map(|c| if is_hidden(c) && c != '\t' { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

/// Control characters, line ends of any kind, direction marks, tag characters, and the byte-order mark.
///
/// Joiners are left alone: scripts and emoji need them.
pub(crate) fn is_hidden(c: char) -> bool {
    c.is_control() || is_invisible(c) || matches!(c, '\u{200B}' | '\u{2028}' | '\u{2029}' | '\u{FEFF}')
}

fn escape(text: &str, hidden: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.chars().any(&hidden) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '\n' | '\r' | '\t' if hidden(c) => escaped.extend(c.escape_default()),
            c if hidden(c) => escaped.extend(c.escape_unicode()),
            c => escaped.push(c),
        }
    }
    Cow::Owned(escaped)
}

#[cfg(test)]
mod tests;
