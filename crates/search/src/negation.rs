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

/// All of them, because most descriptions have none.
static SIGNS_OF_NEGATION: LazyLock<AhoCorasick> = LazyLock::new(|| {
    AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .build(PHRASES.iter().chain(&ARROWS))
        .expect("a few short patterns")
});

/// Returns `text` without what follows such a phrase, up to the end of its sentence, and without clauses such as
/// `For tables → edit-tables`.
pub(super) fn positive(text: &str) -> Cow<'_, str> {
    if !SIGNS_OF_NEGATION.is_match(text) {
        return text.into();
    }
    let lower = text.to_ascii_lowercase();
    let phrase = |at: usize| {
        let begin = PHRASES
            .iter()
            .filter_map(|phrase| find(&lower, at, phrase))
            .min()?;
        Some(begin..begin + sentence_length(&text[begin..]))
    };
    let mut kept = String::new();
    let mut at = 0;
    while let Some(cut) = [phrase(at), redirect(text, at)]
        .into_iter()
        .flatten()
        .min_by_key(|cut| cut.start)
    {
        kept.push_str(&text[at..cut.start]);
        at = cut.end;
    }
    if at == 0 {
        return text.into();
    }
    kept.push_str(&text[at..]);
    kept.into()
}

/// Returns the first clause, from `at` on, that ends with an arrow and a name with a hyphen.
fn redirect(text: &str, at: usize) -> Option<Range<usize>> {
    let arrows = ARROWS
        .iter()
        .flat_map(|arrow| text[at..].match_indices(arrow));
    let redirects = arrows.filter_map(|(place, arrow)| {
        let place = at + place;
        let behind = &text[place + arrow.len()..];
        let name = behind.trim_start().trim_start_matches('`');
        let length = name
            .find(|c: char| !c.is_ascii_alphanumeric() && c != '-')
            .unwrap_or(name.len());
        let is_name = name[..length].trim_matches('-').contains('-');
        let begin = text[at..place]
            .rfind(['.', ';', ',', '!', '?', '\n'])
            .map_or(at, |end| at + end + 1);
        is_name.then(|| begin..text.len() - name.len() + length)
    });
    redirects.min_by_key(|redirect| redirect.start)
}

/// Returns the place of `phrase` as whole words in `text`, from `at` on.
fn find(text: &str, at: usize, phrase: &str) -> Option<usize> {
    let is_letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let places = text[at..]
        .match_indices(phrase)
        .map(|(place, _)| at + place);
    places
        .filter(|place| !is_letter(text[..*place].chars().next_back()))
        .find(|place| !is_letter(text[place + phrase.len()..].chars().next()))
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
