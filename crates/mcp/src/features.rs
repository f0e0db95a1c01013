//! The parts of MCP that a server exposes, and what is known of clients.

use std::fmt;
use std::str::FromStr;

/// A part of MCP that a server exposes skills through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum McpFeature {
    /// The skills extension: `skills/list`, `skills/get` and `resources/directory/read`. It includes [`Resources`](Self::Resources), which it reads files with.
    Extension = 1,
    /// `SKILL.md` and the other files of each skill as resources.
    Resources = 2,
    /// A prompt for each skill that a user may call.
    Prompts = 4,
    /// Tools with which models find and read skills.
    Tools = 8,
    /// The server instructions: a catalog of the skills, or a hint where they are listed.
    Instructions = 16,
}

/// A set of [`McpFeature`]s. Its text form is `all`, or names with commas between: `tools,prompts`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct McpFeatures(u8);

/// The error of a text that is not a set of [`McpFeatures`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown feature `{0}`: expected `all`, or some of `extension`, `resources`, `prompts`, `tools` and `instructions`"
)]
pub struct UnknownFeature(String);

const NAMES: [(&str, McpFeature); 5] = [
    ("extension", McpFeature::Extension),
    ("resources", McpFeature::Resources),
    ("prompts", McpFeature::Prompts),
    ("tools", McpFeature::Tools),
    ("instructions", McpFeature::Instructions),
];

impl McpFeatures {
    /// All features.
    pub const ALL: McpFeatures = McpFeatures(31);
    /// No feature.
    pub const NONE: McpFeatures = McpFeatures(0);

    /// Returns this set and `feature`.
    #[must_use]
    pub const fn with(self, feature: McpFeature) -> McpFeatures {
        McpFeatures(self.0 | feature as u8)
    }

    /// Returns this set without `feature`.
    #[must_use]
    pub const fn without(self, feature: McpFeature) -> McpFeatures {
        McpFeatures(self.0 & !(feature as u8))
    }

    /// Returns the features that are in both sets.
    #[must_use]
    pub const fn and(self, other: McpFeatures) -> McpFeatures {
        McpFeatures(self.0 & other.0)
    }

    /// Returns whether the set contains `feature`. A set with the extension contains the resources.
    pub const fn contains(self, feature: McpFeature) -> bool {
        let features =
            if self.0 & McpFeature::Extension as u8 != 0 { self.0 | McpFeature::Resources as u8 } else { self.0 };
        features & feature as u8 != 0
    }
}

impl Default for McpFeatures {
    fn default() -> McpFeatures {
        McpFeatures::ALL
    }
}

impl fmt::Display for McpFeatures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = NAMES.into_iter().filter(|(_, feature)| self.0 & *feature as u8 != 0);
        f.pad(&named.map(|(name, _)| name).collect::<Vec<_>>().join(","))
    }
}

impl FromStr for McpFeatures {
    type Err = UnknownFeature;

    fn from_str(text: &str) -> Result<McpFeatures, UnknownFeature> {
        text.split(',').map(str::trim).try_fold(McpFeatures::NONE, |features, name| {
            if name == "all" {
                return Ok(McpFeatures::ALL);
            }
            match NAMES.into_iter().find(|(known, _)| *known == name) {
                Some((_, feature)) => Ok(features.with(feature)),
                None => Err(UnknownFeature(repertoire::skill::text::terminal_line(name).into_owned())),
            }
        })
    }
}

/// A known client: the name that it sends, the features that it uses, and its model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClientPreset {
    /// The name of the client.
    pub name: &'static str,
    /// The prefix of `clientInfo.name`, in lower case.
    pub client_info: &'static str,
    /// The features that it uses. A client declares support for the extension itself.
    pub features: McpFeatures,
    /// The provider of its models, for the surface rules. `None` if its user chooses one.
    pub provider: Option<&'static str>,
    /// The oldest model that it runs, for the surface rules. `None` if that is not known.
    pub model: Option<&'static str>,
}

const CLAUDE: &str = "claude-sonnet-4";

const EVERYTHING: McpFeatures = McpFeatures::ALL;
const NO_RESOURCES: McpFeatures = McpFeatures::ALL.without(McpFeature::Resources);
const NO_PROMPTS: McpFeatures = McpFeatures::ALL.without(McpFeature::Prompts);

const fn preset(name: &'static str, client_info: &'static str, features: McpFeatures) -> ClientPreset {
    ClientPreset { name, client_info, features, provider: None, model: None }
}

impl ClientPreset {
    const fn of(mut self, provider: &'static str) -> ClientPreset {
        self.provider = Some(provider);
        self
    }

    const fn running(mut self, model: &'static str) -> ClientPreset {
        self.model = Some(model);
        self
    }

    /// All known clients. `docs/mcp.md` has the source of each name and set of features.
    pub const ALL: [ClientPreset; 8] = [
        preset("claude-desktop", "claude-ai", EVERYTHING).of("anthropic").running(CLAUDE),
        preset("claude-code", "claude-code", EVERYTHING).of("anthropic").running(CLAUDE),
        preset("codex", "codex", NO_PROMPTS).of("openai"),
        preset("cursor", "cursor", EVERYTHING),
        preset("gemini", "gemini-cli", EVERYTHING).of("google"),
        preset("goose", "goose", EVERYTHING),
        preset("vscode", "visual studio code", EVERYTHING),
        preset("zed", "zed", NO_RESOURCES),
    ];

    /// Returns whether `name` is a name of this client.
    pub fn is(&self, name: &str) -> bool {
        let name = name.trim().to_ascii_lowercase();
        name.strip_prefix(self.client_info).is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric()))
    }
}

#[cfg(test)]
mod tests;
