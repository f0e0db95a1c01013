//! Reads what hidden characters spell.

use super::sequence::is_shapeless;

/// The longest text that is reported, in characters.
const LONGEST: usize = 200;

/// The number of hidden characters that are read.
const READ: usize = 16 * 1024;

/// Returns the text that hidden characters spell in one of the known ways, if it can be read.
pub(super) fn spelled(hidden: impl Iterator<Item = char>) -> Option<String> {
    let (mut tags, mut bytes, mut signs) = (String::new(), Vec::new(), Vec::new());
    for c in hidden.take(READ) {
        match u32::from(c) {
            tag @ 0xE0020..=0xE007E => tags.extend(char::from_u32(tag - 0xE0000)),
            selector @ 0xFE00..=0xFE0F => bytes.push((selector - 0xFE00) as u8),
            selector @ 0xE0100..=0xE01EF => bytes.push((selector - 0xE0100 + 16) as u8),
            // Other tags and control characters are no digits.
            0xE0000..=0xE007F => {}
            _ if c.is_control() => {}
            _ => signs.push(c),
        }
    }
    let selected = from_bytes(bytes);
    let digits = from_digits(&signs);
    let parts: Vec<String> =
        [Some(tags), selected, digits].into_iter().flatten().filter(|part| !part.is_empty()).collect();
    let text = parts.join(" ");
    let mut chars = text.chars().map(|c| if c.is_whitespace() { ' ' } else { c });
    let mut shown: String = chars.by_ref().take(LONGEST).collect();
    if chars.next().is_some() {
        shown.push('…');
    }
    (!shown.trim().is_empty()).then_some(shown)
}

/// Returns the text of bytes, if people can read it.
fn from_bytes(bytes: Vec<u8>) -> Option<String> {
    // A count or an end may stand at either side.
    let text = String::from_utf8(bytes).ok()?;
    readable(text.trim_matches(|c: char| c.is_control()).to_owned())
}

fn readable(text: String) -> Option<String> {
    let is_readable = |c: char| c.is_alphanumeric() || c.is_whitespace() || !is_shapeless(c) && !is_private(c);
    (text.chars().nth(1).is_some() && text.chars().all(is_readable)).then_some(text)
}

fn is_private(c: char) -> bool {
    matches!(c, '\u{E000}'..='\u{F8FF}' | '\u{FDD0}'..='\u{FDEF}' | '\u{F0000}'..)
}

/// Returns the text of binary digits that two characters stand for, with or without a third one between letters.
fn from_digits(signs: &[char]) -> Option<String> {
    let mut kinds: Vec<char> = Vec::new();
    for sign in signs {
        if !kinds.contains(sign) {
            kinds.push(*sign);
        }
        if kinds.len() > 3 {
            return None;
        }
    }
    let mut ways: Vec<String> = match *kinds.as_slice() {
        [a, b] => {
            [a, b].into_iter().flat_map(|one| [8, 7].map(|width| in_groups(signs, one, width))).flatten().collect()
        }
        [a, b, c] => {
            let ways = [(a, c), (b, c), (a, b), (c, b), (b, a), (c, a)];
            ways.into_iter().filter_map(|(one, between)| between_signs(signs, one, between)).collect()
        }
        _ => return None,
    };
    // Any digits spell something, and ASCII is spelled most.
    ways.sort_by_key(|text| !text.is_ascii());
    ways.into_iter().next()
}

/// Returns the text of digits in groups of one width; what is left at the end is no letter.
fn in_groups(signs: &[char], one: char, width: usize) -> Option<String> {
    let text: Option<String> = signs.chunks_exact(width).map(|group| character(group, one)).collect();
    text.and_then(sensible)
}

/// Returns the text of digits in groups that a sign ends.
fn between_signs(signs: &[char], one: char, between: char) -> Option<String> {
    let groups = signs.split(|sign| *sign == between).filter(|group| !group.is_empty());
    let text: Option<String> = groups.map(|group| character(group, one)).collect();
    text.and_then(sensible)
}

fn character(group: &[char], one: char) -> Option<char> {
    let number = group.iter().try_fold(0u32, |number, sign| {
        let next = number.checked_mul(2)?;
        next.checked_add(u32::from(*sign == one))
    })?;
    char::from_u32(number)
}

/// Returns `text` if it is one that somebody wrote: any digits spell some text, so this asks for more than [`readable`].
fn sensible(text: String) -> Option<String> {
    let is_sensible = text.chars().all(|c| c.is_ascii_graphic() || c == ' ' || c.is_alphabetic() && !is_shapeless(c));
    let letters = text.chars().filter(|c| c.is_ascii_alphanumeric() || *c == ' ').count();
    (is_sensible && 2 * letters > text.chars().count()).then_some(text).and_then(readable)
}
