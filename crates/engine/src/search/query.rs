//! What is searched for, and among what.

use repertoire_core::{FunctionalTier, InvokeLevel};
use repertoire_registry::Tier;

use super::document::Facet;
use crate::{Audience, Modes};

/// What is searched for, and among what: ten hits among what a model may see, unless told otherwise.
///
/// Without words, a query gives everything that it allows, in the order of the catalog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    pub(super) text: String,
    pub(super) limit: usize,
    pub(super) audience: Option<Audience>,
    pub(super) modes: Modes,
    pub(super) tier: Option<Tier>,
    pub(super) source: Option<String>,
    pub(super) level: Option<InvokeLevel>,
    /// Terms that a skill must all have.
    pub(super) facets: Vec<String>,
}

impl Query {
    /// A query of these words; what somebody typed, in any language.
    pub fn new(text: impl Into<String>) -> Query {
        Query {
            text: text.into(),
            limit: 10,
            audience: Some(Audience::Model),
            modes: Modes::default(),
            tier: None,
            source: None,
            level: None,
            facets: Vec::new(),
        }
    }

    /// At most so many hits.
    #[must_use]
    pub fn limit(mut self, limit: usize) -> Query {
        self.limit = limit;
        self
    }

    /// Among what this audience may see.
    #[must_use]
    pub fn seen_by(mut self, audience: Audience) -> Query {
        self.audience = Some(audience);
        self
    }

    /// Leaves out what the operator hides.
    #[must_use]
    pub fn modes(mut self, modes: Modes) -> Query {
        self.modes = modes;
        self
    }

    /// Among everything, hidden skills too: for the operator alone.
    #[must_use]
    pub fn for_operator(mut self) -> Query {
        self.audience = None;
        self
    }

    /// Only skills of this tier.
    #[must_use]
    pub fn tier(mut self, tier: Tier) -> Query {
        self.tier = Some(tier);
        self
    }

    /// Only skills that this source won.
    #[must_use]
    pub fn source(mut self, source: impl Into<String>) -> Query {
        self.source = Some(source.into());
        self
    }

    /// Only skills with this tag; several tags must all be there. Letter case does not matter, here and below.
    #[must_use]
    pub fn tag(self, tag: &str) -> Query {
        self.facet(Facet::Tag, tag)
    }

    /// Only skills of this category.
    #[must_use]
    pub fn category(self, category: &str) -> Query {
        self.facet(Facet::Category, category)
    }

    /// Only skills that need, bring or pre-approve this tool.
    #[must_use]
    pub fn tool(self, tool: &str) -> Query {
        self.facet(Facet::Tool, tool)
    }

    /// Only skills with this label.
    #[must_use]
    pub fn functional_tier(self, tier: &FunctionalTier) -> Query {
        self.facet(Facet::FunctionalTier, tier.as_str())
    }

    /// Only skills that an agent of this level may call: what needs a higher one is left out.
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
