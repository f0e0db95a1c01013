//! What is wrong or odd in a folder of plugins.

use std::path::PathBuf;

use repertoire_core::{Code, Diagnostic, Listing, Revision, Skill, Source, SourceError, async_trait};

use super::{ClientPlugin, ClientPlugins, ClientPluginsOptions, shown};
use crate::workers;

/// A source without skills: what is wrong or odd in a folder of plugins, whose skills are other sources'.
///
/// Which plugins are composed is decided when a configuration is read. When one came or went since then, a finding says so.
/// Another version of a plugin is no such case: the source of the plugin follows it.
#[derive(Debug, Clone)]
pub struct ClientPluginsFindings {
    name: String,
    base: PathBuf,
    options: ClientPluginsOptions,
    composed: Vec<ClientPlugin>,
}

impl ClientPluginsFindings {
    pub(super) fn new(
        name: String,
        base: PathBuf,
        options: ClientPluginsOptions,
        composed: Vec<ClientPlugin>,
    ) -> ClientPluginsFindings {
        ClientPluginsFindings { name, base, options, composed }
    }

    fn look(&self) -> Vec<Diagnostic> {
        let ClientPlugins { plugins, mut diagnostics } = self.options.find(&self.base);
        let is_in = |all: &[ClientPlugin], name: &str| all.iter().any(|plugin| plugin.name == name);
        let came = plugins.iter().filter(|plugin| !is_in(&self.composed, &plugin.name));
        let went = self.composed.iter().filter(|plugin| !is_in(&plugins, &plugin.name));
        for (plugin, what) in came.map(|plugin| (plugin, "came")).chain(went.map(|plugin| (plugin, "went"))) {
            let message = format!("plugin `{}` {what} after the sources were composed", plugin.name);
            let finding = Diagnostic::new(Code::CLIENT_PLUGIN, message).at_path(shown(&plugin.folder));
            diagnostics.push(finding.help("read the configuration again"));
        }
        diagnostics
    }
}

#[async_trait]
impl Source<Skill> for ClientPluginsFindings {
    fn name(&self) -> &str {
        &self.name
    }

    async fn list(&self) -> Result<Listing<Skill>, SourceError> {
        let this = self.clone();
        Ok(Listing::new(Revision(0), [], workers::run(move || this.look()).await?))
    }
}
