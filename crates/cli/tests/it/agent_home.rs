//! A home with skills for eight agents, and a project.

use crate::test_env::TestEnv;

/// Signs by which eight agents are found.
const SIGNS: [&str; 8] = [
    ".claude.json",
    ".codex/auth.json",
    ".config/goose/config.yaml",
    ".config/zed/settings.json",
    ".copilot/config.json",
    ".cursor/skills-cursor/.keep",
    ".gemini/settings.json",
    ".local/share/opencode/.keep",
];

/// Returns a home with eight agents, a plugin, links from a dotfiles folder and settings that hide, and a project.
pub(crate) fn agent_home() -> TestEnv {
    let env = TestEnv::new();
    env.file(".git/HEAD", "ref: refs/heads/main\n");
    for sign in SIGNS {
        env.file(&format!("../home/{sign}"), "{}");
    }
    for (folder, name, description) in [
        (
            "../home/.agents/skills",
            "deploy",
            "Ships the service to production.",
        ),
        (
            "../home/.agents/skills",
            "lint",
            "Runs every linter and fixes what it can.",
        ),
        (
            "../home/.claude/skills",
            "deploy",
            "Ships the service to staging.",
        ),
        (
            "../home/dotfiles/skills",
            "greet",
            "Writes a greeting in the tone of the house.",
        ),
        (".agents/skills", "deploy", "Ships this project."),
        (
            ".agents/skills/team",
            "audit",
            "Audits dependencies for known faults.",
        ),
        (
            ".claude/skills",
            "deploy",
            "Ships this project with Claude.",
        ),
        (".claude/skills/group", "deep", "Goes too deep."),
        (
            ".github/skills",
            "release",
            "Writes release notes from the log.",
        ),
        (".cursor/skills", "palette", "Picks colours for a theme."),
    ] {
        env.skill(folder, name, description);
    }
    env.file(
        ".agents/skills/manual/SKILL.md",
        "---\nname: manual\ndescription: Resets the database.\ndisable-model-invocation: true\n---\nReset.\n",
    );
    env.file(
        ".agents/skills/half/SKILL.md",
        "---\nname: half\ndescription: Half: a description.\n---\nHalf.\n",
    );
    for folder in [".agents", ".claude"] {
        env.link(
            "../../dotfiles/skills/greet",
            &format!("../home/{folder}/skills/greet"),
        );
    }
    env.link("../../.agents/skills/lint", "../home/.claude/skills/lint");
    plugin(&env);
    env
}

/// Installs the plugin `tools`, hides the skill `lint`, and makes the list of Claude Code short.
fn plugin(env: &TestEnv) {
    let folder = "../home/.claude/plugins/cache/market/tools/1.0.0";
    env.skill(
        &format!("{folder}/skills"),
        "format",
        "Formats every file of the project.",
    );
    let root = env.here().with_file_name("home");
    let path = root.join(".claude/plugins/cache/market/tools/1.0.0");
    let record = serde_json::json!({"version": 2, "plugins": {
        "tools@market": [{"scope": "user", "installPath": path, "version": "1.0.0"}]
    }});
    env.file(
        "../home/.claude/plugins/installed_plugins.json",
        record.to_string(),
    );
    env.file(
        "../home/.claude/settings.json",
        "{\n  \"enabledPlugins\": {\"tools@market\": true},\n  \"skillOverrides\": {\"lint\": \"off\"},\n  \
         \"skillListingBudgetFraction\": 0.00015\n}\n",
    );
}
