//! Reports hidden text.

use std::fmt;

use super::decoded;
use super::scan;

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
    let characters = || scan::hidden(text).flat_map(|run| run.text.chars());
    let (line, column) = place(&text[..first.at]);
    let mut kinds = Vec::new();
    for c in characters() {
        if kinds.len() > KINDS {
            break;
        }
        if !kinds.contains(&c) {
            kinds.push(c);
        }
    }
    let spelled = decoded::spelled(characters());
    Some(Hidden { count: characters().count(), at: first.at, line, column, spelled, kinds })
}

/// Returns the number of hidden characters of `text`.
pub fn hidden_count(text: &str) -> usize {
    scan::hidden(text).map(|run| run.text.chars().count()).sum()
}

/// Returns whether `text` has no hidden character.
pub fn is_clean(text: &str) -> bool {
    scan::hidden(text).next().is_none()
}

/// Returns the line and the column behind `before`.
fn place(before: &str) -> (u32, u32) {
    let bytes = before.as_bytes();
    let ends = |at: &usize| bytes[*at] == b'\n' || bytes[*at] == b'\r' && bytes.get(at + 1) != Some(&b'\n');
    let lines = (0..bytes.len()).filter(ends).count();
    let start = before.rfind(['\n', '\r']).map_or(0, |end| end + 1);
    let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX).saturating_add(1);
    (number(lines), number(before[start..].chars().count()))
}

impl Hidden {
    /// Returns the same report for a text that begins `lines` lines further down.
    #[must_use]
    pub fn moved_down(mut self, lines: usize) -> Hidden {
        self.line = self.line.saturating_add(u32::try_from(lines).unwrap_or(u32::MAX));
        self
    }
}

impl fmt::Display for Hidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (characters, spell) = if self.count == 1 { ("character", "spells") } else { ("characters", "spell") };
        write!(f, "{} invisible {characters}", self.count)?;
        if let Some(spelled) = &self.spelled {
            return write!(f, " that {spell} `{spelled}`");
        }
        for (number, c) in self.kinds.iter().take(KINDS).enumerate() {
            write!(f, "{}U+{:04X}", if number == 0 { " (" } else { ", " }, u32::from(*c))?;
        }
        f.write_str(if self.kinds.len() > KINDS { ", …)" } else { ")" })
    }
}
