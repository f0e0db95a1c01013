//! Queries and their filters.

use repertoire_core::{FunctionalTier, InvokeLevel};
use repertoire_registry::Tier;

use super::facet::Facet;
use repertoire_permission::{Audience, VisibilityPolicy};

/// A search: by default the ten best of the skills that a model may see.
///
/// Without words, a query gives everything that it allows, in the order of the catalog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    pub(super) text: String,
    pub(super) limit: usize,
    pub(super) audience: Option<Audience>,
    pub(super) modes: VisibilityPolicy,
    pub(super) tier: Option<Tier>,
    pub(super) source: Option<String>,
    pub(super) level: Option<InvokeLevel>,
    pub(super) facets: Vec<String>,
}

impl Query {
    /// Creates a query of these words, in any language.
    pub fn new(text: impl Into<String>) -> Query {
        Query {
            text: text.into(),
            limit: 10,
            audience: Some(Audience::Model),
            modes: VisibilityPolicy::default(),
            tier: None,
            source: None,
            level: None,
            facets: Vec::new(),
        }
    }

    /// Sets the most results.
    #[must_use]
    pub fn limit(mut self, limit: usize) -> Query {
        self.limit = limit;
        self
    }

    /// Searches what this audience may see.
    #[must_use]
    pub fn seen_by(mut self, audience: Audience) -> Query {
        self.audience = Some(audience);
        self
    }

    /// Omits what the operator hides.
    #[must_use]
    pub fn modes(mut self, modes: VisibilityPolicy) -> Query {
        self.modes = modes;
        self
    }

    /// Searches everything, including hidden skills: for the operator alone.
    #[must_use]
    pub fn for_operator(mut self) -> Query {
        self.audience = None;
        self
    }

    /// Keeps only skills of this tier.
    #[must_use]
    pub fn tier(mut self, tier: Tier) -> Query {
        self.tier = Some(tier);
        self
    }

    /// Keeps only skills that this source won.
    #[must_use]
    pub fn source(mut self, source: impl Into<String>) -> Query {
        self.source = Some(source.into());
        self
    }

    /// Keeps only skills with this tag; several tags must all be there. Letter case does not matter, here and below.
    #[must_use]
    pub fn tag(self, tag: &str) -> Query {
        self.facet(Facet::Tag, tag)
    }

    /// Keeps only skills of this category.
    #[must_use]
    pub fn category(self, category: &str) -> Query {
        self.facet(Facet::Category, category)
    }

    /// Keeps only skills that need, bring or pre-approve this tool.
    #[must_use]
    pub fn tool(self, tool: &str) -> Query {
        self.facet(Facet::Tool, tool)
    }

    /// Keeps only skills with this label.
    #[must_use]
    pub fn functional_tier(self, tier: &FunctionalTier) -> Query {
        self.facet(Facet::FunctionalTier, tier.as_str())
    }

    /// Keeps only skills that an agent of this level may call.
    #[must_use]
    pub fn invoke_level(mut self, level: InvokeLevel) -> Query {
        self.level = Some(level);
        self
    }

    fn facet(mut self, facet: Facet, text: &str) -> Query {
        self.facets.push(facet.term(text));
        self
    }
}
