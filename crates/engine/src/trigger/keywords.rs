//! Every keyword, looked for at once.

use std::ops::Range;

use aho_corasick::{AhoCorasick, MatchKind};
use unicode_normalization::char::is_combining_mark;

use super::folded::Folded;
use super::part::Matcher;
use crate::fold::is_unspaced;

/// Keywords, as they are compared.
#[derive(Debug)]
pub(super) struct Keywords {
    patterns: Vec<String>,
    /// Nothing where there are more than an automaton has room for.
    automaton: Option<AhoCorasick>,
}

impl Matcher for Keywords {
    fn new(patterns: Vec<String>) -> Keywords {
        let automaton = AhoCorasick::builder().match_kind(MatchKind::Standard).build(&patterns).ok();
        Keywords { patterns, automaton }
    }

    fn patterns(&self) -> &[String] {
        &self.patterns
    }

    fn fault(&self, _: usize) -> Option<&str> {
        self.automaton.is_none().then_some("there are too many keywords")
    }
}

impl Keywords {
    /// Every place in `text` where a keyword stands by itself, with its number: first by where it ends.
    pub(super) fn matches(&self, text: &str) -> Vec<(usize, Range<usize>)> {
        let Some(automaton) = self.automaton.as_ref().filter(|_| !self.patterns.is_empty()) else { return Vec::new() };
        let text = Folded::of(text);
        let found = automaton.find_overlapping_iter(&text.text);
        let alone = found.filter(|found| stands_alone(&text.text, found.range()));
        alone.map(|found| (found.pattern().as_usize(), text.span(found.range()))).collect()
    }
}

/// Whether what stands at `range` is not part of a longer word: next to it is no letter or digit, or one of them is of a
/// script without blanks.
fn stands_alone(text: &str, range: Range<usize>) -> bool {
    let (before, after) = (text[..range.start].chars().next_back(), text[range.end..].chars().next());
    let keyword = &text[range];
    let (Some(first), Some(last)) = (keyword.chars().next(), keyword.chars().next_back()) else { return false };
    let in_word = |c: char| c.is_alphanumeric() || is_combining_mark(c);
    let is_edge = |inner: char, outer: char| !in_word(outer) || is_unspaced(outer) || is_unspaced(inner);
    before.is_none_or(|before| is_edge(first, before))
        && after.is_none_or(|after| is_edge(last, after) && !is_combining_mark(after))
}
