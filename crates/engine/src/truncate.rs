//! Untrusted text, truncated.

use std::borrow::Cow;

use unicode_segmentation::GraphemeCursor;

/// Truncates `text` to at most `most` characters, an ellipsis among them; empty when nothing sensible is left.
///
/// The cut is at the end of a word if one ends in the second half, else between graphemes.
pub(crate) fn truncate(text: &str, most: usize) -> Cow<'_, str> {
    if text.len() <= most || text.char_indices().nth(most).is_none() {
        return Cow::Borrowed(text);
    }
    // The ellipsis is a character too.
    let room = most.saturating_sub(1);
    let (cut, _) = text
        .char_indices()
        .nth(room)
        .expect("the text has more than `most` characters");
    let cut = grapheme_boundary(text, cut);
    let (head, rest) = text.split_at(cut);
    let word = match head.rfind(char::is_whitespace) {
        Some(end) if !rest.starts_with(char::is_whitespace) && end >= cut / 2 => end,
        _ => cut,
    };
    let kept =
        head[..word].trim_end_matches(|c: char| c.is_whitespace() || c.is_ascii_punctuation());
    if kept.is_empty() {
        Cow::Borrowed("")
    } else {
        Cow::Owned(format!("{kept}…"))
    }
}

fn grapheme_boundary(text: &str, cut: usize) -> usize {
    let mut cursor = GraphemeCursor::new(cut, text.len(), true);
    if cursor
        .is_boundary(text, 0)
        .expect("the chunk is the whole text")
    {
        return cut;
    }
    cursor
        .prev_boundary(text, 0)
        .expect("the chunk is the whole text")
        .unwrap_or(0)
}

/// The beginnings of sentences that say when to use a skill.
const WHEN: [&str; 8] = [
    "use when",
    "use this",
    "use it",
    "use for",
    "use to",
    "when ",
    "whenever ",
    "trigger",
];

/// The least number of characters that is divided between both sentences.
const DIVIDED: usize = 48;

/// Truncates `text` to at most `most` characters: its beginning and the sentence that says when to use the skill. Each part
/// ends at a clause if one ends in its second half, else at a word.
pub(super) fn truncate_at_clause(text: &str, most: usize) -> Cow<'_, str> {
    let length = text.chars().count();
    if length <= most {
        return text.into();
    }
    let Some((what, when)) = (most >= DIVIDED).then(|| when(text)).flatten() else {
        return cut(text, most);
    };
    // What it does gets at least half.
    let when = cut(when, most - (most / 2).min(what.chars().count()) - 1);
    if when.is_empty() {
        return cut(text, most);
    }
    let what = cut(what, most - when.chars().count() - 1);
    if what.is_empty() {
        when
    } else {
        Cow::Owned(format!("{what} {when}"))
    }
}

fn when(text: &str) -> Option<(&str, &str)> {
    let ends = text
        .match_indices(['.', ';', '!', '?', '—', ':'])
        .map(|(at, end)| at + end.len());
    let mut starts = ends.filter_map(|end| {
        let rest = text[end..].trim_start();
        (rest.len() < text.len() - end).then(|| text.len() - rest.len())
    });
    let at = starts.find(|at: &usize| {
        let rest = &text.as_bytes()[*at..];
        WHEN.iter().any(|words| {
            rest.get(..words.len())
                .is_some_and(|start| start.eq_ignore_ascii_case(words.as_bytes()))
        })
    })?;
    Some((text[..at].trim_end(), &text[at..]))
}

fn cut(text: &str, most: usize) -> Cow<'_, str> {
    let short = truncate(text, most);
    let Cow::Owned(cut) = &short else {
        return short;
    };
    let Some(kept) = cut.strip_suffix('…') else {
        return short;
    };
    // A mark ends a clause only where a blank follows, as it does not in `v1.2`.
    let ends = kept.match_indices(['.', ',', ';', '!', '?', ':', '—']);
    let ends = ends.filter(|(at, mark)| text[at + mark.len()..].starts_with(char::is_whitespace));
    match ends.map(|(at, _)| at).next_back() {
        Some(end) if end >= kept.len() / 2 => Cow::Owned(format!("{}…", kept[..end].trim_end())),
        _ => short,
    }
}

#[cfg(test)]
mod tests;
