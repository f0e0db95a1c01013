use std::fs;

use repertoire_core::Source;
use tempfile::TempDir;

use super::*;
use crate::AgentFolders;

fn tree(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("a file lies in a folder"))
            .expect("a fresh folder");
        fs::write(path, text).expect("a fresh file");
    }
    folder
}

/// Name, version, and the folders of skills relative to the tree.
type Seen = (String, Option<String>, Vec<String>);

/// Each plugin, and how many diagnostics_source there are.
fn found(tree: &TempDir, folder: &str) -> (Vec<Seen>, usize) {
    let InstalledPlugins {
        plugins,
        diagnostics,
        ..
    } = InstalledPlugins::find(&tree.path().join(folder));
    let relative = |path: &PathBuf| shown(path.strip_prefix(tree.path()).expect("inside"));
    let plugin = |plugin: InstalledPlugin| {
        (
            plugin.name,
            plugin.version,
            plugin.skills.iter().map(relative).collect(),
        )
    };
    (plugins.into_iter().map(plugin).collect(), diagnostics.len())
}

fn plugin(name: &str, version: &str, skills: &[&str]) -> Seen {
    let version = (!version.is_empty()).then(|| version.to_owned());
    (
        name.to_owned(),
        version,
        skills.iter().map(|path| (*path).to_owned()).collect(),
    )
}

#[test]
fn versions_are_compared_as_versions() {
    let ordered = [
        "latest",
        "0.9",
        "1.0.0-alpha.2",
        "1.0.0-alpha.10",
        "1.0.0-beta",
        "1.0.0",
        "v1.9.0",
        "1.10.0",
    ];
    for (at, a) in ordered.iter().enumerate() {
        for (other, b) in ordered.iter().enumerate() {
            assert_eq!(
                PluginVersion::of(a).cmp(&PluginVersion::of(b)),
                at.cmp(&other),
                "{a} {b}"
            );
        }
    }
}

