//! The options of tools.

use std::fmt;
use std::sync::Arc;

use repertoire_core::Skill;
use repertoire_registry::Candidate;

use super::preset::ToolPreset;
use crate::catalog::CatalogOptions;
use repertoire_permission::{Audience, VisibilityPolicy};
use repertoire_search::Ranker;

/// The options of tools. By default the preset is [`ToolPreset::DEFAULT`], and no description has a catalog.
#[derive(Debug, Clone)]
pub struct ToolOptions {
    pub(crate) preset: ToolPreset,
    pub(crate) audience: Audience,
    pub(super) catalog: Option<CatalogOptions>,
    pub(crate) modes: VisibilityPolicy,
    pub(super) ranker: Option<Arc<dyn Ranker>>,
    pub(super) notes: Option<ReadinessNotes>,
}

/// A host's reasons why a skill is not ready.
#[derive(Clone)]
pub(super) struct ReadinessNotes(Arc<ReadinessNote>);

type ReadinessNote = dyn Fn(&Candidate<Skill>) -> Option<Arc<str>> + Send + Sync;

impl ReadinessNotes {
    pub(super) fn note(&self, candidate: &Candidate<Skill>) -> Option<Arc<str>> {
        (self.0)(candidate)
    }
}

impl fmt::Debug for ReadinessNotes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ReadinessNotes")
    }
}

impl Default for ToolOptions {
    fn default() -> ToolOptions {
        ToolOptions {
            preset: ToolPreset::DEFAULT,
            audience: Audience::Model,
            catalog: None,
            modes: VisibilityPolicy::default(),
            ranker: None,
            notes: None,
        }
    }
}

impl ToolOptions {
    /// Sets the names of tools and parameters, and the format of results.
    #[must_use]
    pub fn preset(mut self, preset: ToolPreset) -> ToolOptions {
        self.preset = preset;
        self
    }

    /// Sets the audience: the model by default, the user for a host that serves its user's commands.
    #[must_use]
    pub fn seen_by(mut self, audience: Audience) -> ToolOptions {
        self.audience = audience;
        self
    }

    /// Puts a catalog into the description of the tool that reads skills, for hosts that have it nowhere else. It lists what this
    /// role may see, where permissions decide that.
    #[must_use]
    pub fn catalog(mut self, catalog: CatalogOptions) -> ToolOptions {
        self.catalog = Some(catalog);
        self
    }

    /// Sets the visibility policy, also for the catalog in a description.
    #[must_use]
    pub fn modes(mut self, modes: VisibilityPolicy) -> ToolOptions {
        self.modes = modes;
        self
    }

    /// Adds a ranking to the one by words. If it fails, words alone decide.
    #[must_use]
    pub fn ranker(mut self, ranker: Arc<dyn Ranker>) -> ToolOptions {
        self.ranker = Some(ranker);
        self
    }

    /// Adds the reason why a skill is not ready to its row in lists.
    #[doc(hidden)]
    #[must_use]
    pub fn noting(
        mut self,
        note: impl Fn(&Candidate<Skill>) -> Option<Arc<str>> + Send + Sync + 'static,
    ) -> ToolOptions {
        self.notes = Some(ReadinessNotes(Arc::new(note)));
        self
    }
}
