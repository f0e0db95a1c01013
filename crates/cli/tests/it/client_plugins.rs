//! The plugins that clients install as folders, in configuration files.

use snapbox::{assert_data_eq, str};

use crate::test_env::TestEnv;

const CONFIG: &str = "\
[[source]]
kind = \"client-plugins\"
name = \"claude\"
path = \"~/.claude/plugins/cache\"

[[source]]
kind = \"fs\"
name = \"mine\"
roots = [\"mine\"]
";

const CACHE: &str = "../home/.claude/plugins/cache";

/// A client's cache: two marketplaces, old versions beside new ones, and what the client wrote down when it installed.
fn env() -> TestEnv {
    let env = TestEnv::new();
    let cached = |place: &str, skill: &str, about: &str| {
        env.skill(&format!("{CACHE}/{place}/skills"), skill, about);
    };
    cached("acme/tool/1.9.0", "init", "Tool, 1.9.");
    cached("acme/tool/1.10.0", "init", "Tool, 1.10.");
    cached("acme/kit/1.9.0", "init", "Kit, 1.9.");
    cached("acme/kit/1.10.0", "init", "Kit, 1.10.");
    cached("acme/kit/1.10.0", "pack", "Packs.");
    let own = r#"{"name": "deploy-tools", "version": "3.1.0", "skills": ["./more", "../tool/1.9.0/skills", "/etc"]}"#;
    env.file(
        &format!("{CACHE}/other/deploy/3.1.0/.claude-plugin/plugin.json"),
        own,
    );
    env.skill(
        &format!("{CACHE}/other/deploy/3.1.0/more"),
        "ship",
        "Ships.",
    );
    // The highest version is not the one that is installed.
    let installed = format!(
        r#"{{"version": 2, "plugins": {{"tool@acme": [{{"scope": "user", "version": "1.9.0", "installPath": {:?}}}]}}}}"#,
        "/somewhere/else"
    );
    env.file("../home/.claude/plugins/installed_plugins.json", installed);
    env.skill("mine", "init", "Mine.")
        .file("repertoire.toml", CONFIG);
    env
}

fn list(env: &TestEnv) -> String {
    env.run(&["list", "--all", "--config", "repertoire.toml"])
        .stdout
}

#[test]
fn each_installed_plugin_is_a_source() {
    let env = env();
    assert_data_eq!(
        list(&env),
        str![[r#"
name               source        tier    trust       surface    tokens  flags
init               mine          user    trusted     tool-only       5
deploy-tools:ship  deploy-tools  plugin  restricted  tool-only       5
kit:init           kit           plugin  restricted  tool-only      10
kit:pack           kit           plugin  restricted  tool-only       5
tool:init          tool          plugin  restricted  tool-only       9

"#]]
    );
    for (name, about) in [
        ("kit:init", "Kit, 1.10."),
        ("tool:init", "Tool, 1.9."),
        ("pack", "Packs."),
    ] {
        let shown = env
            .run(&["show", name, "--config", "repertoire.toml"])
            .stdout;
        assert!(shown.contains(about), "{shown}");
    }
    assert_data_eq!(
        env.run(&["roots", "--config", "repertoire.toml"]).stdout,
        str![[r#"
source        tier    trust       skills  path
mine          user    trusted          1  mine
deploy-tools  plugin  restricted       1  [WORLD]/home/.claude/plugins/cache/other/deploy/3.1.0/more
kit           plugin  restricted       2  [WORLD]/home/.claude/plugins/cache/acme/kit/1.10.0/skills
tool          plugin  restricted       1  [WORLD]/home/.claude/plugins/cache/acme/tool/1.9.0/skills
claude        plugin  restricted       0

"#]]
    );
}

#[test]
fn paths_outside_a_plugin_are_reported() {
    let env = env();
    let said = env.run(&["check", "--config", "repertoire.toml"]).stdout;
    for left in ["../tool/1.9.0/skills", "/etc"] {
        let expected = format!("`{left}` leaves the plugin that names it; it was left out");
        assert!(said.contains(&expected), "{expected} in {said}");
    }
}

#[test]
fn the_record_or_highest_version_decides() {
    let env = env();
    env.file("../home/.claude/plugins/installed_plugins.json", "{}");
    let shown = env
        .run(&["show", "tool:init", "--config", "repertoire.toml"])
        .stdout;
    assert!(shown.contains("Tool, 1.10."), "{shown}");
}

#[test]
fn configuration_selects_plugins() {
    let env = env();
    let with = |more: &str| {
        env.file(
            "repertoire.toml",
            CONFIG.replace("path =", &format!("{more}\npath =")),
        )
    };
    with("only = [\"kit\", \"gone\"]");
    assert!(!list(&env).contains("tool:init"));
    let said = env.run(&["check", "--config", "repertoire.toml"]).stdout;
    assert!(
        said.contains("warning[client-plugin]: no plugin `gone` is there"),
        "{said}"
    );

    with("namespaced = false\ntier = \"user\"\ntrust = \"pending\"\nonly = [\"kit\"]");
    let listed = list(&env);
    assert!(
        listed.contains("pack      kit     user  pending"),
        "{listed}"
    );

    with("tier = \"builtin\"");
    let failure = env.run(&["list", "--config", "repertoire.toml"]).failure();
    let expected = "error: a source of the kind `client-plugins` loads content of other people, and cannot be builtin";
    assert!(failure.starts_with(expected), "{failure}");
    with("layout = \"any\"");
    let failure = env.run(&["list", "--config", "repertoire.toml"]).failure();
    let expected =
        "error: unknown field `layout`, expected one of `path`, `only`, `limits`, `watch`";
    assert!(failure.starts_with(expected), "{failure}");
}

#[test]
fn plugin_names_in_use_get_numbers() {
    let env = env();
    for (place, name) in [("a", "mine"), ("b", "registered"), ("c", "claude")] {
        env.file(
            &format!("{CACHE}/other/{place}/1.0/.claude-plugin/plugin.json"),
            format!(r#"{{"name": "{name}"}}"#),
        );
        env.skill(
            &format!("{CACHE}/other/{place}/1.0/skills"),
            "trap",
            "Pretends.",
        );
    }
    let listed = list(&env);
    for expected in ["mine-2:trap ", "registered-2:trap ", "claude-2:trap "] {
        assert!(listed.contains(expected), "{expected} in {listed}");
    }
    assert!(listed.contains("\ninit               mine "), "{listed}");
}

#[test]
fn one_line_is_enough() {
    let env = env();
    let source = "client-plugins:claude:path = \"~/.claude/plugins/cache\", only = [\"tool\"]";
    let ran = env.run(&["list", "--no-defaults", "--source", source]);
    assert_data_eq!(
        ran.stdout,
        str![[r#"
name       source  tier    trust       surface    tokens  flags
tool:init  tool    plugin  restricted  tool-only       9

"#]]
    );
    assert!(
        env.run(&["kinds"])
            .data()
            .contains("client-plugins  folders of plugins that a client installed\n")
    );
}

#[test]
fn plugin_skills_know_their_folder() {
    let env = env();
    let body = "---\nname: run\ndescription: Runs.\n---\nRun ${CLAUDE_PLUGIN_ROOT}/bin/it.\n";
    env.file(
        &format!("{CACHE}/acme/kit/1.10.0/skills/run/SKILL.md"),
        body,
    )
    .file("mine/walk/SKILL.md", body.replace("run", "walk"));
    let render = |arguments: &[&str]| {
        env.run(&[&["render", "--config", "repertoire.toml"], arguments].concat())
            .data()
    };
    let root = "[WORLD]/here/../home/.claude/plugins/cache/acme/kit/1.10.0";
    let plain = |text: &str| text.replace("/here/../", "/");
    assert_eq!(
        plain(&render(&["kit:run"])),
        plain(&format!("Run {root}/bin/it.\n"))
    );
    assert_eq!(render(&["walk"]), "Run ${CLAUDE_PLUGIN_ROOT}/bin/it.\n");
    assert_eq!(
        render(&["kit:run", "--var", "CLAUDE_PLUGIN_ROOT=/elsewhere"]),
        "Run /elsewhere/bin/it.\n"
    );

    env.file(
        "play.yaml",
        "turns:\n  - calls:\n      - {tool: read_skill, arguments: {id: \"kit:run\"}}\n",
    );
    let played = env.run(&[
        "simulate",
        "--config",
        "repertoire.toml",
        "--script",
        "play.yaml",
        "--model",
        "anthropic/claude-sonnet-4",
    ]);
    assert!(
        plain(&played.stdout).contains(&plain(&format!("Run {root}/bin/it."))),
        "{played:?}"
    );
}
