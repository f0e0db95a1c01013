//! The text that lists skills for a model: markup, budgets and tokenizers.

mod budget;
mod cache;
mod format;
mod options;
mod preset;
mod report;
mod writer;

use repertoire_core::Skill;
use repertoire_registry::Snapshot;

use writer::CatalogWriter;

pub use crate::tokens::Tokenizer;
pub use budget::{Budget, Overflow};
pub use cache::CatalogCache;
pub use format::CatalogFormat;
pub use options::CatalogOptions;
pub use report::{CatalogLine, CatalogReport, LineOutcome, OutcomeTotals};

/// The text that lists skills for a model, with a report on each skill.
///
/// Lists what the model may see, unless it is [for the user](CatalogOptions::seen_by), by tier, then name, bytewise; the same snapshot and
/// options give the same bytes. The text is never over the budget. It is empty when nothing is visible, and when
/// not even one name fits: then every line of the report is [`LineOutcome::Omitted`].
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
    /// Linear in the snapshot, times the logarithm of the longest description when a budget has to be met.
    pub fn new(snapshot: &Snapshot<Skill>, options: &CatalogOptions) -> Catalog {
        let writer = CatalogWriter::new(snapshot, options);
        let (text, lines) = match options.budget.limit() {
            None => writer.write(writer.whole()),
            Some(limit) => {
                let mut room = limit;
                loop {
                    let (text, lines) = writer.write(writer.fit(room));
                    // Estimates of parts add up; in a vocabulary, a token may reach over a seam.
                    match options.count(&text).saturating_sub(limit) {
                        0 => break (text, lines),
                        over => room = room.saturating_sub(over),
                    }
                }
            }
        };
        let report = CatalogReport { budget: options.budget, used: options.count(&text), lines };
        Catalog { text, report }
    }
}

#[cfg(test)]
mod tests;
