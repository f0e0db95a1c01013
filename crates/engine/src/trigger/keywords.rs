//! The patterns of triggers, compiled.

use std::ops::Range;
use std::sync::Arc;

use aho_corasick::{AhoCorasick, MatchKind};
use regex::{Regex, RegexBuilder};
use unicode_normalization::char::is_combining_mark;

use super::folded::Folded;
use crate::globs::Globs;
use repertoire_search::is_unspaced;

pub(super) trait Matcher: Sized {
    fn new(patterns: Vec<String>) -> Self;

    fn patterns(&self) -> &[String];

    fn fault(&self, pattern: usize) -> Option<&str>;
}

impl<const OVER: char> Matcher for Globs<OVER> {
    fn new(patterns: Vec<String>) -> Globs<OVER> {
        Globs::new(patterns)
    }

    fn patterns(&self) -> &[String] {
        Globs::patterns(self)
    }

    fn fault(&self, pattern: usize) -> Option<&str> {
        Globs::fault(self, pattern)
    }
}

/// Patterns of one kind, compiled, and for each the numbers of the triggers that have it.
#[derive(Debug)]
pub(super) struct PatternGroup<M> {
    pub(super) matcher: Arc<M>,
    owners: Vec<Vec<usize>>,
}

impl<M: Matcher> PatternGroup<M> {
    /// Groups `owned`, each trigger's number with its pattern. Reuses what `before` compiled from the same patterns.
    pub(super) fn new(
        mut owned: Vec<(String, usize)>,
        before: Option<&PatternGroup<M>>,
    ) -> PatternGroup<M> {
        owned.sort_unstable();
        let (mut patterns, mut owners) = (Vec::<String>::new(), Vec::<Vec<usize>>::new());
        for (pattern, owner) in owned {
            match owners.last_mut() {
                Some(owners) if patterns.last() == Some(&pattern) => owners.push(owner),
                _ => {
                    patterns.push(pattern);
                    owners.push(vec![owner]);
                }
            }
        }
        let same = before.filter(|before| before.matcher.patterns() == patterns);
        let matcher = same.map_or_else(
            || Arc::new(M::new(patterns)),
            |before| before.matcher.clone(),
        );
        PatternGroup { matcher, owners }
    }

    pub(super) fn owners(&self, pattern: usize) -> &[usize] {
        &self.owners[pattern]
    }

    pub(super) fn faults(&self) -> impl Iterator<Item = (usize, &str)> {
        let faulty = self
            .owners
            .iter()
            .enumerate()
            .filter_map(|(n, owners)| Some((owners, self.matcher.fault(n)?)));
        faulty.flat_map(|(owners, fault)| owners.iter().map(move |owner| (*owner, fault)))
    }
}

#[derive(Debug)]
pub(super) struct Keywords {
    patterns: Vec<String>,
    /// `None` for more keywords than an automaton has room for.
    automaton: Option<AhoCorasick>,
}

impl Matcher for Keywords {
    fn new(patterns: Vec<String>) -> Keywords {
        let automaton = AhoCorasick::builder()
            .match_kind(MatchKind::Standard)
            .build(&patterns)
            .ok();
        Keywords {
            patterns,
            automaton,
        }
    }

    fn patterns(&self) -> &[String] {
        &self.patterns
    }

    fn fault(&self, _: usize) -> Option<&str> {
        self.automaton
            .is_none()
            .then_some("there are too many keywords")
    }
}

impl Keywords {
    pub(super) fn matches(&self, text: &str) -> Vec<(usize, Range<usize>)> {
        let Some(automaton) = self
            .automaton
            .as_ref()
            .filter(|_| !self.patterns.is_empty())
        else {
            return Vec::new();
        };
        let text = Folded::of(text);
        let found = automaton.find_overlapping_iter(&text.text);
        let alone = found.filter(|found| is_whole_word(&text.text, found.range()));
        alone
            .map(|found| (found.pattern().as_usize(), text.span(found.range())))
            .collect()
    }
}

/// Returns whether `range` is a word of its own: no letter or digit is next to it, or the script has no blanks.
fn is_whole_word(text: &str, range: Range<usize>) -> bool {
    let (before, after) = (
        text[..range.start].chars().next_back(),
        text[range.end..].chars().next(),
    );
    let keyword = &text[range];
    let (Some(first), Some(last)) = (keyword.chars().next(), keyword.chars().next_back()) else {
        return false;
    };
    before.is_none_or(|before| is_edge(first, before))
        && after.is_none_or(|after| is_edge(last, after) && !is_combining_mark(after))
}

fn is_edge(inner: char, outer: char) -> bool {
    !(outer.is_alphanumeric() || is_combining_mark(outer))
        || is_unspaced(outer)
        || is_unspaced(inner)
}

/// Regular expressions of bounded size: compiling and matching take time in proportion to it.
#[derive(Debug)]
pub(super) struct Regexes {
    patterns: Vec<String>,
    compiled: Vec<Result<Regex, String>>,
}

/// The most bytes of a compiled expression, and of its cache.
const LARGEST: usize = 1 << 18;

impl Matcher for Regexes {
    fn new(patterns: Vec<String>) -> Regexes {
        let compiled = patterns
            .iter()
            .map(|pattern: &String| {
                let regex = RegexBuilder::new(pattern)
                    .size_limit(LARGEST)
                    .dfa_size_limit(LARGEST)
                    .nest_limit(64)
                    .build();
                regex.map_err(|error| match error {
                    regex::Error::CompiledTooBig(limit) => {
                        format!("it takes more than {limit} bytes")
                    }
                    // The last line says what is wrong, those before it where.
                    error => error
                        .to_string()
                        .lines()
                        .next_back()
                        .unwrap_or_default()
                        .trim_start_matches("error: ")
                        .into(),
                })
            })
            .collect();
        Regexes { patterns, compiled }
    }

    fn patterns(&self) -> &[String] {
        &self.patterns
    }

    fn fault(&self, pattern: usize) -> Option<&str> {
        self.compiled[pattern].as_ref().err().map(String::as_str)
    }
}

impl Regexes {
    pub(super) fn matches(&self, text: &str) -> impl Iterator<Item = (usize, Range<usize>)> {
        let compiled = self
            .compiled
            .iter()
            .enumerate()
            .filter_map(|(number, regex)| Some((number, regex.as_ref().ok()?)));
        compiled.flat_map(move |(number, regex)| {
            regex
                .find_iter(text)
                .filter(|found| !found.is_empty())
                .map(move |found| (number, found.range()))
        })
    }
}
