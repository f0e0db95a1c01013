//! Settings, flags and faults that hide a skill or change its form.

use repertoire_profiles::AgentProfiles;
use serde_json::json;

use crate::tree::Tree;

/// Checks the lines of all skills of one agent whose name is `name`.
#[track_caller]
fn check(tree: &Tree, agent: &str, name: &str, expected: &str) {
    let mut lines = tree.lines(agent);
    lines.retain(|line| line.starts_with(&format!("{name} ")));
    lines.retain(|line| !line.ends_with("not: folder-not-read"));
    assert_eq!(lines.join("\n"), expected, "{name} in {agent}");
}

fn with_claude_settings(text: &str) -> Tree {
    let tree = Tree::golden();
    tree.file("H/.claude/settings.json", text);
    tree
}

#[test]
fn hiding_settings_are_reported_with_their_line() {
    let tree = with_claude_settings(
        "{\n  // mine\n  \"skillOverrides\": {\n    \"lint\": \"off\",\n  },\n}\n",
    );
    check(
        &tree,
        "claude-code",
        "lint",
        "lint H/.claude/skills/lint not: setting H/.claude/settings.json skillOverrides 4",
    );
    let tree = with_claude_settings("{\"skillOverrides\": {\"lint\": \"name-only\"}}");
    check(
        &tree,
        "claude-code",
        "lint",
        "lint H/.claude/skills/lint listed name-only (setting H/.claude/settings.json skillOverrides 1)",
    );
    let tree = with_claude_settings("{\"skillOverrides\": {\"lint\": \"user-invocable-only\"}}");
    check(
        &tree,
        "claude-code",
        "lint",
        "lint H/.claude/skills/lint listed user-only (setting H/.claude/settings.json skillOverrides 1)",
    );
}

#[test]
fn a_later_settings_file_overrides() {
    let tree = with_claude_settings("{\"skillOverrides\": {\"lint\": \"off\"}}");
    tree.file(
        "R/.claude/settings.local.json",
        "{\"skillOverrides\": {\"lint\": \"on\"}}",
    );
    check(
        &tree,
        "claude-code",
        "lint",
        "lint H/.claude/skills/lint full",
    );
}

#[test]
fn overrides_do_not_reach_plugins() {
    let tree = with_claude_settings("{\"skillOverrides\": {\"tools:fmt\": \"off\"}}");
    check(
        &tree,
        "claude-code",
        "tools:fmt",
        "tools:fmt H/.claude/plugins/cache/mkt/tools/1.0.0/skills/fmt full",
    );
}

#[test]
fn a_deny_rule_has_an_unknown_effect() {
    let tree = with_claude_settings("{\"permissions\": {\"deny\": [\"Skill(lint)\"]}}");
    check(
        &tree,
        "claude-code",
        "lint",
        "lint H/.claude/skills/lint one of [full; not: setting H/.claude/settings.json permissions.deny 1]",
    );
}

#[test]
fn a_disabled_plugin_names_its_settings() {
    let tree = with_claude_settings("{\"enabledPlugins\": {\"tools@mkt\": false}}");
    check(
        &tree,
        "claude-code",
        "tools:fmt",
        "tools:fmt H/.claude/plugins/cache/mkt/tools/1.0.0/skills/fmt not: plugin-disabled tools@mkt H/.claude/settings.json",
    );
}

#[test]
fn codex_hides_by_user_settings_only() {
    let tree = Tree::golden();
    let hide = "[[skills.config]]\nname = \"lint\"\nenabled = false\n";
    tree.file("R/.codex/config.toml", hide);
    check(&tree, "codex", "lint", "lint H/.agents/skills/lint full");
    tree.file("H/.codex/config.toml", hide);
    check(
        &tree,
        "codex",
        "lint",
        "lint H/.agents/skills/lint not: setting H/.codex/config.toml skills.config 2",
    );
}

#[test]
fn sidecars_hide_skills_from_the_model() {
    let tree = Tree::golden();
    tree.file(
        "H/.agents/skills/lint/agents/openai.yaml",
        "policy:\n  allow_implicit_invocation: false\n",
    );
    check(
        &tree,
        "codex",
        "lint",
        "lint H/.agents/skills/lint listed user-only (flag allow_implicit_invocation 2)",
    );
}

