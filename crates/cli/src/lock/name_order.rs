//! The order in which the tool `skills` hashes files.

use std::cmp::Ordering;

/// Printable ASCII as `String.prototype.localeCompare` orders it in English: blank, punctuation, symbols, digits,
/// then letters, of which the lower-case one comes first where nothing else tells two names apart.
const ASCII: &str = " _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789aAbBcCdDeEfFgGhHiIjJkKlLmMnNoOpPqQrRsStTuUvVwWxXyYzZ";

/// Compares two names; `None` where only the tables of the Unicode collation could tell.
pub(super) fn compare(a: &str, b: &str) -> Option<Ordering> {
    let mut by_case = Ordering::Equal;
    let (mut left, mut right) = (a.chars(), b.chars());
    loop {
        match (left.next(), right.next()) {
            (Some(x), Some(y)) if x == y => {}
            (Some(x), Some(y)) => match weight(x)?.cmp(&weight(y)?) {
                Ordering::Equal => by_case = by_case.then(x.is_ascii_uppercase().cmp(&y.is_ascii_uppercase())),
                decided => return Some(decided),
            },
            (None, None) => return Some(by_case),
            (rest, other) => {
                // What is longer comes later, unless all that it has more might weigh nothing.
                let mut more = rest.or(other).into_iter().chain(left).chain(right);
                let longer = if rest.is_some() { Ordering::Greater } else { Ordering::Less };
                return more.any(|c| weight(c).is_some()).then_some(longer);
            }
        }
    }
}

/// A total order of names that is [`compare`]'s wherever that knows one.
///
/// Names whose neighbours in it are all decided are in the tool's order: what lies between two names decides them.
pub(super) fn key(name: &str) -> (Vec<usize>, Vec<bool>, String) {
    let weigh = |c: char| weight(c).unwrap_or(ASCII.len() + c as usize);
    (name.chars().map(weigh).collect(), name.chars().map(|c| c.is_ascii_uppercase()).collect(), name.to_owned())
}

/// The place of a character among others, whatever its case.
fn weight(c: char) -> Option<usize> {
    ASCII.find(c.to_ascii_lowercase()).filter(|_| c.is_ascii())
}

#[cfg(test)]
mod tests;
