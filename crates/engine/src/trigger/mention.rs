//! Names in a message.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::fold::is_unspaced;

/// What stands before a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sigil {
    Dollar,
    Slash,
}

/// Calls `each` with what may be a mention: where it stands, its sigil, and the name; the longest first at each place, until
/// `each` says that it is one. `ends` tells where names end that a text begins with, the longest first.
///
/// A mention begins at the start, or behind a blank, an opening bracket or quote, a comma, or a script without blanks. It ends
/// where a word does, unless a sign follows that leads on: `/usr/bin`, `$name.field`, `/re-read` are no mentions of `usr`,
/// `name` and `re`.
pub(super) fn each(
    message: &str,
    ends: impl Fn(&str) -> Vec<usize>,
    mut each: impl FnMut(Range<usize>, Sigil, &str) -> bool,
) {
    let mut from = 0;
    for at in memchr::memchr2_iter(b'$', b'/', message.as_bytes()) {
        if at < from || !may_begin(&message[..at]) {
            continue;
        }
        let sigil = if message.as_bytes()[at] == b'/' { Sigil::Slash } else { Sigil::Dollar };
        let behind = &message[at + 1..];
        let ends = ends(behind).into_iter().filter(|end| may_end(behind, *end));
        let found = ends.map(|end| (at..at + 1 + end, &behind[..end])).find(|(range, name)| {
            let name: String = name.nfkc().collect();
            each(range.clone(), sigil, &name)
        });
        from = found.map_or(from, |(range, _)| range.end);
    }
}

fn may_begin(before: &str) -> bool {
    before.chars().next_back().is_none_or(|c| {
        let opens = "([{<\"'“‘«„,;，；：".contains(c) || matches!(c, '\u{3000}'..='\u{303F}');
        c.is_whitespace() || opens || is_unspaced(c)
    })
}

/// Whether a name may end at `end`, by what stands on both sides of it.
fn may_end(text: &str, end: usize) -> bool {
    let Some((name, behind)) = text.split_at_checked(end) else { return false };
    let mut behind = behind.chars();
    let (last, next, second) = (name.chars().next_back(), behind.next(), behind.next());
    let goes_on = |c: char| c.is_alphanumeric() && !is_unspaced(c) || is_combining_mark(c) || matches!(c, '/' | '\\');
    match next {
        None => true,
        Some('-' | '_' | '.' | ':' | '@' | '=' | '+' | '~' | '&' | '%' | '#' | '$') => !second.is_some_and(goes_on),
        Some(next) if last.is_some_and(is_unspaced) => !is_combining_mark(next) && next != '/' && next != '\\',
        Some(next) => !goes_on(next),
    }
}
