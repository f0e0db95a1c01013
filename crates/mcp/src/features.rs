//! The parts of MCP that a server exposes, and what is known of clients.

use std::fmt;
use std::str::FromStr;

use rmcp::model::{
    PromptsCapability, ResourcesCapability, SKILLS_EXTENSION_ID, ServerCapabilities,
    ToolsCapability,
};

use crate::error::ServeError;

/// A set of the parts of MCP that a server exposes. Its text form is `all`, or names with commas between: `tools,prompts`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct McpFeatures(u8);

const NAMES: [(&str, McpFeatures); 5] = [
    ("extension", McpFeatures::EXTENSION),
    ("resources", McpFeatures::RESOURCES),
    ("prompts", McpFeatures::PROMPTS),
    ("tools", McpFeatures::TOOLS),
    ("instructions", McpFeatures::INSTRUCTIONS),
];

impl McpFeatures {
    /// All features.
    pub const ALL: McpFeatures = McpFeatures(31);
    /// The skills extension: `skills/list`, `skills/get` and `resources/directory/read`. It includes
    /// [`RESOURCES`](Self::RESOURCES), which it reads files with.
    pub const EXTENSION: McpFeatures = McpFeatures(1);
    /// `SKILL.md` and the other files of each skill as resources.
    pub const RESOURCES: McpFeatures = McpFeatures(2);
    /// A prompt for each skill that a user may call.
    pub const PROMPTS: McpFeatures = McpFeatures(4);
    /// Tools with which models find and read skills.
    pub const TOOLS: McpFeatures = McpFeatures(8);
    /// The server instructions: a catalog of the skills, or a hint where they are listed.
    pub const INSTRUCTIONS: McpFeatures = McpFeatures(16);

    /// Returns this set without the features of `others`.
    #[must_use]
    pub const fn without(self, others: McpFeatures) -> McpFeatures {
        McpFeatures(self.0 & !others.0)
    }

    pub(crate) const fn and(self, others: McpFeatures) -> McpFeatures {
        McpFeatures(self.0 & others.0)
    }

    /// Returns the capabilities that a server with these features declares.
    pub(crate) fn capabilities(self) -> ServerCapabilities {
        let mut capabilities = ServerCapabilities::default();
        if self.contains(McpFeatures::TOOLS) {
            let mut tools = ToolsCapability::default();
            tools.list_changed = Some(true);
            capabilities.tools = Some(tools);
        }
        if self.contains(McpFeatures::PROMPTS) {
            let mut prompts = PromptsCapability::default();
            prompts.list_changed = Some(true);
            capabilities.prompts = Some(prompts);
        }
        if self.contains(McpFeatures::RESOURCES) {
            let mut resources = ResourcesCapability::default();
            (resources.subscribe, resources.list_changed) = (Some(true), Some(true));
            capabilities.resources = Some(resources);
            // For the variables of the resource template.
            capabilities.completions = Some(Default::default());
        }
        if self.contains(McpFeatures::EXTENSION) {
            let settings = serde_json::Map::from_iter([("directoryRead".to_owned(), true.into())]);
            capabilities
                .extensions
                .get_or_insert_default()
                .insert(SKILLS_EXTENSION_ID.to_owned(), settings);
        }
        capabilities
    }

    pub(crate) const fn contains(self, feature: McpFeatures) -> bool {
        let has_extension = self.0 & McpFeatures::EXTENSION.0 != 0;
        let features = if has_extension {
            self.0 | McpFeatures::RESOURCES.0
        } else {
            self.0
        };
        features & feature.0 != 0
    }
}

impl Default for McpFeatures {
    fn default() -> McpFeatures {
        McpFeatures::ALL
    }
}

impl fmt::Display for McpFeatures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = NAMES
            .into_iter()
            .filter(|(_, feature)| self.0 & feature.0 != 0)
            .map(|(name, _)| name);
        f.pad(&names.collect::<Vec<_>>().join(","))
    }
}

impl FromStr for McpFeatures {
    type Err = ServeError;

    fn from_str(text: &str) -> Result<McpFeatures, ServeError> {
        text.split(',').map(str::trim).try_fold(McpFeatures(0), |features, name| {
            if name == "all" {
                return Ok(McpFeatures::ALL);
            }
            let feature = NAMES.into_iter().find(|(known, _)| *known == name).map(|(_, feature)| feature.0);
            feature.map(|feature| McpFeatures(features.0 | feature)).ok_or_else(|| {
                let name = repertoire::skill::text::terminal_line(name);
                ServeError::InvalidOption(format!(
                    "unknown feature `{name}`: expected `all`, or some of `extension`, `resources`, `prompts`, `tools` and `instructions`"
                ))
            })
        })
    }
}

/// A known client: the name that it sends, the features that it uses, and its model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ClientPreset {
    /// The prefix of `clientInfo.name`, in lower case.
    name: &'static str,
    /// The features that it uses. A client declares support for the extension itself.
    pub(crate) features: McpFeatures,
    /// The provider of its models. `None` if its user chooses one.
    pub(crate) provider: Option<&'static str>,
    /// The oldest model that it runs. `None` if that is not known.
    pub(crate) model: Option<&'static str>,
}

/// All known clients. `docs/mcp.md` has the source of each name and set of features.
static CLIENTS: [ClientPreset; 8] = [
    ClientPreset::new("claude-ai", McpFeatures::ALL)
        .with_model("anthropic", Some("claude-sonnet-4")),
    ClientPreset::new("claude-code", McpFeatures::ALL)
        .with_model("anthropic", Some("claude-sonnet-4")),
    ClientPreset::new("codex", McpFeatures::ALL.without(McpFeatures::PROMPTS))
        .with_model("openai", None),
    ClientPreset::new("cursor", McpFeatures::ALL),
    ClientPreset::new("gemini-cli", McpFeatures::ALL).with_model("google", None),
    ClientPreset::new("goose", McpFeatures::ALL),
    ClientPreset::new("visual studio code", McpFeatures::ALL),
    ClientPreset::new("zed", McpFeatures::ALL.without(McpFeatures::RESOURCES)),
];

impl ClientPreset {
    const fn new(name: &'static str, features: McpFeatures) -> ClientPreset {
        ClientPreset {
            name,
            features,
            provider: None,
            model: None,
        }
    }

    const fn with_model(self, provider: &'static str, model: Option<&'static str>) -> ClientPreset {
        ClientPreset {
            provider: Some(provider),
            model,
            ..self
        }
    }

    pub(crate) fn find(client: &str) -> Option<&'static ClientPreset> {
        let client = client.trim().to_ascii_lowercase();
        CLIENTS.iter().find(|preset| {
            let rest = client.strip_prefix(preset.name);
            rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric()))
        })
    }
}

#[cfg(test)]
mod tests;
