//! Patterns of one kind, compiled, and whose they are.

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
    /// What is compiled is that of `before` if its patterns are the same. `owned` has each trigger with its pattern.
    pub(super) fn new(mut owned: Vec<(String, usize)>, before: Option<&Part<M>>) -> Part<M> {
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
