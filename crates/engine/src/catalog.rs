//! The text that tells a model which skills exist.

mod activation;
mod budget;
mod cache;
mod clause;
mod draft;
mod format;
mod options;
mod overflow;
mod preset;
mod report;

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
use overflow::Plan;

/// The text that tells a model which skills exist, and a report of what became of each.
///
/// Lists what the [model](crate::Audience::Model) may see, by tier, then name, bytewise; the same snapshot and
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
    /// The catalog of what a model may see in `snapshot`.
    ///
    /// Linear in the snapshot, times the logarithm of the longest description when a budget has to be met.
    pub fn of(snapshot: &Snapshot<Skill>, options: &CatalogOptions) -> Catalog {
        let draft = Draft::of(snapshot, options);
        let mut room = options.budget.limit();
        let (plan, text) = loop {
            let plan = match room {
                None => Some(Plan::whole(draft.len())),
                Some(limit) => draft.fit(limit),
            };
            let text = plan.map(|plan| draft.write(plan)).unwrap_or_default();
            // Estimates of parts add up; in a vocabulary, a token may reach over a seam.
            match options.budget.limit().map(|limit| options.count(&text).saturating_sub(limit)) {
                None | Some(0) => break (plan, text),
                Some(over) => room = room.map(|room| room.saturating_sub(over)),
            }
        };
        let report = Report { budget: options.budget, used: options.count(&text), lines: draft.lines(plan) };
        Catalog { text, report }
    }
}

#[cfg(test)]
mod tests;
