//! Catalogs as clients write them, as data.

use super::{Budget, CatalogFormat, CatalogOptions, Overflow};

/// The catalog format of a client. Budgets are for an unknown context window; see [`CatalogPreset::for_window`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct CatalogPreset {
    /// The client.
    pub name: &'static str,
    /// Sets the markup.
    pub format: CatalogFormat,
    /// The budget of the text.
    pub budget: PresetBudget,
    /// The overflow strategy.
    pub overflow: PresetOverflow,
    /// Whether each skill's file is listed.
    pub locations: bool,
}

/// The budget of a client's catalog.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PresetBudget {
    /// No limit.
    Unlimited,
    /// Thousandths of the context window; for an unknown one, 8,000 characters.
    PerMille(u16),
    /// Characters.
    Characters(usize),
}

/// The overflow strategy of a client's catalog.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PresetOverflow {
    /// [`Overflow::Shorten`].
    Shorten,
    /// [`Overflow::RoundRobin`].
    RoundRobin,
    /// [`Overflow::LeastUsed`]; without a record of use, [`Overflow::NameOnly`].
    LeastUsed,
}

use PresetBudget::{Characters, PerMille, Unlimited};
use PresetOverflow::{LeastUsed, RoundRobin, Shorten};

impl CatalogPreset {
    /// Every known client.
    pub const ALL: [CatalogPreset; 7] = [
        CatalogPreset::new("agentskills", CatalogFormat::Reference, Unlimited, Shorten, true),
        CatalogPreset::new("claude", CatalogFormat::Bullets, PerMille(10), LeastUsed, false),
        CatalogPreset::new("codex", CatalogFormat::Bullets, PerMille(20), RoundRobin, true),
        CatalogPreset::new("gemini", CatalogFormat::Indented, Unlimited, Shorten, true),
        CatalogPreset::new("goose", CatalogFormat::Bullets, Unlimited, Shorten, false),
        CatalogPreset::new("openclaw", CatalogFormat::Indented, Characters(18_000), Shorten, true),
        CatalogPreset::new("opencode", CatalogFormat::Indented, Unlimited, Shorten, false),
    ];

    const fn new(
        name: &'static str,
        format: CatalogFormat,
        budget: PresetBudget,
        overflow: PresetOverflow,
        locations: bool,
    ) -> CatalogPreset {
        CatalogPreset { name, format, budget, overflow, locations }
    }

    /// The preset of this name.
    pub fn named(name: &str) -> Option<&'static CatalogPreset> {
        CatalogPreset::ALL.iter().find(|preset| preset.name == name)
    }

    /// The options for a model with a context window of so many tokens, if that is known.
    pub fn for_window(&self, window: Option<usize>) -> CatalogOptions {
        let budget = match (self.budget, window) {
            (Unlimited, _) => Budget::Unlimited,
            (Characters(limit), _) => Budget::Characters(limit),
            (PerMille(per_mille), Some(window)) => Budget::Share { window, per_mille },
            (PerMille(_), None) => Budget::for_window(None),
        };
        let overflow = match self.overflow {
            Shorten => Overflow::Shorten,
            RoundRobin => Overflow::RoundRobin,
            LeastUsed => Overflow::LeastUsed(std::sync::Arc::default()),
        };
        let options = CatalogOptions::default().format(self.format).budget(budget).overflow(overflow);
        if self.locations { options.with_locations() } else { options }
    }
}
