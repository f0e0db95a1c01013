//! What a mention may say.

use super::folded::fold_next;

/// Names, as they are compared: sorted, each once.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Names(Vec<String>);

impl Names {
    pub(super) fn new(mut names: Vec<String>) -> Names {
        names.retain(|name| !name.is_empty());
        names.sort_unstable();
        names.dedup();
        Names(names)
    }

    /// Where names end that `text` begins with, in bytes, the longest first. No name has a slash.
    ///
    /// Looks no further than some name goes on.
    pub(super) fn ends(&self, text: &str) -> Vec<usize> {
        let (mut names, mut ends, mut folded, mut at) = (&self.0[..], Vec::new(), String::new(), 0);
        while at < text.len() && !text[at..].starts_with(['/', '\\']) {
            at += fold_next(&text[at..], &mut folded);
            names = &names[names.partition_point(|name| *name < folded)..];
            names = &names[..names.partition_point(|name| name.starts_with(&folded))];
            match names.first() {
                None => break,
                Some(first) if *first == folded => ends.push(at),
                Some(_) => {}
            }
        }
        ends.reverse();
        ends
    }
}
