//! How a server serves.

use std::sync::Arc;

use repertoire::permission::VisibilityPolicy;
use repertoire::tools::{SkillReader, ToolPreset};
use repertoire::{Budget, CatalogOptions};

use crate::{ClientPreset, McpFeatures};

/// How a [`Server`](crate::Server) serves. By default with every feature that a client is known to use, hiding nothing that the skills
/// themselves do not hide, and running nothing.
#[derive(Clone)]
pub struct ServerOptions {
    pub(crate) name: Arc<str>,
    pub(crate) features: McpFeatures,
    pub(crate) presets: Vec<ClientPreset>,
    pub(crate) modes: VisibilityPolicy,
    pub(crate) catalog: CatalogOptions,
    pub(crate) tools: ToolPreset,
    pub(crate) reader: Option<Arc<dyn SkillReader>>,
    pub(crate) page: usize,
}

const CATALOG_TOKENS: usize = 500;

impl Default for ServerOptions {
    fn default() -> ServerOptions {
        ServerOptions {
            name: "repertoire".into(),
            features: McpFeatures::ALL,
            presets: ClientPreset::ALL.to_vec(),
            modes: VisibilityPolicy::default(),
            catalog: CatalogOptions::default().budget(Budget::Tokens(CATALOG_TOKENS)),
            tools: ToolPreset::DEFAULT,
            reader: None,
            page: 100,
        }
    }
}

impl ServerOptions {
    /// What the server calls itself. `repertoire` by default.
    #[must_use]
    pub fn name(mut self, name: impl Into<Arc<str>>) -> ServerOptions {
        self.name = name.into();
        self
    }

    /// The features to serve with. A client's [preset](ServerOptions::presets) takes some of them away and never adds one.
    #[must_use]
    pub fn features(mut self, features: McpFeatures) -> ServerOptions {
        self.features = features;
        self
    }

    /// What is known of clients, in place of what is [shipped](ClientPreset::ALL). Without any, every client gets every feature.
    #[must_use]
    pub fn presets(mut self, presets: impl IntoIterator<Item = ClientPreset>) -> ServerOptions {
        self.presets = presets.into_iter().collect();
        self
    }

    /// What the operator hides, at every feature.
    #[must_use]
    pub fn modes(mut self, modes: VisibilityPolicy) -> ServerOptions {
        self.modes = modes;
        self
    }

    /// How the catalog in the instructions is written, and how long it may get.
    #[must_use]
    pub fn catalog(mut self, catalog: CatalogOptions) -> ServerOptions {
        self.catalog = catalog;
        self
    }

    /// How the tools are called, and what they answer.
    #[must_use]
    pub fn tools(mut self, tools: ToolPreset) -> ServerOptions {
        self.tools = tools;
        self
    }

    /// What reads bodies for tools and prompts, in place of one that renders and runs nothing. The resources and the extension
    /// hand out files as they are, whoever reads.
    #[must_use]
    pub fn reader(mut self, reader: Arc<dyn SkillReader>) -> ServerOptions {
        self.reader = Some(reader);
        self
    }

    /// How many entries one page of a list has. 100 by default, at least one.
    #[must_use]
    pub fn page(mut self, entries: usize) -> ServerOptions {
        self.page = entries.max(1);
        self
    }
}

impl std::fmt::Debug for ServerOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ServerOptions")
            .field("name", &self.name)
            .field("features", &self.features)
            .finish_non_exhaustive()
    }
}
