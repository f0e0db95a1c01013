//! The golden scenarios: one tree, and for each agent every file with its result.
//!
//! The files `golden/*.txt` hold the expected lines: name, path, result. `H` is the home folder and `R` the repository in it.

use std::fs;

use repertoire_profiles::AgentProfiles;

use crate::tree::Tree;

#[test]
fn each_agent_sees_its_list_of_one_tree() {
    let tree = Tree::golden();
    let mut wrong = Vec::new();
    for profile in AgentProfiles::built_in().iter() {
        let name = profile.name();
        let file = format!("{}/tests/it/golden/{name}.txt", env!("CARGO_MANIFEST_DIR"));
        let lines = tree.lines(name).join("\n") + "\n";
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            fs::write(&file, &lines).unwrap();
        }
        let expected = fs::read_to_string(&file).unwrap();
        if lines != expected.replace("\r\n", "\n") {
            wrong.push(format!("{name}:\n{lines}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[track_caller]
fn check(tree: &Tree, agent: &str, name: &str, expected: &[&str]) {
    let mut lines = tree.seen(agent);
    lines.retain(|line| line.split([' ', '|', ':']).any(|part| part == name));
    assert_eq!(lines, expected, "{name} in {agent}");
}

#[test]
fn without_a_personal_skill_the_project_wins() {
    let tree = Tree::golden();
    tree.remove("H/.claude/skills/deploy");
    check(
        &tree,
        "claude-code",
        "deploy",
        &["deploy R/.claude/skills/deploy full"],
    );
}

#[test]
fn ancestors_up_to_the_repository_are_read() {
    let mut tree = Tree::golden();
    tree.place.folder = tree.path("R/pkg");
    check(
        &tree,
        "claude-code",
        "folder-a",
        &["folder-a R/.claude/skills/folder-a full"],
    );
    check(
        &tree,
        "gemini-cli",
        "deploy",
        &["deploy H/.agents/skills/deploy full"],
    );
    tree.place.folder = tree.path("R/pkg/sub");
    check(
        &tree,
        "codex",
        "inner",
        &["inner R/pkg/sub/.agents/skills/inner full"],
    );
    check(
        &tree,
        "opencode-2",
        "inner",
        &["inner R/pkg/sub/.agents/skills/inner full"],
    );
    let deploy = "deploy R/pkg/sub/.claude/skills/deploy not: shadowed H/.claude/skills/deploy";
    assert!(tree.lines("claude-code").contains(&deploy.to_owned()));
}

#[test]
fn nested_project_folders_have_no_known_order() {
    let mut tree = Tree::new();
    tree.skill("R/.claude/skills/deploy");
    tree.skill("R/pkg/.claude/skills/deploy");
    tree.place.folder = tree.path("R/pkg");
    let expected = [
        "deploy R/pkg/.claude/skills/deploy one of [full; not: shadowed R/.claude/skills/deploy]",
        "deploy R/.claude/skills/deploy one of [full; not: shadowed R/pkg/.claude/skills/deploy]",
    ];
    check(&tree, "claude-code", "deploy", &expected);
}

#[test]
fn variables_move_and_switch_off_folders() {
    let mut tree = Tree::golden();
    for (name, value) in [
        ("CLAUDE_CONFIG_DIR", "X"),
        ("CODEX_HOME", "X"),
        ("COPILOT_HOME", "X"),
        ("GEMINI_CLI_HOME", "X"),
        ("OPENCODE_DISABLE_CLAUDE_CODE_SKILLS", "1"),
    ] {
        let value = match value {
            "X" => tree.path("X").to_string_lossy().into_owned(),
            value => value.to_owned(),
        };
        tree.place.environment.insert(name.to_owned(), value);
    }
    check(&tree, "claude-code", "lint", &[]);
    check(&tree, "codex", "lint", &["lint H/.agents/skills/lint full"]);
    check(&tree, "copilot-cli", "lint", &[]);
    check(&tree, "gemini-cli", "lint", &[]);
    check(
        &tree,
        "opencode",
        "lint",
        &["lint H/.agents/skills/lint full"],
    );
    check(&tree, "opencode-2", "deep", &[]);
}

#[test]
fn an_untrusted_project_is_not_read_by_gemini() {
    let mut tree = Tree::golden();
    tree.place.is_trusted = false;
    check(
        &tree,
        "gemini-cli",
        "deploy",
        &["deploy H/.agents/skills/deploy full"],
    );
    check(
        &tree,
        "codex",
        "audit",
        &["audit R/.agents/skills/team/audit full"],
    );
}

#[test]
fn the_home_folder_is_personal() {
    let mut tree = Tree::golden();
    tree.place.folder = tree.place.home.clone();
    let view = tree.view("codex");
    let scopes: Vec<_> = view.loaded().map(|skill| skill.scope).collect();
    assert_eq!(scopes, [repertoire_profiles::RootScope::Personal; 2]);
}

#[test]
fn one_real_file_is_listed_once_by_codex() {
    let tree = Tree::golden();
    tree.link("H/.codex/skills/lint", "H/.agents/skills/lint");
    check(&tree, "codex", "lint", &["lint H/.codex/skills/lint full"]);
}

#[test]
fn repository_manifests_prefix_names_in_codex() {
    let tree = Tree::golden();
    tree.file("R/.codex-plugin/plugin.json", r#"{"name": "acme"}"#);
    check(
        &tree,
        "codex",
        "acme",
        &[
            "acme:audit R/.agents/skills/team/audit full",
            "acme:deploy R/.agents/skills/deploy full",
        ],
    );
}

#[test]
fn third_party_folders_go_with_their_switch() {
    let mut tree = Tree::golden();
    tree.place
        .toggles
        .insert("cursor.third-party".to_owned(), false);
    check(&tree, "cursor", "fmt", &[]);
    check(
        &tree,
        "cursor",
        "deploy",
        &[
            "deploy R/.agents/skills/deploy one of [full; not: shadowed H/.agents/skills/deploy]",
            "deploy H/.agents/skills/deploy one of [full; not: shadowed R/.agents/skills/deploy]",
        ],
    );
}
