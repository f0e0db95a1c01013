//! The folders that are skills.

use std::fs;

use repertoire_core::Code;

use crate::tree::{Tree, body, ids, list, loads, read, resources, text};

#[tokio::test]
async fn nested_skills_are_listed_in_path_order() {
    let tree = Tree::of(&["root/b", "root/a-b", "root/a/x"]);
    tree.write("root/c/readme.md", "Not a skill.");
    let listing = list(&tree.source("root")).await;
    // By bytes of the path: `-` comes before `/`.
    assert_eq!(ids(&listing), ["a-b", "x", "b"]);
    assert_eq!(tree.diagnostics(&listing), []);
}

#[tokio::test]
async fn dependencies_and_build_outputs_are_not_searched() {
    let stray = [
        "root/node_modules/p/s",
        "root/.git/s",
        "root/dist/s",
        "root/x/target/s",
        "root/x/.venv/s",
    ];
    let tree = Tree::of(&stray);
    tree.skill("root/steady");
    assert_eq!(loads(&tree, "root").await, ["steady"]);
}

#[tokio::test]
async fn a_skill_may_be_called_build() {
    let tree = Tree::of(&["root/build", "root/target/nested"]);
    assert_eq!(loads(&tree, "root").await, ["build"]);
}

#[tokio::test]
async fn a_root_may_be_inside_a_hidden_folder() {
    let tree = Tree::of(&["node_modules/kit/.agents/skills/one"]);
    assert_eq!(
        loads(&tree, "node_modules/kit/.agents/skills").await,
        ["one"]
    );
}