#[test]
fn lists_maps_and_switches_hide_in_other_agents() {
    let tree = Tree::golden();
    tree.file(
        "H/.gemini/settings.json",
        "{\"skills\": {\"disabled\": [\"LINT\"]}}",
    );
    tree.file(
        "H/.config/opencode/opencode.json",
        "{\"permission\": {\"skill\": {\"*\": \"allow\", \"li*\": \"deny\"}}}",
    );
    tree.file(
        "H/.config/Code/User/settings.json",
        "{\"chat.agentSkillsLocations\": {\".agents/skills\": false}}",
    );
    check(
        &tree,
        "gemini-cli",
        "lint",
        "lint H/.agents/skills/lint not: setting H/.gemini/settings.json skills.disabled 1",
    );
    check(
        &tree,
        "opencode",
        "other-name",
        "other-name R/.claude/skills/folder-a full",
    );
    let hidden = "not: setting H/.config/opencode/opencode.json permission.skill 1";
    check(
        &tree,
        "opencode",
        "lint",
        &format!("lint H/.claude/skills/lint {hidden}\nlint H/.agents/skills/lint {hidden}"),
    );
    check(
        &tree,
        "copilot-vscode",
        "deploy",
        "deploy R/.agents/skills/deploy not: setting H/.config/Code/User/settings.json chat.agentSkillsLocations 1\ndeploy R/.claude/skills/deploy full\ndeploy H/.agents/skills/deploy not: shadowed R/.claude/skills/deploy\ndeploy H/.claude/skills/deploy not: shadowed R/.claude/skills/deploy",
    );
}

#[test]
fn broken_front_matter_affects_each_agent_differently() {
    let tree = Tree::new();
    for folder in ["R/.agents/skills/odd", "R/.claude/skills/odd"] {
        tree.file(
            &format!("{folder}/SKILL.md"),
            "---\nname: odd\ndescription: Use when: asked.\n---\nDo it.\n",
        );
    }
    check(
        &tree,
        "claude-code",
        "odd",
        "odd R/.claude/skills/odd listed name-only (broken-front-matter 3)",
    );
    check(&tree, "codex", "odd", "odd R/.agents/skills/odd full");
    check(
        &tree,
        "zed",
        "odd",
        "odd R/.agents/skills/odd not: broken-front-matter 3",
    );
    tree.file("R/.agents/skills/odd/SKILL.md", "Do it.\n");
    check(
        &tree,
        "codex",
        "odd",
        "odd R/.agents/skills/odd not: no-front-matter 1",
    );
}

#[test]
fn flags_count_where_they_are_understood() {
    let tree = Tree::new();
    for root in ["R/.agents/skills", "R/.claude/skills"] {
        tree.file(
            &format!("{root}/by-hand/SKILL.md"),
            "---\nname: by-hand\ndescription: Does it.\ndisable-model-invocation: true\n---\n",
        );
    }
    check(
        &tree,
        "claude-code",
        "by-hand",
        "by-hand R/.claude/skills/by-hand listed user-only (flag disable-model-invocation 4)",
    );
    check(
        &tree,
        "codex",
        "by-hand",
        "by-hand R/.agents/skills/by-hand full",
    );
    check(
        &tree,
        "zed",
        "by-hand",
        "by-hand R/.agents/skills/by-hand listed user-only (flag disable-model-invocation 4)",
    );
}

#[test]
fn near_misses_of_spelling_and_links_are_named() {
    let tree = Tree::new();
    let text = "---\nname: a\ndescription: D.\n---\n";
    tree.file("R/.agents/skills/a/skill.md", text);
    tree.file("R/.agents/skills/loose.md", text);
    tree.file("R/real.md", text);
    tree.link("R/.agents/skills/linked/SKILL.md", "R/real.md");
    let expected = [
        "a R/.agents/skills/a/skill.md not: file-name",
        "a R/.agents/skills/linked not: link",
        "loose R/.agents/skills/loose.md not: file-name",
    ];
    let lines = tree.lines("codex");
    assert_eq!(lines, expected);
    let view = tree.view("codex");
    let fix = view.skills[0].fix.as_deref().unwrap();
    assert!(
        fix.starts_with("rename `") && fix.ends_with("skill.md` to `SKILL.md`"),
        "{fix}"
    );
}

#[test]
fn settings_that_cannot_be_read_are_reported() {
    let tree = with_claude_settings("{\"skillOverrides\": ");
    let unread = tree.view("claude-code").unread;
    assert_eq!(unread, [tree.path("H/.claude/settings.json").into()]);
}

