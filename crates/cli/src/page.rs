//! A configuration text, and failures that point into it.

use std::ops::Range;

use crate::failure::Failure;
use crate::report::Excerpt;

/// A configuration text and what it is called: the path of a file, or an option of the command line.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) name: String,
    pub(crate) text: String,
}

impl Page {
    /// What is wrong with the bytes at `span`.
    pub(crate) fn failure(&self, span: Range<usize>, message: impl Into<String>) -> Failure {
        Failure::new(message).at(self.name.clone(), Excerpt::of(&self.text, span))
    }
}
