//! The parts of a description that say what a skill is not for, which are left out of the index.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

/// Phrases after which a sentence names what a skill is not for.
const PHRASES: [&str; 9] = [
    "avoid using",
    "do not trigger",
    "do not use",
    "don't trigger",
    "don't use",
    "don’t use",
    "never use",
    "not for",
    "not to be used",
];

/// Arrows before the name of the skill to use instead.
const ARROWS: [&str; 3] = ["→", "->", "=>"];

/// All of them, phrases first.
static SIGNS_OF_NEGATION: LazyLock<AhoCorasick> = LazyLock::new(|| {
    AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .build(PHRASES.iter().chain(&ARROWS))
        .expect("a few short patterns")
});

/// Returns `text` without what follows such a phrase, up to the end of its sentence, and without clauses such as
/// `For tables → edit-tables`.
pub(super) fn positive(text: &str) -> Cow<'_, str> {
    let (mut phrases, mut arrows) = (Vec::new(), Vec::new());
    for sign in SIGNS_OF_NEGATION.find_overlapping_iter(text) {
        if sign.pattern().as_usize() >= PHRASES.len() {
            arrows.push(sign.range());
        } else if is_whole(text, &sign.range()) {
            phrases.push(sign.start());
        }
    }
    // Overlapping signs come by their ends.
    phrases.sort_unstable();
    let mut kept = String::new();
    let mut at = 0;
    loop {
        let phrase = phrases.iter().find(|begin| **begin >= at);
        let phrase = phrase.map(|begin| *begin..begin + sentence_length(&text[*begin..]));
        let cut = [phrase, redirect(text, at, &arrows)].into_iter().flatten();
        let Some(cut) = cut.min_by_key(|cut| cut.start) else {
            break;
        };
        kept.push_str(&text[at..cut.start]);
        at = cut.end;
    }
    if at == 0 {
        return text.into();
    }
    kept.push_str(&text[at..]);
    kept.into()
}

/// Returns the first clause, from `at` on, that ends with one of the arrows and a name with a hyphen.
fn redirect(text: &str, at: usize, arrows: &[Range<usize>]) -> Option<Range<usize>> {
    let redirects = arrows.iter().filter(|arrow| arrow.start >= at);
    let redirects = redirects.filter_map(|arrow| {
        let name = text[arrow.end..].trim_start().trim_start_matches('`');
        let length = name
            .find(|c: char| !c.is_ascii_alphanumeric() && c != '-')
            .unwrap_or(name.len());
        let is_name = name[..length].trim_matches('-').contains('-');
        let begin = text[at..arrow.start]
            .rfind(['.', ';', ',', '!', '?', '\n'])
            .map_or(at, |end| at + end + 1);
        is_name.then(|| begin..text.len() - name.len() + length)
    });
    redirects.min_by_key(|redirect| redirect.start)
}

/// Returns whether no letter is before or behind `part`.
fn is_whole(text: &str, part: &Range<usize>) -> bool {
    let is_letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    !is_letter(text[..part.start].chars().next_back())
        && !is_letter(text[part.end..].chars().next())
}

/// Returns the bytes up to and with the end of the first sentence.
fn sentence_length(text: &str) -> usize {
    let mut ends = text
        .char_indices()
        .filter(|(_, c)| matches!(c, '.' | '!' | '?' | '\n' | '。'))
        .map(|(at, c)| at + c.len_utf8());
    // A full stop inside of `config.toml` ends nothing.
    ends.find(|end| text[*end..].chars().next().is_none_or(char::is_whitespace))
        .unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn negated_clauses_are_removed() {
        for (text, kept) in [
            (
                "Fills PDF forms. Do NOT use for tax.toml files. Reads them.",
                "Fills PDF forms.  Reads them.",
            ),
            ("Fills forms, not for letters", "Fills forms, "),
            ("Never use it in Excel!", ""),
            (
                "It is not forgotten; use it.",
                "It is not forgotten; use it.",
            ),
            (
                "Cuts clips. For tables → edit-tables, For PDF->`fill-pdf`.",
                "Cuts clips.,`.",
            ),
            ("Turns CSV -> JSON.", "Turns CSV -> JSON."),
        ] {
            assert_eq!(positive(text), kept, "{text}");
        }
    }
}
