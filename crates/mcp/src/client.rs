//! What is known of clients, as data.

use crate::{Face, Faces};

/// What is known of one client: how it names itself, and which faces it uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClientPreset {
    /// What people call it.
    pub name: &'static str,
    /// How it begins to name itself in `clientInfo.name`, in lower case.
    pub client_info: &'static str,
    /// The faces that it uses. The extension is no matter of presets: a client declares whether it has it.
    pub faces: Faces,
    /// The provider of its models, for the surface rules; `None` where its user chooses among several.
    pub provider: Option<&'static str>,
    /// The oldest model that it runs, for the same rules; `None` where that is not known.
    pub model: Option<&'static str>,
}

/// Both Claude clients run this model and later ones alone.
const CLAUDE: &str = "claude-sonnet-4";

const EVERYTHING: Faces = Faces::ALL;
const NO_RESOURCES: Faces = Faces::ALL.without(Face::Resources);
const NO_PROMPTS: Faces = Faces::ALL.without(Face::Prompts);

const fn preset(name: &'static str, client_info: &'static str, faces: Faces) -> ClientPreset {
    ClientPreset { name, client_info, faces, provider: None, model: None }
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

    /// Every client that something is known of. The names are those that the clients send, the faces those that the documentation
    /// of each says it uses; `docs/mcp.md` says where each name is from.
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

    /// Whether a client that calls itself `name` is this one.
    pub fn is(&self, name: &str) -> bool {
        let name = name.trim().to_ascii_lowercase();
        name.strip_prefix(self.client_info).is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_is_known_by_the_beginning_of_its_name() {
        let known = |name: &str| ClientPreset::ALL.iter().find(|preset| preset.is(name)).map(|preset| preset.name);
        assert_eq!(known("cursor-vscode"), Some("cursor"));
        assert_eq!(known("Visual Studio Code - Insiders"), Some("vscode"));
        assert_eq!(known("Zed"), Some("zed"));
        assert_eq!(known("claude-ai (via mcp-remote 0.1.37)"), Some("claude-desktop"));
        assert_eq!(known("codex-mcp-client"), Some("codex"));
        assert_eq!(known("Codex"), Some("codex"));
        assert_eq!(known("gemini-cli-mcp-client-acme"), Some("gemini"));
        assert_eq!(known("zedi"), None);
        assert_eq!(known("somebody"), None);
        assert_eq!(known(""), None);
    }
}
