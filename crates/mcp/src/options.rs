//! Options of a server.

use std::sync::Arc;

use repertoire::permission::VisibilityPolicy;
use repertoire::search::IndexSettings;
use repertoire::tools::{SkillReader, ToolPreset};
use repertoire::{Budget, CatalogOptions};
use repertoire_mcp_servers::ToolAccess;

use crate::conformance::is_strict;
use crate::features::ClientPreset;
use crate::{HostTools, McpFeatures, SessionLog};

/// Options of a [`Server`](crate::Server). By default it exposes all features that a client is known to use, hides only what skills
/// hide themselves, and runs nothing.
#[derive(Clone)]
pub struct ServerOptions {
    pub(crate) name: Arc<str>,
    pub(crate) version: Arc<str>,
    pub(crate) features: McpFeatures,
    ignores_presets: bool,
    pub(crate) modes: VisibilityPolicy,
    pub(crate) catalog: CatalogOptions,
    pub(crate) tools: ToolPreset,
    pub(crate) reader: Option<Arc<dyn SkillReader>>,
    pub(crate) page: usize,
    pub(crate) index: IndexSettings,
    pub(crate) resources: Vec<HostResource>,
    pub(crate) server_tools: Option<ToolAccess>,
    pub(crate) host_tools: Option<Arc<dyn HostTools>>,
    pub(crate) session_log: Option<SessionLog>,
}

/// A resource of the host.
#[derive(Clone)]
pub(crate) struct HostResource {
    pub(crate) uri: Arc<str>,
    pub(crate) description: Arc<str>,
    pub(crate) read: Arc<dyn Fn() -> Option<String> + Send + Sync>,
}

const CATALOG_TOKENS: usize = 500;

impl Default for ServerOptions {
    fn default() -> ServerOptions {
        ServerOptions {
            name: "repertoire".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            features: McpFeatures::ALL,
            ignores_presets: false,
            modes: VisibilityPolicy::default(),
            catalog: CatalogOptions::default().budget(Budget::Tokens(CATALOG_TOKENS)),
            tools: ToolPreset::DEFAULT,
            reader: None,
            page: 100,
            index: IndexSettings::new(),
            resources: Vec::new(),
            server_tools: None,
            host_tools: None,
            session_log: None,
        }
    }
}

impl ServerOptions {
    /// Sets the name of the server. Default `repertoire`.
    #[must_use]
    pub fn name(mut self, name: impl Into<Arc<str>>) -> ServerOptions {
        self.name = name.into();
        self
    }

    /// Sets the version of the server. Default: that of this crate.
    #[must_use]
    pub fn version(mut self, version: impl Into<Arc<str>>) -> ServerOptions {
        self.version = version.into();
        self
    }

    /// Sets the features to expose. Features that a known client does not use are not exposed to it.
    #[must_use]
    pub fn features(mut self, features: McpFeatures) -> ServerOptions {
        self.features = features;
        self
    }

    /// Exposes every feature to every client, and assumes nothing about its model.
    #[must_use]
    pub fn ignore_presets(mut self) -> ServerOptions {
        self.ignores_presets = true;
        self
    }

    pub(crate) fn preset(&self, client: &str) -> Option<&'static ClientPreset> {
        if self.ignores_presets {
            None
        } else {
            ClientPreset::find(client)
        }
    }

    /// Returns the features for a client with this name, and with or without the skills extension.
    pub(crate) fn features_for(&self, client: &str, has_extension: bool) -> McpFeatures {
        let Some(preset) = self.preset(client) else {
            return self.features;
        };
        let features = self.features.and(preset.features);
        // The extension would add resources that the client does not use.
        if has_extension
            || features
                .without(McpFeatures::EXTENSION)
                .contains(McpFeatures::RESOURCES)
        {
            features
        } else {
            features.without(McpFeatures::EXTENSION)
        }
    }

    pub(crate) fn is_strict(&self, client: &str) -> bool {
        !self.ignores_presets && is_strict(client)
    }

    /// Sets what the operator hides, in every feature.
    #[must_use]
    pub fn modes(mut self, modes: VisibilityPolicy) -> ServerOptions {
        self.modes = modes;
        self
    }

    /// Returns what the operator hides.
    pub fn visibility(&self) -> &VisibilityPolicy {
        &self.modes
    }

    /// Sets the form and the budget of the catalog in the instructions.
    #[must_use]
    pub fn catalog(mut self, catalog: CatalogOptions) -> ServerOptions {
        self.catalog = catalog;
        self
    }

    /// Sets the names and the answers of the tools.
    #[must_use]
    pub fn tools(mut self, tools: ToolPreset) -> ServerOptions {
        self.tools = tools;
        self
    }

    /// Sets the reader of bodies for tools and prompts, in place of one that renders and runs nothing. Resources and the extension
    /// return raw bytes in any case.
    #[must_use]
    pub fn reader(mut self, reader: Arc<dyn SkillReader>) -> ServerOptions {
        self.reader = Some(reader);
        self
    }

    /// Sets example prompts and synonyms for the search.
    #[must_use]
    pub fn index(mut self, settings: IndexSettings) -> ServerOptions {
        self.index = settings;
        self
    }

    /// Adds a resource of the host, which is listed after the skills: `read` returns its JSON, or `None` while there is none.
    #[must_use]
    pub fn resource(
        mut self,
        uri: impl Into<Arc<str>>,
        description: impl Into<Arc<str>>,
        read: impl Fn() -> Option<String> + Send + Sync + 'static,
    ) -> ServerOptions {
        self.resources.push(HostResource {
            uri: uri.into(),
            description: description.into(),
            read: Arc::new(read),
        });
        self
    }

    /// Serves the tools of MCP servers too. A session is offered those that its active skills bring.
    #[must_use]
    pub fn server_tools(mut self, access: ToolAccess) -> ServerOptions {
        self.server_tools = Some(access);
        self
    }

    /// Serves the tools of the host too.
    #[doc(hidden)]
    #[must_use]
    pub fn host_tools(mut self, tools: Arc<dyn HostTools>) -> ServerOptions {
        self.host_tools = Some(tools);
        self
    }

    /// Records sessions in `log`.
    #[doc(hidden)]
    #[must_use]
    pub fn session_log(mut self, log: SessionLog) -> ServerOptions {
        self.session_log = Some(log);
        self
    }

    /// Returns the options of the catalog in the instructions, without marks of skills that are not ready.
    #[doc(hidden)]
    pub fn catalog_options(&self) -> CatalogOptions {
        self.catalog.clone().modes(self.modes.clone())
    }

    /// Sets the number of entries on a page of a list. Default 100, at least one.
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
