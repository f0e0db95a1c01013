//! What the bodies of each source are rendered with.

use std::collections::BTreeMap;
use std::sync::Arc;

use repertoire::render::{Context, Dialect};
use repertoire::{FsSource, Renderer, SkillRegistry};

/// The variable that clients set to the folder of a plugin, for its skills.
const PLUGIN_ROOT: &str = "CLAUDE_PLUGIN_ROOT";

/// What the bodies of each source are rendered with, by its name.
#[derive(Debug, Default)]
pub(crate) struct Bodies {
    /// The dialects that were declared.
    pub(crate) dialects: BTreeMap<String, Dialect>,
    /// The sources of the plugins that a client installed.
    pub(crate) plugins: BTreeMap<String, Arc<FsSource>>,
}

impl Bodies {
    /// The same context with what is known of `source`.
    pub(crate) fn context(&self, source: &str, context: Context) -> Context {
        match self.plugins.get(source).and_then(|plugin| plugin_root(plugin)) {
            Some(folder) => context.skill_variable(PLUGIN_ROOT, folder),
            None => context,
        }
    }

    /// What renders the bodies of `registry` for models.
    pub(crate) fn renderer(&self, registry: &SkillRegistry) -> Renderer {
        let over = Renderer::over(registry.clone());
        let spelled =
            self.dialects.iter().fold(over, |over, (source, dialect)| over.source_dialect(source.as_str(), *dialect));
        self.plugins.iter().fold(spelled, |over, (source, plugin)| {
            let plugin = Arc::clone(plugin);
            over.source_variable(source.as_str(), PLUGIN_ROOT, move || plugin_root(&plugin))
        })
    }
}

fn plugin_root(plugin: &FsSource) -> Option<String> {
    Some(plugin.plugin_folder()?.to_string_lossy().into_owned())
}
