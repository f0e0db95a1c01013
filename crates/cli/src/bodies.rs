//! What the bodies of each source are rendered with.

use std::collections::BTreeMap;
use std::path::PathBuf;

use repertoire::render::{Context, Dialect};
use repertoire::{Renderer, SkillRegistry};

/// The variable that clients set to the folder of a plugin, for its skills.
const PLUGIN_ROOT: &str = "CLAUDE_PLUGIN_ROOT";

/// What the bodies of each source are rendered with, by its name.
#[derive(Debug, Default)]
pub(crate) struct Bodies {
    /// The dialects that were declared.
    pub(crate) dialects: BTreeMap<String, Dialect>,
    /// The folders of the plugins that a client installed.
    pub(crate) plugins: BTreeMap<String, PathBuf>,
}

impl Bodies {
    /// The same context with what is known of `source`.
    pub(crate) fn context(&self, source: &str, context: Context) -> Context {
        match self.plugins.get(source) {
            Some(folder) => context.skill_variable(PLUGIN_ROOT, folder.to_string_lossy()),
            None => context,
        }
    }

    /// What renders the bodies of `registry` for models.
    pub(crate) fn renderer(&self, registry: &SkillRegistry) -> Renderer {
        let over = Renderer::over(registry.clone());
        let spelled =
            self.dialects.iter().fold(over, |over, (source, dialect)| over.source_dialect(source.as_str(), *dialect));
        let known = |over: Renderer, (source, folder): (&String, &PathBuf)| {
            over.source_variable(source.as_str(), PLUGIN_ROOT, folder.to_string_lossy())
        };
        self.plugins.iter().fold(spelled, known)
    }
}
