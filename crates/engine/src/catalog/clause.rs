//! Descriptions cut where a thought ends.

use std::borrow::Cow;

use crate::shorten::shorten;

/// How sentences begin that tell when to use a skill: what sets it apart from others.
const WHEN: [&str; 8] = ["use when", "use this", "use it", "use for", "use to", "when ", "whenever ", "trigger"];

/// The least room that is worth being divided.
const DIVIDED: usize = 48;

/// `text` in at most `most` characters: whole, or its beginning and the sentence that tells when to use the skill, each
/// cut at the end of a clause if one ends in the second half, else at the end of a word.
pub(super) fn shorten_clauses(text: &str, most: usize) -> Cow<'_, str> {
    let length = text.chars().count();
    if length <= most {
        return text.into();
    }
    let Some((what, when)) = when(text).filter(|_| most >= DIVIDED) else { return cut(text, most) };
    // What it does gets at least half.
    let when = cut(when, most - (most / 2).min(what.chars().count()) - 1);
    if when.is_empty() {
        return cut(text, most);
    }
    let what = cut(what, most - when.chars().count() - 1);
    if what.is_empty() { when } else { Cow::Owned(format!("{what} {when}")) }
}

/// What comes before the sentence that tells when to use the skill, and that sentence with what follows.
fn when(text: &str) -> Option<(&str, &str)> {
    let begins = |at: &usize| {
        let rest = &text.as_bytes()[*at..];
        WHEN.iter()
            .any(|words| rest.get(..words.len()).is_some_and(|start| start.eq_ignore_ascii_case(words.as_bytes())))
    };
    let ends = text.match_indices(['.', ';', '!', '?', '—', ':']).map(|(at, end)| at + end.len());
    let mut starts = ends.filter_map(|end| {
        let rest = text[end..].trim_start();
        (rest.len() < text.len() - end).then(|| text.len() - rest.len())
    });
    let at = starts.find(begins)?;
    Some((text[..at].trim_end(), &text[at..]))
}

/// As [`shorten`], at the end of a clause if one ends in the second half of the room.
fn cut(text: &str, most: usize) -> Cow<'_, str> {
    let short = shorten(text, most);
    let Cow::Owned(cut) = &short else { return short };
    let Some(kept) = cut.strip_suffix('…') else { return short };
    // A mark ends a clause only where a blank follows, as it does not in `v1.2`.
    let ends = kept.match_indices(['.', ',', ';', '!', '?', ':', '—']);
    let ends = ends.filter(|(at, mark)| text[at + mark.len()..].starts_with(char::is_whitespace));
    match ends.map(|(at, _)| at).next_back() {
        Some(end) if end >= kept.len() / 2 => Cow::Owned(format!("{}…", kept[..end].trim_end())),
        _ => short,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_sets_a_skill_apart_stays() {
        let text = "Fills in PDF forms, checks required fields, and writes a short report about each of them for the \
                    archive. Use when the user has a form to fill in, or a whole folder of them.";
        for (most, expected) in [
            (400, text),
            (100, "Fills in PDF forms, checks required fields… Use when the user has a form to fill in…"),
            (70, "Fills in PDF forms… Use when the user has a form to…"),
            (40, "Fills in PDF forms…"),
            (4, "Fil…"),
            (0, ""),
        ] {
            assert_eq!(shorten_clauses(text, most), expected, "{most}");
        }
    }

    #[test]
    fn without_such_a_sentence_the_beginning_stays() {
        let text = "Number 1 handles forms of version 1.2, checks totals, flags gaps, and writes letters.";
        for (most, expected) in [
            (60, "Number 1 handles forms of version 1.2, checks totals…"),
            (41, "Number 1 handles forms of version 1.2…"),
            (36, "Number 1 handles forms of version…"),
        ] {
            assert_eq!(shorten_clauses(text, most), expected, "{most}");
        }
    }

    proptest! {
        #[test]
        fn a_short_text_keeps_its_bound_and_invents_nothing(
            text in "([A-Z][a-z]{2,8} [a-z]{3,9}(, [a-z]{3,9}){0,3}[.;] ){0,3}(Use when [a-z ]{5,60}\\.)?( 表を、é[.] )?",
            most in 0..160usize,
        ) {
            let text = text.trim();
            let short = shorten_clauses(text, most);
            prop_assert!(short.chars().count() <= most);
            for piece in short.split('…') {
                prop_assert!(text.contains(piece.trim()), "{piece:?} of {text:?}");
            }
            prop_assert_eq!(short == text, text.chars().count() <= most);
        }
    }
}
