//! Catalogs of known clients.

use std::sync::Arc;

use super::{Budget, CatalogFormat, CatalogOptions, Overflow};

/// The known clients and their catalogs.
const CLIENTS: [(&str, CatalogFormat, ClientBudget, ClientOverflow, Paths); 7] = [
    (
        "agentskills",
        CatalogFormat::Reference,
        Unlimited,
        Shorten,
        Listed,
    ),
    (
        "claude",
        CatalogFormat::Bullets,
        PerMille(10),
        LeastUsed,
        Omitted,
    ),
    (
        "codex",
        CatalogFormat::Bullets,
        PerMille(20),
        RoundRobin,
        Listed,
    ),
    (
        "gemini",
        CatalogFormat::Indented,
        Unlimited,
        Shorten,
        Listed,
    ),
    ("goose", CatalogFormat::Bullets, Unlimited, Shorten, Omitted),
    (
        "openclaw",
        CatalogFormat::Indented,
        Characters(18_000),
        Shorten,
        Listed,
    ),
    (
        "opencode",
        CatalogFormat::Indented,
        Unlimited,
        Shorten,
        Omitted,
    ),
];

#[derive(Clone, Copy)]
enum ClientBudget {
    Unlimited,
    /// Thousandths of the context window.
    PerMille(u16),
    Characters(usize),
}

#[derive(Clone, Copy)]
enum ClientOverflow {
    Shorten,
    RoundRobin,
    LeastUsed,
}

#[derive(Clone, Copy, PartialEq)]
enum Paths {
    Listed,
    Omitted,
}

use ClientBudget::{Characters, PerMille, Unlimited};
use ClientOverflow::{LeastUsed, RoundRobin, Shorten};
use Paths::{Listed, Omitted};

impl CatalogOptions {
    /// Returns the names of the clients whose catalogs are known.
    pub fn clients() -> impl ExactSizeIterator<Item = &'static str> {
        CLIENTS.iter().map(|(name, ..)| *name)
    }

    /// Returns the options of a client's catalog, for a model with a context window of so many tokens, if it is known; `None` for
    /// an unknown client.
    pub fn of_client(name: &str, window: Option<usize>) -> Option<CatalogOptions> {
        let (_, format, budget, overflow, paths) =
            *CLIENTS.iter().find(|(client, ..)| *client == name)?;
        let budget = match (budget, window) {
            (Unlimited, _) => Budget::Unlimited,
            (Characters(limit), _) => Budget::Characters(limit),
            (PerMille(per_mille), Some(window)) => Budget::Share { window, per_mille },
            (PerMille(_), None) => Budget::for_window(None),
        };
        let overflow = match overflow {
            Shorten => Overflow::Shorten,
            RoundRobin => Overflow::RoundRobin,
            LeastUsed => Overflow::LeastUsed(Arc::default()),
        };
        let options = CatalogOptions::default()
            .format(format)
            .budget(budget)
            .overflow(overflow);
        Some(if paths == Listed {
            options.locations()
        } else {
            options
        })
    }
}
