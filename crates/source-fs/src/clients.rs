//! The folders in which clients keep skills.

/// A client's folders for skills: below a project and below the home folder.
///
/// The shipped table is [`Client::ALL`]; a host may define further ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Client {
    /// A short name, in lower case; part of the names of its roots.
    pub name: &'static str,
    /// Relative to a project's folder; empty when it is the shared one.
    pub project: &'static [&'static str],
    /// Relative to the home folder.
    pub home: &'static [&'static str],
}

macro_rules! clients {
    ($($name:literal [$($project:literal),*] [$($home:literal),*])*) => {
        &[$(Client { name: $name, project: &[$($project),*], home: &[$($home),*] }),*]
    };
}

impl Client {
    /// The folder that clients share, always searched first.
    pub const SHARED: Client = Client {
        name: "agents",
        project: &[".agents/skills"],
        home: &[".agents/skills"],
    };

    /// Every known client, by name. Folders that a client has in common with [`SHARED`](Client::SHARED) are not repeated.
    pub const ALL: &[Client] = clients! {
        "amp" [] [".config/agents/skills"]
        "antigravity" [] [".gemini/antigravity/skills"]
        "claude" [".claude/skills"] [".claude/skills"]
        "cline" [] []
        "codex" [] [".codex/skills"]
        "continue" [".continue/skills"] [".continue/skills"]
        "copilot" [".github/skills"] [".copilot/skills"]
        "crush" [".crush/skills"] [".config/crush/skills"]
        "cursor" [".cursor/skills"] [".cursor/skills"]
        "deepagents" [".deepagents/skills"] [".deepagents/agent/skills"]
        "droid" [] [".factory/skills"]
        "gemini" [".gemini/skills"] [".gemini/skills"]
        "goose" [".goose/skills"] [".config/goose/skills"]
        "hermes" [".hermes/skills"] [".hermes/skills"]
        "junie" [".junie/skills"] [".junie/skills"]
        "kilo" [] [".kilo/skills"]
        "kiro" [".kiro/skills"] [".kiro/skills"]
        "openclaw" ["skills"] [".openclaw/skills"]
        "opencode" [".opencode/skills", ".opencode/skill"] [".config/opencode/skills", ".config/opencode/skill"]
        "openhands" [".openhands/skills"] [".openhands/skills"]
        "pi" [".pi/skills"] [".pi/agent/skills"]
        "qwen" [".qwen/skills"] [".qwen/skills"]
        "roo" [".roo/skills"] [".roo/skills"]
        "trae" [".trae/skills"] [".trae/skills"]
        "windsurf" [".windsurf/skills"] [".codeium/windsurf/skills"]
        "zed" [] []
    };
}