#[cfg(unix)]
#[tokio::test]
async fn only_the_literal_part_is_visited() {
    let tree = Tree::of(&["workflows/a", "huge/b"]);
    // A visit would report this.
    tree.link("/nonexistent", "huge/dangling");
    tree.link("/nonexistent", "dangling");
    let source = tree.with(r#"{ "patterns": ["workflows/**/SKILL.md"] }"#);
    let listing = list(&source).await;
    assert_eq!(ids(&listing), ["a"]);
    assert_eq!(tree.diagnostics(&listing), []);
    assert_eq!(
        source.folders().await.unwrap(),
        [tree.path("workflows"), tree.path("workflows/a")]
    );
}

#[tokio::test]
async fn a_missing_start_is_an_empty_listing() {
    let tree = Tree::new();
    let source = tree.with(r#"{ "patterns": ["skills/**/SKILL.md"] }"#);
    let listing = list(&source).await;
    assert!(listing.is_empty());
    assert_eq!(tree.diagnostics(&listing), []);
    let roots = source.roots().await.unwrap();
    assert_eq!(
        (
            roots.len(),
            &roots[0].path,
            roots[0].exists,
            roots[0].skills
        ),
        (1, &tree.path("skills"), false, 0)
    );
}

#[tokio::test]
async fn a_root_that_is_a_file_is_reported() {
    let tree = Tree::new();
    tree.write("root", "text");
    let listing = list(&tree.source("root")).await;
    assert_eq!(
        tree.complaints(&listing),
        [("root".to_owned(), Code::UNREADABLE)]
    );
}

#[tokio::test]
async fn a_spelled_hidden_folder_is_found() {
    let tree = Tree::of(&[
        ".claude/skills/one",
        "skills/.hidden",
        "skills/two",
        "deep/.claude/skills/three",
    ]);
    let check = async |patterns: &str, expected: &[&str]| {
        let listing = list(&tree.with(&format!(r#"{{ "patterns": {patterns} }}"#))).await;
        assert_eq!(ids(&listing), expected, "{patterns}");
    };
    check(r#"[".claude/skills/**/SKILL.md"]"#, &["one"]).await;
    check(r#"["skills/**/SKILL.md"]"#, &["two"]).await;
    check(r#"["**/.claude/skills/*/SKILL.md"]"#, &["one", "three"]).await;
    check(r#"["**/SKILL.md", ".claude/**/SKILL.md"]"#, &["one", "two"]).await;
    check(r#"["{.claude/skills,skills}/*/SKILL.md"]"#, &["one", "two"]).await;
}

#[tokio::test]
async fn roots_retain_their_order_and_overlap_once() {
    let tree = Tree::of(&["b/one", "a/two", "a/inner/three"]);
    let listing = list(&tree.with(r#"{ "roots": ["b", "a", "a/inner", "./b"] }"#)).await;
    assert_eq!(ids(&listing), ["one", "two", "three"]);
    assert_eq!(tree.complaints(&listing), []);
}

#[tokio::test]
async fn a_folder_without_a_skill_is_a_category() {
    let tree = Tree::of(&["root/flat", "root/writing/poem", "root/writing/essay"]);
    assert_eq!(loads(&tree, "root").await, ["flat", "essay", "poem"]);
}

#[tokio::test]
async fn nothing_below_a_broken_skill_is_one() {
    let tree = Tree::of(&[
        "root/writer",
        "root/writer/templates/basic",
        "root/broken/examples/x",
    ]);
    tree.write(
        "root/writer/references/SKILL.md",
        text("reference", "A reference.", ""),
    );
    tree.write("root/broken/SKILL.md", "no front matter");
    let listing = list(&tree.source("root")).await;
    assert_eq!(ids(&listing), ["writer"]);
    assert_eq!(
        tree.complaints(&listing),
        [("root/broken/SKILL.md".to_owned(), Code::NO_FRONT_MATTER)]
    );
}

#[tokio::test]
async fn nothing_below_a_rejected_skill_is_one() {
    let tree = Tree::of(&["root/writer", "root/writer/templates/basic", "root/other"]);
    let source =
        tree.with(r#"{ "roots": ["root"], "patterns": ["**/SKILL.md", "!writer/SKILL.md"] }"#);
    assert_eq!(ids(&list(&source).await), ["other"]);
}

#[tokio::test]
async fn the_root_itself_may_be_a_skill() {
    let tree = Tree::of(&["root", "root/one", "root/skills/two"]);
    tree.write("root/notes/all.md", "For all.");
    let source = tree.source("root");
    assert_eq!(ids(&list(&source).await), ["root", "one", "two"]);
    assert_eq!(
        resources(&source, "root").await,
        ["notes/all.md"],
        "the others keep their own files"
    );
}

#[tokio::test]
async fn a_misspelled_file_name_is_a_warning() {
    let tree = Tree::of(&["root/steady"]);
    tree.write(
        "root/quiet/skill.md",
        text("quiet", "Small letters.", "Hush.\n"),
    );
    tree.write(
        "root/quiet/templates/t/SKILL.md",
        text("t", "A template.", ""),
    );
    let source = tree.source("root");
    let listing = list(&source).await;
    assert_eq!(ids(&listing), ["quiet", "steady"]);
    assert_eq!(
        tree.complaints(&listing),
        [("root/quiet/skill.md".to_owned(), Code::MISSPELLED_FILE)]
    );
    assert!(listing.diagnostics()[0].message.contains("SKILL.md"));
    assert_eq!(body(&source, "quiet").await.as_deref(), Ok("Hush.\n"));
    assert_eq!(resources(&source, "quiet").await, ["templates/t/SKILL.md"]);
    assert_eq!(list(&source).await, listing);
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn of_two_spellings_the_exact_one_counts() {
    let tree = Tree::new();
    tree.write("root/twice/SKILL.md", text("twice", "The exact one.", ""));
    tree.write("root/twice/skill.md", text("twice", "The other one.", ""));
    tree.write("root/never/Skill.md", text("never", "First in order.", ""));
    tree.write("root/never/skill.md", text("never", "Second in order.", ""));
    let source = tree.source("root");
    let listing = list(&source).await;
    let descriptions: Vec<_> = listing
        .iter()
        .map(|row| row.item.description.as_ref())
        .collect();
    assert_eq!(descriptions, ["First in order.", "The exact one."]);
    let expected = [
        ("root/never/Skill.md", Code::MISSPELLED_FILE),
        ("root/never/skill.md", Code::OTHER_SPELLING),
        ("root/twice/skill.md", Code::OTHER_SPELLING),
    ];
    assert_eq!(
        tree.diagnostics(&listing),
        expected.map(|(path, code)| (path.to_owned(), code))
    );
    assert_eq!(
        list(&source).await,
        listing,
        "the second listing says the same"
    );
}

#[tokio::test]
async fn ignore_files_are_not_read() {
    let tree = Tree::of(&["root/self-hidden"]);
    tree.write("root/self-hidden/.gitignore", "*\n");
    tree.write("root/.ignore", "*\n");
    let listing = list(&tree.source("root")).await;
    assert_eq!(ids(&listing), ["self-hidden"]);
    assert_eq!(tree.diagnostics(&listing), []);
}

#[tokio::test]
async fn blanks_in_paths_are_letters() {
    let tree = Tree::new();
    tree.write("My Skills/tidy up/SKILL.md", text("tidy-up", "Tidies.", ""));
    tree.write("My Skills/tidy up/scripts/run me.sh", "echo");
    let source = tree.source("My Skills");
    assert_eq!(resources(&source, "tidy-up").await, ["scripts/run me.sh"]);
    assert_eq!(
        read(&source, "tidy-up", "scripts/run me.sh").await,
        Ok(b"echo".to_vec())
    );
}

#[tokio::test]
async fn the_first_of_two_equal_names_counts() {
    let tree = Tree::new();
    tree.write("root/a-first/SKILL.md", text("deploy", "First.", "A\n"));
    tree.write("root/b-second/SKILL.md", text("deploy", "Second.", "B\n"));
    let source = tree.source("root");
    let listing = list(&source).await;
    assert_eq!(body(&source, "deploy").await.as_deref(), Ok("A\n"));
    let duplicate = listing
        .diagnostics()
        .iter()
        .find(|found| found.code == Code::DUPLICATE_ID)
        .unwrap();
    let path = |path: &str| Some(tree.path(path).to_string_lossy().into());
    assert_eq!(duplicate.path, path("root/b-second/SKILL.md"));
    assert_eq!(duplicate.other, path("root/a-first/SKILL.md"));
    fs::remove_dir_all(tree.path("root/a-first")).unwrap();
    list(&source).await;
    assert_eq!(
        body(&source, "deploy").await.as_deref(),
        Ok("B\n"),
        "the second steps forward"
    );
}

#[tokio::test]
async fn limits_are_reported_with_their_names() {
    let tree = Tree::of(&["root/a/b/deep", "root/c/shallow"]);
    let check = async |limits: &str, expected: &[&str], named: &str| {
        let source = tree.with(&format!(r#"{{ "roots": ["root"], "limits": {limits} }}"#));
        let listing = list(&source).await;
        assert_eq!(ids(&listing), expected, "{limits}");
        let reported: Vec<_> = listing
            .diagnostics()
            .iter()
            .filter(|found| found.code == Code::WALK_TRUNCATED)
            .collect();
        assert_eq!(reported.len(), 1, "{reported:?}");
        assert!(
            reported[0].help.as_deref().unwrap().contains(named),
            "{reported:?}"
        );
        assert_eq!(list(&source).await, listing);
    };
    check(r#"{ "depth": 2 }"#, &["shallow"], "limits.depth").await;
    check(r#"{ "folders": 5 }"#, &["shallow"], "limits.folders").await;
    check(r#"{ "entries": 1 }"#, &[], "limits.entries").await;
}

#[tokio::test]
async fn the_location_is_the_path_of_the_file() {
    let tree = Tree::of(&["root/one"]);
    let listing = list(&tree.with(r#"{ "roots": ["./root/"] }"#)).await;
    let locations: Vec<_> = listing
        .iter()
        .map(|row| row.item.location.as_deref().unwrap().to_owned())
        .collect();
    assert_eq!(
        locations,
        [tree.path("root/one/SKILL.md").to_str().unwrap()]
    );
}

#[tokio::test]
async fn a_large_flat_folder_is_listed_in_order() {
    // More than the 2,000 folders at which some clients stop.
    let tree = Tree::new();
    let mut names: Vec<String> = (0..2_100).map(|n| format!("s{n}")).collect();
    names
        .iter()
        .for_each(|name| drop(tree.skill(&format!("root/{name}"))));
    names.sort();
    let listing = list(&tree.source("root")).await;
    assert_eq!(ids(&listing), names);
    assert_eq!(tree.diagnostics(&listing), []);
}
