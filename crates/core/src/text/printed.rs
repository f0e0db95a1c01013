//! The output of programs, without control sequences.

use std::borrow::Cow;
use std::iter::Peekable;
use std::str::Chars;

use super::clean;

/// Returns what a program printed as text: without escape sequences and [hidden](super) characters, `\r` as a line break.
///
/// ```
/// use repertoire_core::text::printed;
///
/// assert_eq!(printed("\u{1b}[1;31mred\u{1b}[0m\r\nnext"), "red\nnext");
/// ```
pub fn printed(text: &str) -> Cow<'_, str> {
    if !text.contains(['\u{1b}', '\u{9b}', '\r']) {
        return clean(text);
    }
    let mut kept = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' => skip_sequence(&mut chars),
            '\u{9b}' => skip_control_sequence(&mut chars),
            '\r' if chars.peek() == Some(&'\n') => {}
            '\r' => kept.push('\n'),
            c => kept.push(c),
        }
    }
    match clean(&kept) {
        Cow::Owned(clean) => Cow::Owned(clean),
        Cow::Borrowed(_) => Cow::Owned(kept),
    }
}

fn skip_sequence(chars: &mut Peekable<Chars<'_>>) {
    match chars.next_if(|c| matches!(c, '[' | ']' | 'P' | 'X' | '^' | '_')) {
        Some('[') => skip_control_sequence(chars),
        // A text for the terminal, its title or the like, up to BEL, ST or the next escape.
        Some(_) => {
            while chars
                .next_if(|c| !matches!(c, '\u{7}' | '\u{1b}' | '\u{9c}' | '\n'))
                .is_some()
            {}
            if chars.next_if_eq(&'\u{1b}').is_some() {
                chars.next_if_eq(&'\\');
            }
        }
        None => {
            while chars.next_if(|c| matches!(c, ' '..='/')).is_some() {}
            chars.next_if(|c| matches!(c, '0'..='~'));
        }
    }
}

fn skip_control_sequence(chars: &mut Peekable<Chars<'_>>) {
    while chars.next_if(|c| matches!(c, ' '..='?')).is_some() {}
    chars.next_if(|c| matches!(c, '@'..='~'));
}
