//! What a server says, shown to people.

use repertoire_core::skill_md::is_invisible;

/// How many characters of a server's text a message holds.
const TOLD: usize = 200;

/// What a server says, on one line, short, and with everything that could not be seen made visible.
pub(crate) fn told(text: &str) -> String {
    let mut shown = String::new();
    for c in text.chars().take(TOLD) {
        match c {
            '\n' | '\r' | '\t' => shown.push(' '),
            c if c.is_control() || is_invisible(c) => shown.extend(c.escape_unicode()),
            c => shown.push(c),
        }
    }
    if text.chars().nth(TOLD).is_some() {
        shown.push('…');
    }
    shown
}
