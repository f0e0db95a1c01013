//! The report on each skill in a catalog.

use std::fmt;
use std::sync::OnceLock;

use repertoire_core::{Id, Skill};
use repertoire_registry::Snapshot;
use serde::{Serialize, Serializer};

use super::{Budget, Catalog, CatalogOptions};

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
    #[cfg_attr(feature = "schema", schemars(with = "Vec<CatalogLine>"))]
    pub(super) lines: LazyLines,
    /// `true` if the text has names alone, and not all of them: whatever the descriptions are, it stays the same.
    #[serde(skip)]
    pub(super) is_by_name: bool,
}

/// The lines of a report. Those of a catalog that has the text of an earlier one are created when they are read.
#[derive(Clone, Default)]
pub(super) struct LazyLines {
    created: OnceLock<Vec<CatalogLine>>,
    of: Option<(Snapshot<Skill>, CatalogOptions)>,
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
    pub outcome: LineOutcome,
}

/// The part of a skill that is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "outcome", rename_all = "kebab-case")]
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
    /// Returns the report on every skill that the audience may see, in the catalog's order, exactly once.
    pub fn lines(&self) -> &[CatalogLine] {
        self.lines.get()
    }

    /// Returns the sums over all lines.
    pub fn totals(&self) -> OutcomeTotals {
        let mut totals = OutcomeTotals::default();
        for line in self.lines() {
            *match line.outcome {
                LineOutcome::Full => &mut totals.full,
                LineOutcome::Truncated { .. } => &mut totals.shortened,
                LineOutcome::NameOnly => &mut totals.name_only,
                LineOutcome::Omitted => &mut totals.left_out,
            } += 1;
        }
        totals
    }
}

impl LazyLines {
    pub(super) fn new(lines: Vec<CatalogLine>) -> LazyLines {
        LazyLines {
            created: lines.into(),
            of: None,
        }
    }

    pub(super) fn of(snapshot: Snapshot<Skill>, options: CatalogOptions) -> LazyLines {
        LazyLines {
            created: OnceLock::new(),
            of: Some((snapshot, options)),
        }
    }

    fn get(&self) -> &[CatalogLine] {
        self.created.get_or_init(|| match &self.of {
            Some((snapshot, options)) => Catalog::new(snapshot, options).report.lines().to_vec(),
            None => Vec::new(),
        })
    }
}

impl fmt::Debug for LazyLines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(f)
    }
}

impl PartialEq for LazyLines {
    fn eq(&self, other: &LazyLines) -> bool {
        self.get() == other.get()
    }
}

impl Eq for LazyLines {}

impl Serialize for LazyLines {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.get().serialize(serializer)
    }
}

impl fmt::Display for CatalogLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let CatalogLine {
            id,
            length,
            hidden,
            outcome,
        } = self;
        match outcome {
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
