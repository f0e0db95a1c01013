//! How the tools are made.

use std::sync::Arc;

use super::preset::ToolPreset;
use crate::{Audience, CatalogOptions, Modes, Ranker};

/// How the tools are made: the project's own names, no catalog in a description, unless told otherwise.
#[derive(Debug, Clone)]
pub struct ToolOptions {
    pub(crate) preset: ToolPreset,
    pub(crate) audience: Audience,
    pub(super) catalog: Option<CatalogOptions>,
    pub(crate) modes: Modes,
    pub(super) ranker: Option<Arc<dyn Ranker>>,
    pub(super) named: usize,
}

impl Default for ToolOptions {
    fn default() -> ToolOptions {
        ToolOptions {
            preset: ToolPreset::DEFAULT,
            audience: Audience::Model,
            catalog: None,
            modes: Modes::default(),
            ranker: None,
            named: 250,
        }
    }
}

impl ToolOptions {
    /// Names, parameters and shapes.
    #[must_use]
    pub fn preset(mut self, preset: ToolPreset) -> ToolOptions {
        self.preset = preset;
        self
    }

    /// Whose door they are: that of a model, unless a host serves its user's commands by them.
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

    /// What is hidden. It holds for the catalog in a description too.
    #[must_use]
    pub fn modes(mut self, modes: Modes) -> ToolOptions {
        self.modes = modes;
        self
    }

    /// Another ranking beside that by words. Where it fails, words alone decide.
    #[must_use]
    pub fn ranker(mut self, ranker: Arc<dyn Ranker>) -> ToolOptions {
        self.ranker = Some(ranker);
        self
    }

    /// Names every skill in the schemas as long as they are no more than so many. 250 by default, up to which
    /// every provider takes them.
    #[must_use]
    pub fn name_at_most(mut self, count: usize) -> ToolOptions {
        self.named = count;
        self
    }
}
