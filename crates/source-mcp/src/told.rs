//! What a server says, shown to people.

use repertoire_core::text;

/// How many characters of a server's text a message holds.
const TOLD: usize = 200;

/// Returns what a server says on one line, short, with hidden characters as escapes.
pub(crate) fn told(said: &str) -> String {
    text::excerpt(said, TOLD)
}
