//! The text that tells a model which skills exist.

mod activation;
mod budget;
mod cache;
mod clause;
mod draft;
mod format;
mod listable;
mod options;
mod overflow;
mod page;
mod preset;
mod report;
mod visible;

use repertoire_core::Skill;
use repertoire_registry::Snapshot;

pub use activation::Activation;
pub use budget::Budget;
pub use cache::CatalogCache;
pub use format::Format;
pub use options::CatalogOptions;
pub use overflow::Overflow;
pub use preset::{CatalogPreset, PresetBudget, PresetOverflow};
pub use report::{Fate, Line, Report, Totals};

use draft::Draft;
use page::Page;
use visible::Visible;

/// The text that tells a model which skills exist, and a report of what became of each.
///
/// Lists what the model may see, unless it is [for the user](CatalogOptions::seen_by), by tier, then name, bytewise; the same snapshot and
/// options give the same bytes. The text is never over the budget. It is empty when nothing is visible, and when
/// not even one name fits, which the report tells apart: then every line of it is [`Fate::LeftOut`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Catalog {
    /// For the prompt or a tool's description. Every line ends with a line feed.
    pub text: String,
    /// What was shortened and what was left out.
    pub report: Report,
}

impl Catalog {
    /// The catalog of `snapshot`.
    ///
    /// Linear in the snapshot, times the logarithm of the longest description when a budget has to be met.
    pub fn of(snapshot: &Snapshot<Skill>, options: &CatalogOptions) -> Catalog {
        let visible = Visible::of(snapshot, options);
        let Page { text, lines, .. } = match options.budget.limit() {
            None => visible.whole(options),
            Some(limit) => {
                let draft = Draft::of(visible, options);
                let mut room = limit;
                loop {
                    let page = draft.written(draft.fit(room));
                    // Estimates of parts add up; in a vocabulary, a token may reach over a seam.
                    match options.count(&page.text).saturating_sub(limit) {
                        0 => break page,
                        over => room = room.saturating_sub(over),
                    }
                }
            }
        };
        let report = Report { budget: options.budget, used: options.count(&text), lines };
        Catalog { text, report }
    }
}

#[cfg(test)]
mod tests;
