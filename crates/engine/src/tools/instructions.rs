//! The instructions of a skill, as a reader gives them.

use repertoire_core::Digest;
use repertoire_render::{Outcome, Rendered, Warning};

/// The instructions of a skill as a [`Reader`](super::Reader) gives them: the text, and what it took to make it.
///
/// A reader that only fetches makes them of a text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Instructions {
    /// What a model reads, without a wrapper.
    pub text: String,
    /// What became of the commands and scripts in them, in their order.
    pub outcomes: Vec<Outcome>,
    /// What their author should know.
    pub warnings: Vec<Warning>,
}

impl Instructions {
    /// SHA-256 over the text: what a session remembers of it.
    pub fn digest(&self) -> Digest {
        Digest::of(self.text.as_bytes())
    }

    /// Whether anything ran for this text: it is then another one the next time.
    pub fn ran_any(&self) -> bool {
        self.outcomes.iter().any(|outcome| matches!(outcome, Outcome::Ran(_)))
    }
}

impl<T: Into<String>> From<T> for Instructions {
    fn from(text: T) -> Instructions {
        Instructions { text: text.into(), ..Instructions::default() }
    }
}

impl Instructions {
    pub(super) fn rendered(rendered: Rendered<'_>) -> Instructions {
        let Rendered { text, outcomes, warnings, .. } = rendered;
        Instructions { text: text.into_owned(), outcomes, warnings }
    }
}
