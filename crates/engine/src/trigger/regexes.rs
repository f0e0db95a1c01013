//! Regular expressions of trusted sources.

use std::ops::Range;

use regex::{Regex, RegexBuilder};

use super::part::Matcher;

/// Regular expressions, each bounded in size: compiling and matching take time in proportion to it.
#[derive(Debug)]
pub(super) struct Regexes {
    patterns: Vec<String>,
    compiled: Vec<Result<Regex, String>>,
}

/// Bytes of one compiled expression, and of what it keeps while it matches.
const LARGEST: usize = 1 << 18;

impl Matcher for Regexes {
    fn new(patterns: Vec<String>) -> Regexes {
        let compile = |pattern: &String| {
            let regex = RegexBuilder::new(pattern).size_limit(LARGEST).dfa_size_limit(LARGEST).nest_limit(64).build();
            regex.map_err(|error| match error {
                regex::Error::CompiledTooBig(limit) => format!("it takes more than {limit} bytes"),
                // The last line says what is wrong, those before it where.
                error => error.to_string().lines().next_back().unwrap_or_default().trim_start_matches("error: ").into(),
            })
        };
        let compiled = patterns.iter().map(compile).collect();
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
    /// What each expression matches in `text`, with its number; a match of nothing is none.
    pub(super) fn matches(&self, text: &str) -> impl Iterator<Item = (usize, Range<usize>)> {
        let compiled =
            self.compiled.iter().enumerate().filter_map(|(number, regex)| Some((number, regex.as_ref().ok()?)));
        compiled.flat_map(move |(number, regex)| {
            regex.find_iter(text).filter(|found| !found.is_empty()).map(move |found| (number, found.range()))
        })
    }
}
