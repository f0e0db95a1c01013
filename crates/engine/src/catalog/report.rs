//! The report on each skill in a catalog.

use std::fmt;

use repertoire_core::Id;
use serde::Serialize;

use super::Budget;

/// A report on each visible skill in a catalog.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct CatalogReport {
    /// The budget that was set.
    pub budget: Budget,
    /// The size of the text: in tokens for a budget of tokens, else in characters. Never over the budget.
    pub used: usize,
    /// Every skill that a model may see, in the catalog's order, exactly once.
    pub lines: Vec<CatalogLine>,
}

/// The report on one skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct CatalogLine {
    /// The effective id.
    pub id: Id,
    /// Characters of its description on one line.
    pub length: usize,
    /// The hidden characters that were taken out of it.
    pub hidden: usize,
    /// The part of it that is listed.
    #[serde(flatten)]
    pub fate: LineOutcome,
}

/// The part of a skill that is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "fate", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum LineOutcome {
    /// Everything.
    Full,
    /// The description was cut.
    #[serde(rename = "shortened")]
    Truncated {
        /// To this many characters, the ellipsis among them.
        to: usize,
    },
    /// The description was left out.
    NameOnly,
    /// The skill was left out.
    #[serde(rename = "left-out")]
    Omitted,
}

/// The number of skills for each outcome. They add up to the visible ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct OutcomeTotals {
    /// Listed in full.
    pub full: usize,
    /// Listed with a truncated description.
    pub shortened: usize,
    /// Listed without a description.
    pub name_only: usize,
    /// Not listed.
    pub left_out: usize,
}

impl CatalogReport {
    /// Returns the sums over all lines.
    pub fn totals(&self) -> OutcomeTotals {
        let mut totals = OutcomeTotals::default();
        for line in &self.lines {
            *match line.fate {
                LineOutcome::Full => &mut totals.full,
                LineOutcome::Truncated { .. } => &mut totals.shortened,
                LineOutcome::NameOnly => &mut totals.name_only,
                LineOutcome::Omitted => &mut totals.left_out,
            } += 1;
        }
        totals
    }
}

impl fmt::Display for CatalogLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let CatalogLine {
            id,
            length,
            hidden,
            fate,
        } = self;
        match fate {
            LineOutcome::Full => write!(f, "`{id}`: listed in full, {length} characters"),
            LineOutcome::Truncated { to } => {
                write!(f, "`{id}`: shortened from {length} to {to} characters")
            }
            LineOutcome::NameOnly => write!(
                f,
                "`{id}`: listed by name, its {length} characters left out"
            ),
            LineOutcome::Omitted => write!(f, "`{id}`: left out"),
        }?;
        match hidden {
            0 => Ok(()),
            1 => f.write_str("; 1 invisible character taken out"),
            count => write!(f, "; {count} invisible characters taken out"),
        }
    }
}
