//! Text that fits the width of a screen.

use std::borrow::Cow;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Returns `text`, or the beginning of it with an ellipsis, in at most `width` columns.
pub(crate) fn cut(text: &str, width: usize) -> Cow<'_, str> {
    if text.width() <= width {
        return text.into();
    }
    let mut kept = 0;
    let mut used = 1;
    for (at, character) in text.char_indices() {
        used += character.width().unwrap_or(0);
        if used > width {
            break;
        }
        kept = at + character.len_utf8();
    }
    format!("{}…", text[..kept].trim_end()).into()
}

/// Returns the words of `text` as lines of at most `width` columns, if its words allow it. All lines but the first begin with
/// `indent` blanks.
pub(crate) fn wrapped(text: &str, width: usize, indent: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut used = 0;
    for word in text.split(' ') {
        let length = word.width();
        let is_first = used == 0 || lines.len() > 1 && used == indent;
        if !is_first && used + 1 + length > width {
            lines.push(" ".repeat(indent));
            used = indent;
        } else if !is_first {
            used += 1;
            lines.last_mut().expect("there is a first line").push(' ');
        }
        used += length;
        lines
            .last_mut()
            .expect("there is a first line")
            .push_str(word);
    }
    lines
}

/// Returns a number with commas, `8,000`.
pub(crate) fn number(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Returns a bar of `width` columns of which the share `used / limit` is filled.
pub(crate) fn bar(used: u64, limit: u64, width: usize) -> String {
    let steps = width as u64;
    let filled = (used * steps).div_ceil(limit.max(1)).min(steps) as usize;
    "█".repeat(filled) + &"░".repeat(width - filled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_cut_to_its_columns() {
        assert_eq!(cut("four words in here", 18), "four words in here");
        assert_eq!(cut("four words in here", 11), "four words…");
        assert_eq!(cut("漢字漢字", 4), "漢…");
    }

    #[test]
    fn lines_wrap_at_words() {
        let lines = wrapped("one two three seventeen", 9, 2);
        assert_eq!(lines, ["one two", "  three", "  seventeen"]);
    }

    #[test]
    fn bars_and_numbers_are_exact() {
        assert_eq!(
            (bar(0, 10, 4), bar(1, 10, 4)),
            ("░░░░".into(), "█░░░".into())
        );
        assert_eq!(
            (bar(10, 10, 4), bar(99, 10, 4)),
            ("████".into(), "████".into())
        );
        assert_eq!(
            [number(7), number(1_000), number(1_234_567)],
            ["7", "1,000", "1,234,567"]
        );
    }
}
