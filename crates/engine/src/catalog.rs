//! The text that lists skills for a model: markup, budgets and tokenizers.

mod ages;
mod budget;
mod cache;
mod format;
mod options;
mod preset;
mod recall;
mod report;
mod writer;

use repertoire_registry::Snapshot;

use report::LazyLines;
use writer::CatalogWriter;

use repertoire_permission::VisibleItem;

pub use crate::tokens::Tokenizer;
pub use ages::SkillAges;
pub use budget::{Budget, Overflow};
pub use cache::CatalogCache;
pub use format::CatalogFormat;
pub use options::CatalogOptions;
pub use report::{CatalogLine, CatalogReport, LineOutcome, OutcomeTotals};

/// The text that lists skills, or other [items](VisibleItem), for a model, and a report on each of them.
///
/// It lists the items that the model may see, or [the user](CatalogOptions::seen_by), by tier and then by the bytes of the name, or
/// [the oldest first](CatalogOptions::oldest_first). The same snapshot and options give the same bytes. The text never exceeds the
/// budget. It is empty if no item is visible, and if the budget has no room for one name: then every line of the report is
/// [`LineOutcome::Omitted`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Catalog {
    /// For the prompt or a tool's description. Every line ends with a line feed.
    pub text: String,
    /// The skills that were truncated or omitted.
    pub report: CatalogReport,
}

impl Catalog {
    /// Creates the catalog of `snapshot`.
    ///
    /// Takes linear time in the snapshot, times the logarithm of the longest description if there is a budget.
    pub fn new<T: VisibleItem>(snapshot: &Snapshot<T>, options: &CatalogOptions) -> Catalog {
        let writer = CatalogWriter::new(snapshot, options);
        let limit = options.budget.limit();
        let first = limit.map_or_else(|| writer.whole(), |limit| writer.fit(limit));
        let (mut text, mut lines) = writer.write(first);
        let mut used = options.count(&text);
        if let Some(limit) = limit {
            let mut room = limit;
            // Estimates of parts add up; in a vocabulary, a token may reach over a seam.
            while used > limit {
                room = room.saturating_sub(used - limit);
                (text, lines) = writer.write(writer.fit(room));
                used = options.count(&text);
            }
        }
        Catalog {
            text,
            report: CatalogReport {
                budget: options.budget,
                used,
                lines: LazyLines::new(lines),
                is_by_name: writer.is_by_name(first),
            },
        }
    }
}

#[cfg(test)]
mod tests;