#[test]
fn one_version_of_each_plugin_counts() {
    let tree = tree(&[
        ("cache/tool/1.9.0/skills/init/SKILL.md", ""),
        ("cache/tool/1.10.0/skills/init/SKILL.md", ""),
        ("cache/market/kit/2.0.0/skills/a/SKILL.md", ""),
        ("cache/market/kit/2.0.0-rc.1/skills/a/SKILL.md", ""),
    ]);
    let kit = plugin("kit", "2.0.0", &["cache/market/kit/2.0.0/skills"]);
    let tool = |version: &str| plugin("tool", version, &[&format!("cache/tool/{version}/skills")]);
    assert_eq!(
        found(&tree, "cache"),
        (vec![kit.clone(), tool("1.10.0")], 0)
    );

    let record = r#"{"version": 1, "plugins": {"tool@market": {"version": "1.9.0"}}}"#;
    fs::write(tree.path().join("installed_plugins.json"), record).expect("a fresh file");
    assert_eq!(found(&tree, "cache"), (vec![kit.clone(), tool("1.9.0")], 0));

    let path = tree.path().join("cache/tool/1.9.0");
    let record =
        format!(r#"{{"version": 2, "plugins": {{"tool@market": [{{"installPath": {path:?}}}]}}}}"#);
    fs::write(tree.path().join("cache/installed_plugins.json"), record).expect("a fresh file");
    assert_eq!(found(&tree, "cache"), (vec![kit, tool("1.9.0")], 0));
}

#[test]
fn a_plugin_names_skill_folders_inside_itself() {
    let manifest =
        |skills: &str| format!(r#"{{"name": "named", "version": "3.1", "skills": {skills}}}"#);
    let tree = tree(&[
        (
            "plugins/a/.claude-plugin/plugin.json",
            &manifest(r#"["./more", "../b/skills", "/etc", "up"]"#),
        ),
        ("plugins/a/more/x/SKILL.md", ""),
        ("plugins/b/skills/x/SKILL.md", ""),
        ("plugins/c/.claude-plugin/plugin.json", "{"),
        ("plugins/notes.txt", ""),
    ]);
    #[cfg(unix)]
    std::os::unix::fs::symlink("../b", tree.path().join("plugins/a/up")).expect("a fresh link");
    let (plugins, diagnostics_source) = found(&tree, "plugins");
    let expected = [
        plugin("b", "", &["plugins/b/skills"]),
        plugin("c", "", &["plugins/c/skills"]),
        plugin("named", "3.1", &["plugins/a/more"]),
    ];
    assert_eq!(
        (plugins.as_slice(), diagnostics_source),
        (expected.as_slice(), 4)
    );
}

#[test]
fn a_marketplace_lists_its_plugins() {
    let marketplace = r#"{
        "name": "m",
        "metadata": {"pluginRoot": "./plugins"},
        "plugins": [
            {"name": "one", "source": "./one", "skills": ["./skills/a"]},
            {"name": "two", "source": "./two"},
            {"name": "away", "source": {"source": "github", "repo": "a/b"}},
            {"name": "out", "source": "../../elsewhere"},
            {"name": "a:b", "source": "./two"}
        ]
    }"#;
    let tree = tree(&[
        ("m/.claude-plugin/marketplace.json", marketplace),
        ("m/plugins/one/skills/a/SKILL.md", ""),
        ("m/plugins/two/skills/b/SKILL.md", ""),
        ("m/plugins/unlisted/skills/c/SKILL.md", ""),
    ]);
    let expected = vec![
        plugin("one", "", &["m/plugins/one/skills/a"]),
        plugin("two", "", &["m/plugins/two/skills"]),
    ];
    assert_eq!(found(&tree, "m"), (expected, 2));
}

/// The diagnostics about `place`, each as path, line, column and message.
fn diagnostics(place: &TempDir) -> Vec<String> {
    let InstalledPlugins { diagnostics, .. } = InstalledPlugins::find(place.path());
    let root = format!("{}/", place.path().display());
    let text =
        |found: &Diagnostic| format!("{} {}", found.place().unwrap_or_default(), found.message);
    diagnostics
        .iter()
        .map(|found| text(found).replace(&root, ""))
        .collect()
}

#[test]
fn broken_files_are_reported_with_their_place() {
    let tree = tree(&[
        (
            "comma/.claude-plugin/plugin.json",
            "{\n  \"name\": \"a\",\n}\n",
        ),
        (
            "kind/.codex-plugin/plugin.json",
            "{\n  \"name\": [\"hunter2\"]\n}\n",
        ),
        (
            "list/.claude-plugin/plugin.json",
            "{\"skills\": {\"hunter2\": 1}}",
        ),
        (
            "large/.claude-plugin/plugin.json",
            &" ".repeat((1 << 20) + 1),
        ),
    ]);
    let expected = [
        "comma/.claude-plugin/plugin.json:3:1 `plugin.json` is not used: trailing comma",
        "kind/.codex-plugin/plugin.json:2:10 `plugin.json` is not used: a field has a wrong type",
        "large/.claude-plugin/plugin.json `plugin.json` is not used: it is larger than 1048576 bytes",
        "list/.claude-plugin/plugin.json:1:26 `plugin.json` is not used: a field has a wrong type",
    ];
    assert_eq!(diagnostics(&tree), expected);
    let marketplace = "{\n\"plugins\": [{\"name\": 7, \"source\": \"./a\"}, \"hunter2\", {\"name\": \"away\", \"source\": {}}]}";
    let tree = self::tree(&[(".claude-plugin/marketplace.json", marketplace)]);
    let skipped = |number: usize| {
        format!(
            ".claude-plugin/marketplace.json plugin {number} of `marketplace.json` is skipped: expected strings `name` and \
             `source`"
        )
    };
    assert_eq!(diagnostics(&tree), [skipped(1), skipped(2)]);
    let tree = self::tree(&[(".claude-plugin/marketplace.json", "{\"plugins\": 1}")]);
    let expected = [
        ".claude-plugin/marketplace.json:1:13 `marketplace.json` is not used: a field has a wrong type",
    ];
    assert_eq!(diagnostics(&tree), expected);
}

#[cfg(unix)]
#[test]
fn links_out_of_a_plugin_are_not_read() {
    let tree = tree(&[
        ("secret.json", "{\"name\": \"stolen\"}"),
        ("p/one/skills/a/SKILL.md", ""),
    ]);
    let plugins = tree.path().join("p");
    let link = |target: &str, path: &str| {
        let path = plugins.join(path);
        fs::create_dir_all(path.parent().expect("a file lies in a folder"))
            .expect("a fresh folder");
        std::os::unix::fs::symlink(target, path).expect("a fresh link");
    };
    link("../../../secret.json", "one/.claude-plugin/plugin.json");
    link("../..", "two/.claude-plugin");
    link("/proc/self/environ", "three/.claude-plugin/plugin.json");
    link("../real.json", "four/.claude-plugin/plugin.json");
    fs::write(
        plugins.join("two/../../plugin.json"),
        "{\"name\": \"stolen\"}",
    )
    .expect("a fresh file");
    fs::write(plugins.join("four/real.json"), "{\"name\": \"inside\"}").expect("a fresh file");
    let found = InstalledPlugins::find(&plugins);
    let names: Vec<_> = found
        .plugins
        .iter()
        .map(|plugin| plugin.name.as_str())
        .collect();
    assert_eq!(names, ["inside", "one", "three", "two"]);
    let codes: Vec<_> = found.diagnostics.iter().map(|found| found.code).collect();
    assert_eq!(codes, [Code::LINK_LEADS_OUT; 3]);
}

#[cfg(unix)]
#[test]
fn a_layout_stays_inside_its_folder() {
    let tree = tree(&[
        ("outside/skills/a/SKILL.md", ""),
        ("repo/plugins/own/skills/b/SKILL.md", ""),
        ("repo/.cursor/skills/c/SKILL.md", ""),
        ("repo/kit/.claude-plugin/plugin.json", "{"),
    ]);
    let repo = tree.path().join("repo");
    fs::create_dir(repo.join(".claude")).expect("a fresh folder");
    std::os::unix::fs::symlink("../../outside/skills", repo.join(".claude/skills"))
        .expect("a fresh link");
    std::os::unix::fs::symlink("../../outside", repo.join("plugins/leak")).expect("a fresh link");
    let layout = InstalledPlugins::find_below(&repo, &AgentFolders::default());
    assert_eq!(layout.client_folders, [repo.join(".cursor/skills")]);
    let names: Vec<_> = layout
        .plugins
        .iter()
        .map(|plugin| plugin.name.as_str())
        .collect();
    assert_eq!(names, ["kit", "own"]);
    let about: Vec<_> = layout
        .diagnostics
        .iter()
        .map(|found| (found.place(), found.code))
        .collect();
    let place = |path: &str| Some(shown(&repo.join(path)));
    let expected = [
        (place(".claude/skills"), Code::LINK_LEADS_OUT),
        (
            place("kit/.claude-plugin/plugin.json:1:1"),
            Code::CLIENT_PLUGIN,
        ),
    ];
    assert_eq!(about, expected);
}

#[test]
fn duplicate_plugin_names_are_reported() {
    let tree = tree(&[
        ("c/a/tool/1.0/skills/x/SKILL.md", ""),
        ("c/b/tool/2.0/skills/x/SKILL.md", ""),
    ]);
    assert_eq!(
        found(&tree, "c"),
        (vec![plugin("tool", "1.0", &["c/a/tool/1.0/skills"])], 1)
    );
    assert_eq!(found(&tree, "none"), (Vec::new(), 0));
}

#[tokio::test]
async fn plugin_changes_after_composition_are_reported() {
    let tree = tree(&[
        ("c/tool/1.9.0/skills/x/SKILL.md", ""),
        ("c/kit/1.0/skills/x/SKILL.md", ""),
    ]);
    let options = InstalledPluginOptions::new("c");
    let diagnostics_source =
        options.diagnostics_source("client", tree.path(), options.find(tree.path()));
    let diagnostics = async || {
        let listing = diagnostics_source
            .list()
            .await
            .expect("the folder can be looked at");
        assert!(listing.is_empty(), "it has no skills");
        listing
            .diagnostics()
            .iter()
            .map(|diagnostic| diagnostic.message.clone())
            .collect::<Vec<_>>()
    };
    assert!(diagnostics().await.is_empty());
    fs::create_dir_all(tree.path().join("c/tool/1.10.0/skills")).expect("a fresh folder");
    assert!(
        diagnostics().await.is_empty(),
        "the source of the plugin follows"
    );
    fs::create_dir_all(tree.path().join("c/new/1.0/skills")).expect("a fresh folder");
    fs::remove_dir_all(tree.path().join("c/kit")).expect("it is there");
    let expected = [
        "plugin `new` came after the sources were composed",
        "plugin `kit` went after the sources were composed",
    ];
    assert_eq!(diagnostics().await, expected);
}
