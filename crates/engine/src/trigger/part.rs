//! Patterns of one kind, compiled, and whose they are.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::globs::Globs;

/// Patterns that are compiled together.
pub(super) trait Matcher: Sized {
    /// Compiles `patterns`: sorted, each once.
    fn new(patterns: Vec<String>) -> Self;

    /// The patterns, as they were handed over.
    fn patterns(&self) -> &[String];

    /// Why the pattern with this number could not be compiled.
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

/// Patterns of one kind, compiled, and for each the triggers that have it, by their numbers.
#[derive(Debug)]
pub(super) struct Part<M> {
    pub(super) matcher: Arc<M>,
    owners: Vec<Vec<usize>>,
}

impl<M: Matcher> Part<M> {
    /// What is compiled is that of `before` if its patterns are the same.
    pub(super) fn new(owners: BTreeMap<String, Vec<usize>>, before: Option<&Part<M>>) -> Part<M> {
        let same = before.filter(|before| before.matcher.patterns().iter().eq(owners.keys()));
        let (patterns, owners): (Vec<String>, _) = owners.into_iter().unzip();
        let matcher = same.map_or_else(|| Arc::new(M::new(patterns)), |before| before.matcher.clone());
        Part { matcher, owners }
    }

    /// The triggers that have the pattern with this number.
    pub(super) fn owners(&self, pattern: usize) -> &[usize] {
        &self.owners[pattern]
    }

    /// The triggers whose patterns could not be compiled, and why.
    pub(super) fn faults(&self) -> impl Iterator<Item = (usize, &str)> {
        let faulty = self.owners.iter().enumerate().filter_map(|(n, owners)| Some((owners, self.matcher.fault(n)?)));
        faulty.flat_map(|(owners, fault)| owners.iter().map(move |owner| (*owner, fault)))
    }
}
