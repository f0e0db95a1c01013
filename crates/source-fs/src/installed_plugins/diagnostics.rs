//! The diagnostics about folders of plugins.

use std::fmt;
use std::sync::Arc;

use repertoire_core::{
    Code, Diagnostic, Listing, Revision, Skill, Source, SourceError, async_trait,
};

use super::{InstalledPlugin, InstalledPlugins, shown};
use crate::workers;

/// A source without skills that reports diagnostics about a folder of plugins. The skills are listed by other sources.
pub(super) struct PluginDiagnostics {
    name: String,
    find: Arc<dyn Fn() -> Vec<Diagnostic> + Send + Sync>,
}

impl PluginDiagnostics {
    pub(super) fn fixed(name: String, diagnostics: Vec<Diagnostic>) -> Arc<dyn Source<Skill>> {
        Arc::new(PluginDiagnostics {
            name,
            find: Arc::new(move || diagnostics.clone()),
        })
    }

    pub(super) fn composed(
        name: String,
        find: impl Fn() -> InstalledPlugins + Send + Sync + 'static,
        composed: Vec<InstalledPlugin>,
    ) -> Arc<dyn Source<Skill>> {
        let find = move || {
            let InstalledPlugins {
                plugins,
                mut diagnostics,
                ..
            } = find();
            let came = plugins.iter().filter(|plugin| !has(&composed, plugin));
            let went = composed.iter().filter(|plugin| !has(&plugins, plugin));
            for (plugin, what) in came
                .map(|plugin| (plugin, "came"))
                .chain(went.map(|plugin| (plugin, "went")))
            {
                let message = format!(
                    "plugin `{}` {what} after the sources were composed",
                    plugin.name
                );
                let diagnostic =
                    Diagnostic::new(Code::CLIENT_PLUGIN, message).at_path(shown(&plugin.folder));
                diagnostics.push(diagnostic.help("read the configuration again"));
            }
            diagnostics
        };
        Arc::new(PluginDiagnostics {
            name,
            find: Arc::new(find),
        })
    }
}

fn has(all: &[InstalledPlugin], plugin: &InstalledPlugin) -> bool {
    all.iter().any(|other| other.name == plugin.name)
}

impl fmt::Debug for PluginDiagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PluginDiagnostics")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

#[async_trait]
impl Source<Skill> for PluginDiagnostics {
    fn name(&self) -> &str {
        &self.name
    }

    async fn list(&self) -> Result<Listing<Skill>, SourceError> {
        let find = self.find.clone();
        Ok(Listing::new(
            Revision(0),
            [],
            workers::run(move || find()).await?,
        ))
    }
}
