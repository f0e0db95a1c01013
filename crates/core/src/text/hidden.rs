//! Reports hidden text.

use std::fmt;

use super::scan::{self, is_shapeless};

/// A report of the hidden characters of one text.
///
/// Prints as `3 invisible characters that spell `abc``, or with the code points where they spell nothing readable.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Hidden {
    /// The number of hidden characters.
    pub count: usize,
    /// The byte of the text where the first one stands.
    pub at: usize,
    /// The line of the first one, from 1.
    pub line: u32,
    /// The column of the first one, in characters, from 1.
    pub column: u32,
    /// The text that they spell, if it can be read, cut at 200 characters.
    pub spelled: Option<String>,
    /// The first different ones.
    kinds: Vec<char>,
}

/// The number of code points that a report names.
const KINDS: usize = 4;

/// Returns a report of the hidden characters of `text`, or `None` if it has none.
///
/// ```
/// use repertoire_core::text::hidden;
///
/// let found = hidden("Format.\n\u{E0053}\u{E0045}\u{E004E}\u{E0044} Keep.").ok_or("nothing")?;
/// assert_eq!(found.to_string(), "4 invisible characters that spell `SEND`");
/// assert_eq!((found.line, found.column), (2, 1));
/// assert!(hidden("🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}").is_none());
/// # Ok::<(), &str>(())
/// ```
pub fn hidden(text: &str) -> Option<Hidden> {
    let first = scan::hidden(text).next()?;
    let (line, column) = place(&text[..first.at]);
    let mut kinds = Vec::new();
    for c in characters(text) {
        if kinds.len() > KINDS {
            break;
        }
        if !kinds.contains(&c) {
            kinds.push(c);
        }
    }
    let spelled = spelled(characters(text));
    Some(Hidden {
        count: hidden_count(text),
        at: first.at,
        line,
        column,
        spelled,
        kinds,
    })
}

/// Returns the number of hidden characters of `text`.
pub fn hidden_count(text: &str) -> usize {
    characters(text).count()
}

/// Returns whether `text` has no hidden character.
pub fn is_clean(text: &str) -> bool {
    scan::hidden(text).next().is_none()
}

fn place(before: &str) -> (u32, u32) {
    let bytes = before.as_bytes();
    let lines = (0..bytes.len())
        .filter(|at: &usize| {
            bytes[*at] == b'\n' || bytes[*at] == b'\r' && bytes.get(at + 1) != Some(&b'\n')
        })
        .count();
    let start = before.rfind(['\n', '\r']).map_or(0, |end| end + 1);
    (ordinal(lines), ordinal(before[start..].chars().count()))
}

impl Hidden {
    /// Returns the same report for a text that begins `lines` lines further down.
    #[must_use]
    pub(crate) fn moved_down(mut self, lines: usize) -> Hidden {
        self.line = self
            .line
            .saturating_add(u32::try_from(lines).unwrap_or(u32::MAX));
        self
    }
}

impl fmt::Display for Hidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (characters, spell) = if self.count == 1 {
            ("character", "spells")
        } else {
            ("characters", "spell")
        };
        write!(f, "{} invisible {characters}", self.count)?;
        if let Some(spelled) = &self.spelled {
            return write!(f, " that {spell} `{spelled}`");
        }
        for (number, c) in self.kinds.iter().take(KINDS).enumerate() {
            write!(
                f,
                "{}U+{:04X}",
                if number == 0 { " (" } else { ", " },
                u32::from(*c)
            )?;
        }
        f.write_str(if self.kinds.len() > KINDS {
            ", …)"
        } else {
            ")"
        })
    }
}

/// The longest text that is reported, in characters.
const LONGEST: usize = 200;

/// The number of hidden characters that are read.
const READ: usize = 16 * 1024;

/// Returns the text that hidden characters spell in one of the known ways, if it can be read.
fn spelled(hidden: impl Iterator<Item = char>) -> Option<String> {
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
    let parts: Vec<String> = [Some(tags), selected, digits]
        .into_iter()
        .flatten()
        .filter(|part| !part.is_empty())
        .collect();
    let text = parts.join(" ");
    let mut chars = text
        .chars()
        .map(|c| if c.is_whitespace() { ' ' } else { c });
    let mut shown: String = chars.by_ref().take(LONGEST).collect();
    if chars.next().is_some() {
        shown.push('…');
    }
    (!shown.trim().is_empty()).then_some(shown)
}

fn from_bytes(bytes: Vec<u8>) -> Option<String> {
    // A count or an end may stand at either side.
    let text = String::from_utf8(bytes).ok()?;
    readable(text.trim_matches(|c: char| c.is_control()).to_owned())
}

fn readable(text: String) -> Option<String> {
    (text.chars().nth(1).is_some()
        && text.chars().all(|c: char| {
            c.is_alphanumeric() || c.is_whitespace() || !is_shapeless(c) && !is_private(c)
        }))
    .then_some(text)
}

fn is_private(c: char) -> bool {
    matches!(c, '\u{E000}'..='\u{F8FF}' | '\u{FDD0}'..='\u{FDEF}' | '\u{F0000}'..)
}

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
        [a, b] => [a, b]
            .into_iter()
            .flat_map(|one| [8, 7].map(|width| in_groups(signs, one, width)))
            .flatten()
            .collect(),
        [a, b, c] => {
            let ways = [(a, c), (b, c), (a, b), (c, b), (b, a), (c, a)];
            ways.into_iter()
                .filter_map(|(one, between)| between_signs(signs, one, between))
                .collect()
        }
        _ => return None,
    };
    // Any digits spell something, and ASCII is spelled most.
    ways.sort_by_key(|text| !text.is_ascii());
    ways.into_iter().next()
}

fn in_groups(signs: &[char], one: char, width: usize) -> Option<String> {
    let text: Option<String> = signs
        .chunks_exact(width)
        .map(|group| character(group, one))
        .collect();
    text.and_then(sensible)
}

fn between_signs(signs: &[char], one: char, between: char) -> Option<String> {
    let groups = signs
        .split(|sign| *sign == between)
        .filter(|group| !group.is_empty());
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

/// Returns `text` if a person may have written it. Any digits spell some text, so this requires more than `is_readable`.
fn sensible(text: String) -> Option<String> {
    let is_sensible = text
        .chars()
        .all(|c| c.is_ascii_graphic() || c == ' ' || c.is_alphabetic() && !is_shapeless(c));
    let letters = text
        .chars()
        .filter(|c| c.is_ascii_alphanumeric() || *c == ' ')
        .count();
    (is_sensible && 2 * letters > text.chars().count())
        .then_some(text)
        .and_then(readable)
}

fn characters(text: &str) -> impl Iterator<Item = char> {
    scan::hidden(text).flat_map(|run| run.text.chars())
}

fn ordinal(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX).saturating_add(1)
}
