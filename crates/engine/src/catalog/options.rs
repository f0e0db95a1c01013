//! How a catalog is to look.

use std::borrow::Cow;
use std::collections::BTreeSet;

use repertoire_core::Id;

use crate::{Audience, Modes, Tokenizer};

use super::{Activation, Budget, Format, Overflow};

/// How a catalog is to look: format, budget and overflow are chosen independently.
///
/// By default XML without locations, unlimited.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CatalogOptions {
    pub(super) format: Format,
    pub(super) budget: Budget,
    pub(super) overflow: Overflow,
    pub(super) tokenizer: Tokenizer,
    pub(super) locations: Locations,
    pub(super) activation: Option<Activation>,
    pub(super) hint: Option<Cow<'static, str>>,
    pub(super) modes: Modes,
    pub(super) audience: Audience,
    pub(super) suggested: BTreeSet<Id>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Locations {
    Untold,
    Told,
}

impl Default for CatalogOptions {
    fn default() -> CatalogOptions {
        CatalogOptions {
            format: Format::default(),
            budget: Budget::default(),
            overflow: Overflow::default(),
            tokenizer: Tokenizer::default(),
            locations: Locations::Untold,
            activation: None,
            hint: None,
            modes: Modes::default(),
            audience: Audience::Model,
            suggested: BTreeSet::new(),
        }
    }
}

impl CatalogOptions {
    /// The markup.
    #[must_use]
    pub fn format(mut self, format: Format) -> CatalogOptions {
        self.format = format;
        self
    }

    /// How large the text may be.
    #[must_use]
    pub fn budget(mut self, budget: Budget) -> CatalogOptions {
        self.budget = budget;
        self
    }

    /// What gives way when not everything fits.
    #[must_use]
    pub fn overflow(mut self, overflow: Overflow) -> CatalogOptions {
        self.overflow = overflow;
        self
    }

    /// Whose tokens the budget counts.
    #[must_use]
    pub fn tokenizer(mut self, tokenizer: Tokenizer) -> CatalogOptions {
        self.tokenizer = tokenizer;
        self
    }

    /// Tells where each skill lies, for hosts whose model reads skills with its file tools. A host with a tool
    /// for loading skills has no need of it, and spares the model paths that it might read instead.
    #[must_use]
    pub fn with_locations(mut self) -> CatalogOptions {
        self.locations = Locations::Told;
        self
    }

    /// For whom it is: a model, unless a host shows it to its user.
    #[must_use]
    pub fn seen_by(mut self, audience: Audience) -> CatalogOptions {
        self.audience = audience;
        self
    }

    /// Tells first how a model gets the instructions of a skill: within the budget, and only where there is a skill to tell of.
    /// A model that reads files is told where each skill lies.
    #[must_use]
    pub fn activation(mut self, activation: Activation) -> CatalogOptions {
        if activation == Activation::Files {
            self.locations = Locations::Told;
        }
        self.activation = Some(activation);
        self
    }

    /// Marks the skills that a turn [suggests](crate::Evaluation::suggested), and lets them give way after the others that are not
    /// pinned. Nothing else changes: they keep their place, and their descriptions are cut like any other.
    #[must_use]
    pub fn suggesting<'a>(mut self, suggested: impl IntoIterator<Item = &'a Id>) -> CatalogOptions {
        self.suggested = suggested.into_iter().cloned().collect();
        self
    }

    /// How the operator wants each skill to be offered, and what else hides skills.
    #[must_use]
    pub fn modes(mut self, modes: Modes) -> CatalogOptions {
        self.modes = modes;
        self
    }

    /// Tells the model how to find skills that were left out; the text says before it how many they are. Unless it is given,
    /// the [activation](CatalogOptions::activation) says it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<Cow<'static, str>>) -> CatalogOptions {
        self.hint = Some(hint.into());
        self
    }

    /// What tells the model how to find the rest: the host's words, else those of the activation.
    fn how_to_find(&self) -> Cow<'_, str> {
        match (&self.hint, &self.activation) {
            (Some(hint), _) => hint.as_ref().into(),
            (None, Some(activation)) => activation.how_to_find(),
            (None, None) => "Each can still be loaded by its exact name.".into(),
        }
    }

    /// What stands before the skills.
    pub(super) fn opening(&self) -> String {
        let how_to = self.activation.as_ref().map(Activation::how_to);
        self.format.opening(how_to.as_deref())
    }

    /// Writes what stands behind the skills, where so many were left out.
    pub(super) fn note(&self, left_out: usize, out: &mut String) {
        self.format.note(left_out, &repertoire_core::text::clean_line(&self.how_to_find()), out);
    }

    /// The size of `text` as [`Report::used`](super::Report::used) counts it: in tokens for a budget of tokens,
    /// else in characters.
    pub fn count(&self, text: &str) -> usize {
        self.budget.meter(self.tokenizer).whole(text)
    }
}
