//! How large a catalog may be.

use serde::Serialize;

use crate::Tokenizer;

/// How large a catalog may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Budget {
    /// As large as it gets.
    #[default]
    Unlimited,
    /// This many tokens, as the [`Tokenizer`] of the options estimates them.
    Tokens(usize),
    /// This many characters (Unicode scalar values).
    Characters(usize),
    /// A share of a model's context window, in tokens, and never less than [`Budget::LEAST_SHARE`]. Clients give their catalogs
    /// 10 to 20 ‰.
    Share {
        /// Tokens of the window.
        window: usize,
        /// Thousandths of it.
        per_mille: u16,
    },
}

impl Budget {
    /// The least that a share gives, in tokens: a few names, however small the window is.
    pub const LEAST_SHARE: usize = 128;

    /// What clients take for a model with a context window of so many tokens: 20 ‰ of it; 8,000 characters if nobody knows.
    pub fn for_window(window: Option<usize>) -> Budget {
        match window {
            Some(window) => Budget::Share { window, per_mille: 20 },
            None => Budget::Characters(8_000),
        }
    }

    /// The limit in the budget's unit; `None` for none.
    pub fn limit(self) -> Option<usize> {
        match self {
            Budget::Unlimited => None,
            Budget::Tokens(limit) | Budget::Characters(limit) => Some(limit),
            Budget::Share { window, per_mille } => {
                let share = window as u128 * u128::from(per_mille) / 1000;
                Some(usize::try_from(share).unwrap_or(usize::MAX).max(Budget::LEAST_SHARE))
            }
        }
    }

    /// How texts are measured against it.
    pub(super) fn meter(self, tokenizer: Tokenizer) -> Meter {
        match self {
            Budget::Unlimited | Budget::Characters(_) => Meter::Characters,
            Budget::Tokens(_) | Budget::Share { .. } => Meter::Tokens(tokenizer),
        }
    }
}

/// Measures texts in thousandths of a budget's unit, so that the parts of a text add up to the whole.
#[derive(Debug, Clone, Copy)]
pub(super) enum Meter {
    Characters,
    Tokens(Tokenizer),
}

impl Meter {
    /// What any text costs beyond its parts.
    pub(super) fn base(self) -> u64 {
        match self {
            Meter::Characters => 0,
            Meter::Tokens(tokenizer) => tokenizer.base(),
        }
    }

    /// What a whole line, or another part that no word crosses the edge of, adds.
    pub(super) fn part(self, text: &str) -> u64 {
        match self {
            Meter::Characters => text.chars().count() as u64 * 1000,
            Meter::Tokens(tokenizer) => tokenizer.thousandths(text),
        }
    }

    /// The size of a whole text in the budget's unit.
    pub(super) fn whole(self, text: &str) -> usize {
        match self {
            Meter::Characters => text.chars().count(),
            Meter::Tokens(tokenizer) => tokenizer.estimate(text),
        }
    }
}
