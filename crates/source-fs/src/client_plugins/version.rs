//! Versions, ordered as people mean them.

use std::cmp::Ordering;

/// A version: numbers compare as numbers, and what is before a release is before it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Version<'a> {
    numbers: Vec<Part<'a>>,
    /// Behind the first hyphen.
    before: Option<Vec<Part<'a>>>,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part<'a> {
    Text(&'a str),
    Number(u64),
}

impl<'a> Version<'a> {
    pub(super) fn of(text: &'a str) -> Version<'a> {
        // What follows a plus tells builds of one version apart.
        let text = text.strip_prefix('v').unwrap_or(text).split('+').next().unwrap_or_default();
        let parts = |text: &'a str| text.split('.').map(|part| part.parse().map_or(Part::Text(part), Part::Number));
        match text.split_once('-') {
            Some((numbers, before)) => {
                Version { numbers: parts(numbers).collect(), before: Some(parts(before).collect()) }
            }
            None => Version { numbers: parts(text).collect(), before: None },
        }
    }
}

impl Ord for Version<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.numbers.cmp(&other.numbers).then_with(|| match (&self.before, &other.before) {
            (None, None) => Ordering::Equal,
            (None, Some(_)) => Ordering::Greater,
            (Some(_), None) => Ordering::Less,
            (Some(a), Some(b)) => a.cmp(b),
        })
    }
}

impl PartialOrd for Version<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
