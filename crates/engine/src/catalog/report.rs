//! What became of each skill in a catalog.

use std::fmt;

use repertoire_core::Id;
use serde::Serialize;

use super::Budget;

/// A report on each visible skill in a catalog.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Report {
    /// The budget that was set.
    pub budget: Budget,
    /// The size of the text: in tokens for a budget of tokens, else in characters. Never over the budget.
    pub used: usize,
    /// Every skill that a model may see, in the catalog's order, exactly once.
    pub lines: Vec<Line>,
}

/// The report on one skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Line {
    /// The effective id.
    pub id: Id,
    /// Characters of its description on one line.
    pub length: usize,
    /// The hidden characters that were taken out of it.
    pub hidden: usize,
    /// The part of it that is listed.
    #[serde(flatten)]
    pub fate: Fate,
}

/// The part of a skill that is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "fate", rename_all = "kebab-case")]
pub enum Fate {
    /// Everything.
    Full,
    /// The description was cut.
    Shortened {
        /// To this many characters, the ellipsis among them.
        to: usize,
    },
    /// The description was left out.
    NameOnly,
    /// The skill was left out.
    LeftOut,
}

/// The number of skills for each outcome. They add up to the visible ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Totals {
    /// Listed whole.
    pub full: usize,
    /// Listed with a description that was cut.
    pub shortened: usize,
    /// Listed without their description.
    pub name_only: usize,
    /// Not listed.
    pub left_out: usize,
}

impl Report {
    /// Returns the sums over all lines.
    pub fn totals(&self) -> Totals {
        let mut totals = Totals::default();
        for line in &self.lines {
            *match line.fate {
                Fate::Full => &mut totals.full,
                Fate::Shortened { .. } => &mut totals.shortened,
                Fate::NameOnly => &mut totals.name_only,
                Fate::LeftOut => &mut totals.left_out,
            } += 1;
        }
        totals
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Line { id, length, hidden, fate } = self;
        match fate {
            Fate::Full => write!(f, "`{id}`: listed in full, {length} characters"),
            Fate::Shortened { to } => write!(f, "`{id}`: shortened from {length} to {to} characters"),
            Fate::NameOnly => write!(f, "`{id}`: listed by name, its {length} characters left out"),
            Fate::LeftOut => write!(f, "`{id}`: left out"),
        }?;
        match hidden {
            0 => Ok(()),
            1 => f.write_str("; 1 invisible character taken out"),
            count => write!(f, "; {count} invisible characters taken out"),
        }
    }
}
