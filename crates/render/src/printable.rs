//! Text that no terminal obeys.

use std::borrow::Cow;
use std::iter::Peekable;
use std::str::Chars;

use repertoire_core::skill_md::is_invisible;

/// `text` without escape sequences, control and other invisible characters; line breaks and tabs stay, `\r\n` is a line break.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_unfit) {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' => skip_sequence(&mut chars),
            '\u{9b}' => skip_control_sequence(&mut chars),
            '\r' if chars.peek() == Some(&'\n') => {}
            '\r' => kept.push('\n'),
            c if is_unfit(c) => {}
            c => kept.push(c),
        }
    }
    Cow::Owned(kept)
}

fn is_unfit(c: char) -> bool {
    c == '\r' || is_invisible(c)
}

/// Takes what belongs to an escape character.
fn skip_sequence(chars: &mut Peekable<Chars<'_>>) {
    match chars.next_if(|c| matches!(c, '[' | ']' | 'P' | 'X' | '^' | '_')) {
        Some('[') => skip_control_sequence(chars),
        // A text for the terminal, its title or the like, up to BEL, ST or the next escape.
        Some(_) => {
            while chars.next_if(|c| !matches!(c, '\u{7}' | '\u{1b}' | '\u{9c}' | '\n')).is_some() {}
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

/// Takes parameters and the letter that ends them.
fn skip_control_sequence(chars: &mut Peekable<Chars<'_>>) {
    while chars.next_if(|c| matches!(c, ' '..='?')).is_some() {}
    chars.next_if(|c| matches!(c, '@'..='~'));
}

#[cfg(test)]
mod tests {
    use super::printable;

    #[test]
    fn what_a_terminal_would_obey_is_left_out() {
        for (text, kept) in [
            ("plain é\n\ttext", "plain é\n\ttext"),
            ("\u{1b}[1;31mred\u{1b}[0m", "red"),
            ("\u{9b}31mred", "red"),
            ("\u{1b}]0;title\u{7}after", "after"),
            ("\u{1b}]8;;http://x\u{1b}\\link\u{1b}]8;;\u{1b}\\", "link"),
            ("\u{1b}(Bset \u{1b}=keys", "set keys"),
            ("\u{1b}]never closed\nnext", "\nnext"),
            ("a\r\nb\rc", "a\nb\nc"),
            ("nul\0 bell\u{7} back\u{8} del\u{7f}", "nul bell back del"),
            ("bidi\u{202e} tag\u{e0041}", "bidi tag"),
            ("cut\u{1b}", "cut"),
            ("cut\u{1b}[3", "cut"),
        ] {
            assert_eq!(printable(text), kept, "{text:?}");
        }
    }
}