#[test]
fn a_view_is_json() {
    let tree = Tree::new();
    tree.skill("R/.claude/skills/tidy");
    let view = serde_json::to_value(tree.view("zed")).unwrap();
    let path = tree.path("R/.claude/skills/tidy/SKILL.md");
    let own = tree.path("R/.agents/skills/tidy");
    let expected = serde_json::json!({
        "agent": "zed",
        "title": "Zed",
        "skills": [{
            "name": "tidy",
            "path": path,
            "real_path": path,
            "scope": "project",
            "description": null,
            "outcome": {"is": "omitted", "reason": {
                "kind": "folder-not-read",
                "read_by": ["amp", "claude-code", "cline", "continue", "copilot-cli", "copilot-vscode", "crush", "cursor", "goose", "kilo", "opencode", "opencode-2", "windsurf"],
            }},
            "cost": 0,
            "fix": format!("link `{}` to `{}`", own.display(), path.parent().unwrap().display()),
        }],
        "budget": {"used": 0, "limit": 51200, "is_limit_unknown": false, "unit": "bytes", "cut": 0},
        "folders": [tree.path("R/.agents/skills"), tree.path("H/.agents/skills")],
        "unread": [],
    });
    assert_eq!(view, expected);
}

/// Writes the entry that hides `name` from the agent, into a file of its own, and returns its outcome before and after.
fn hidden(tree: &Tree, agent: &str, name: &str) -> [bool; 2] {
    let profiles = AgentProfiles::built_in();
    let is_loaded = || {
        let view = profiles.survey(&tree.place).view(agent).unwrap();
        let mut skills = view.skills.iter();
        skills.any(|skill| *skill.name == *name && skill.outcome.may_load())
    };
    let before = is_loaded();
    let view = profiles.survey(&tree.place).view(agent).unwrap();
    let mut skills = view.skills.iter();
    let skill = skills.find(|skill| *skill.name == *name && skill.outcome.may_load());
    let skill = skill.unwrap();
    let profile = profiles.get(agent).unwrap();
    let setting = profile.hiding_setting(&tree.place, skill).unwrap();
    let keys = setting.key.iter().rev();
    let document = keys.fold(setting.entry, |value, key| json!({ key: value }));
    let text = match setting.file.extension().unwrap().to_str() {
        Some("toml") => toml_edit::ser::to_string(&document).unwrap(),
        _ => document.to_string(),
    };
    std::fs::create_dir_all(setting.file.parent().unwrap()).unwrap();
    std::fs::write(&setting.file, text).unwrap();
    [before, is_loaded()]
}

#[test]
fn a_hiding_setting_hides_the_skill() {
    let of_all = [
        ("claude-code", "lint"),
        ("codex", "lint"),
        ("copilot-cli", "lint"),
        ("gemini-cli", "lint"),
        ("opencode", "lint"),
        ("opencode-2", "lint"),
    ];
    for (agent, name) in of_all {
        let outcomes = hidden(&Tree::golden(), agent, name);
        assert_eq!(outcomes, [true, false], "{agent}");
    }
}

#[test]
fn agents_without_such_a_setting_have_none() {
    let tree = Tree::golden();
    let profiles = AgentProfiles::built_in();
    let setting = |agent: &str, name: &str| {
        let view = profiles.survey(&tree.place).view(agent).unwrap();
        let skill = view.skills.iter().find(|skill| *skill.name == *name);
        let profile = profiles.get(agent).unwrap();
        profile.hiding_setting(&tree.place, skill.unwrap())
    };
    assert_eq!(setting("goose", "lint"), None);
    assert_eq!(setting("claude-code", "tools:fmt"), None, "of a plugin");
}

#[test]
fn declared_dependencies_are_names_of_skills() {
    let tree = Tree::golden();
    let requires = |front_matter: &str| {
        let text = format!("---\nname: needy\ndescription: Needs.\n{front_matter}\n---\n");
        tree.file("H/.claude/skills/needy/SKILL.md", &text);
        let view = tree.view("claude-code");
        let needy = view.skills.iter().find(|skill| *skill.name == *"needy");
        let names = needy.unwrap().requires.iter().map(|name| name.to_string());
        names.collect::<Vec<_>>().join(" ")
    };
    for (front_matter, expected) in [
        ("license: MIT", ""),
        ("required_skills: [lint, none]", "lint none"),
        ("requires-skills: lint, none", "lint none"),
        ("metadata: {required_skills: none}", "none"),
        (
            "metadata: {openclaw: {requires: {skills: [none], bins: [jq]}}}",
            "none",
        ),
        ("dependencies: [numpy, 'pandas>=2']", ""),
        ("dependencies: [team/lint, admin/none]", "lint none"),
        ("dependencies: [{name: lint}, {type: npm}]", "lint"),
        ("required_skills: lint\ndependencies: [lint]", "lint"),
    ] {
        assert_eq!(requires(front_matter), expected, "{front_matter}");
    }
}
