//! A configuration text, and failures that point into it.

use std::ops::Range;

use crate::failure::Failure;
use crate::report::Excerpt;

/// A configuration text and what it is called: the path of a file, or an option of the command line.
#[derive(Debug)]
pub(crate) struct Page {
    name: String,
    text: String,
    quotes: Quotes,
}

/// Whether failures show lines of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Quotes {
    Lines,
    /// The text is that of a file elsewhere, to which a link leads.
    Nothing,
}

impl Page {
    /// A text whose lines may be shown.
    pub(crate) fn new(name: impl Into<String>, text: impl Into<String>) -> Page {
        Page { name: name.into(), text: text.into(), quotes: Quotes::Lines }
    }

    /// The same text, no line of which is shown.
    pub(crate) fn unquoted(self) -> Page {
        Page { quotes: Quotes::Nothing, ..self }
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// What is wrong with the bytes at `span`.
    pub(crate) fn failure(&self, span: Range<usize>, message: impl Into<String>) -> Failure {
        let failure = Failure::new(message);
        match self.quotes {
            Quotes::Lines => failure.at(self.name.clone(), Excerpt::of(&self.text, span)),
            Quotes::Nothing => {
                let before = self.text.as_bytes().iter().take(span.start);
                let line = before.filter(|byte| **byte == b'\n').count() + 1;
                failure.help(format!("look at line {line} of the file that `{}` leads to", self.name))
            }
        }
    }
}
