//! The folders that are searched by default.

use std::path::Path;

use repertoire_core::Code;
use repertoire_source_fs::{AgentFolders, Root, discover};

use crate::tree::{Tree, ids, list};

fn found(tree: &Tree, cwd: &str, home: Option<&str>, further: &[&str]) -> Vec<Root> {
    let home = home.map(|home| tree.path(home));
    let further = folders(further);
    discover(&tree.path(cwd), home.as_deref(), &further)
}

fn folders(paths: &[&str]) -> AgentFolders {
    let paths: Vec<_> = paths.iter().map(Into::into).collect();
    AgentFolders {
        project: paths.clone(),
        home: paths,
    }
}

fn names(roots: &[Root]) -> Vec<&str> {
    roots.iter().map(|root| root.name.as_str()).collect()
}

#[tokio::test]
async fn the_project_reaches_up_to_its_repository_root() {
    let tree = Tree::of(&[
        ".agents/skills/above",
        "repo/.agents/skills/rootwide",
        "repo/pkg/app/.agents/skills/both",
    ]);
    tree.folder("repo/.git");
    let roots = found(&tree, "repo/pkg/app", None, &[]);
    assert_eq!(names(&roots), ["project", "project-2", "project-3"]);
    let paths =
        ["repo/pkg/app", "repo/pkg", "repo"].map(|folder| tree.path(folder).join(".agents/skills"));
    assert_eq!(
        roots
            .iter()
            .map(|root| root.path.clone())
            .collect::<Vec<_>>(),
        paths
    );
    assert!(roots.iter().all(|root| root.project.is_some()));
    let mut loaded = Vec::new();
    for root in roots {
        loaded.extend(
            ids(&list(&root.source()).await)
                .into_iter()
                .map(str::to_owned),
        );
    }
    assert_eq!(loaded, ["both", "rootwide"]);
}

#[test]
fn without_a_repository_only_the_working_folder_counts() {
    let tree = Tree::new();
    tree.folder("a/b");
    assert_eq!(names(&found(&tree, "a/b", None, &[])), ["project"]);
    // In a worktree `.git` is a file.
    tree.write("a/.git", "gitdir: elsewhere");
    assert_eq!(
        names(&found(&tree, "a/b", None, &[])),
        ["project", "project-2"]
    );
}

#[test]
fn shared_folders_come_first_and_home_last() {
    let tree = Tree::new();
    tree.folder("repo/.git");
    tree.folder("repo/sub");
    let paths = |paths: &[&str]| paths.iter().map(Into::into).collect();
    let further = AgentFolders {
        project: paths(&[".claude/skills", ".opencode/skills", ".opencode/skill"]),
        home: paths(&[
            ".claude/skills",
            ".codex/skills",
            ".config/opencode/skills",
            ".config/opencode/skill",
        ]),
    };
    let home = tree.path("home");
    let roots = discover(&tree.path("repo/sub"), Some(&home), &further);
    let expected = [
        "project",
        "project-claude",
        "project-opencode",
        "project-opencode-2",
        "project-2",
        "project-claude-2",
        "project-opencode-3",
        "project-opencode-4",
        "home",
        "home-claude",
        "home-codex",
        "home-opencode",
        "home-opencode-2",
    ];
    assert_eq!(names(&roots), expected);
    assert_eq!(roots[10].path, tree.path("home/.codex/skills"));
    assert_eq!(roots[10].project, None);
}

#[test]
fn the_home_folder_is_never_a_project() {
    let tree = Tree::of(&["home/.agents/skills/steady"]);
    tree.folder("home/.git");
    tree.folder("home/notes/today");
    let roots = found(&tree, "home", Some("home"), &[]);
    assert_eq!((names(&roots), &roots[0].project), (vec!["home"], &None));
    // A repository of settings does not make all that the user has one project.
    let roots = found(&tree, "home/notes/today", Some("home"), &[]);
    assert_eq!(names(&roots), ["project", "home"]);
    assert_eq!(roots[0].path, tree.path("home/notes/today/.agents/skills"));
    let missing = found(&tree, "nowhere", Some("nowhere"), &[]);
    assert_eq!(names(&missing), ["home"], "also while it does not exist");
    let top = discover(Path::new("/"), Some(&tree.path("home")), &folders(&[]));
    assert_eq!(names(&top), ["home"]);
}

#[cfg(unix)]
#[test]
fn the_home_folder_is_compared_by_real_path() {
    let tree = Tree::of(&["home/.agents/skills/steady"]);
    tree.link("home", "alias");
    assert_eq!(names(&found(&tree, "alias", Some("home"), &[])), ["home"]);
    assert_eq!(names(&found(&tree, "home", Some("alias"), &[])), ["home"]);
}

#[cfg(unix)]
#[tokio::test]
async fn project_links_hide_no_user_root() {
    for (target, path) in [
        ("../../../.agents/skills", ".agents/skills"),
        ("../../.agents", ".agents"),
    ] {
        let tree = Tree::of(&["home/.agents/skills/mine"]);
        tree.folder("home/src/clone/.git");
        tree.link(target, &format!("home/src/clone/{path}"));
        let roots = found(&tree, "home/src/clone", Some("home"), &[]);
        assert_eq!(names(&roots), ["home"]);
        assert_eq!(ids(&list(&roots[0].source()).await), ["mine"]);
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_root_outside_its_repository_is_not_searched() {
    let tree = Tree::of(&["elsewhere/stray", "repo/shared/near"]);
    tree.folder("repo/.git");
    tree.link("../../elsewhere", "repo/.agents/skills");
    tree.link("../shared", "repo/.claude/skills");
    let roots = found(&tree, "repo", None, &[".claude/skills"]);
    assert_eq!(names(&roots), ["project", "project-claude"]);
    let listing = list(&roots[0].source()).await;
    assert_eq!(ids(&listing), [""; 0]);
    assert_eq!(
        tree.complaints(&listing),
        [("repo/.agents/skills".to_owned(), Code::LINK_LEADS_OUT)]
    );
    let listing = list(&roots[1].source()).await;
    assert_eq!(
        (ids(&listing), tree.complaints(&listing)),
        (vec!["near"], vec![])
    );
}

/// Gives paths to another user, or prints why the test cannot.
#[cfg(unix)]
fn give(tree: &Tree, paths: &[&str]) -> bool {
    let nobody = Some(65534);
    let given = paths
        .iter()
        .try_for_each(|path| std::os::unix::fs::lchown(tree.path(path), nobody, nobody));
    if let Err(error) = &given {
        eprintln!("SKIPPED: only root can give files to another user: {error}");
    }
    given.is_ok()
}

#[cfg(unix)]
#[test]
fn the_search_stops_at_another_users_folder() {
    use std::os::unix::fs::PermissionsExt;

    let tree = Tree::of(&[
        "shared/.agents/skills/theirs",
        "shared/mine/.agents/skills/own",
    ]);
    tree.folder("shared/.git");
    assert_eq!(
        names(&found(&tree, "shared/mine", None, &[])),
        ["project", "project-2"]
    );
    let mode = |mode| std::fs::Permissions::from_mode(mode);
    std::fs::set_permissions(tree.path("shared"), mode(0o1777)).unwrap();
    let roots = found(&tree, "shared/mine", None, &[]);
    assert_eq!(
        (names(&roots), roots[0].distrust.clone()),
        (vec!["project"], None)
    );
    // In that folder itself there is nothing to stop below: its root is named and never to be trusted.
    let roots = found(&tree, "shared", None, &[]);
    let why = format!(
        "`{}` can be written by every user",
        tree.path("shared").display()
    );
    assert_eq!(
        (names(&roots), roots[0].distrust.clone()),
        (vec!["project"], Some(why))
    );
    std::fs::set_permissions(tree.path("shared"), mode(0o755)).unwrap();
    if !give(&tree, &["shared"]) {
        return;
    }
    let roots = found(&tree, "shared/mine", None, &[]);
    assert_eq!(
        (names(&roots), roots[0].distrust.clone()),
        (vec!["project"], None)
    );
}

#[cfg(unix)]
#[test]
fn every_part_of_a_root_must_be_ours() {
    for given in [
        "repo/.git",
        "repo/.agents",
        "repo/.agents/skills",
        "repo/.claude/skills",
        "repo/kit",
        "repo/kit/skills",
    ] {
        let tree = Tree::of(&["repo/.agents/skills/own", "repo/kit/skills/linked"]);
        tree.folder("repo/.git");
        tree.link("../kit/skills", "repo/.claude/skills");
        if !give(&tree, &[given]) {
            return;
        }
        let roots = found(&tree, "repo", None, &[".claude/skills"]);
        let why = format!(
            "`{}` belongs to another user (65534)",
            tree.path(given).display()
        );
        let strangers: Vec<_> = roots
            .iter()
            .map(|root| root.distrust.as_deref() == Some(&*why))
            .collect();
        let expected = [
            given == "repo/.git" || given.contains(".agents"),
            !given.contains(".agents"),
        ];
        assert_eq!(strangers, expected, "{given}: {roots:?}");
    }
    let tree = Tree::of(&["home/.agents/skills/own"]);
    give(&tree, &["home/.agents/skills"]);
    let roots = found(&tree, "elsewhere", Some("home"), &[]);
    assert!(roots[1].distrust.is_some(), "{roots:?}");
}

#[cfg(unix)]
#[tokio::test]
async fn skills_that_others_can_change_are_omitted() {
    use std::os::unix::fs::PermissionsExt;

    let tree = Tree::of(&[
        "root/file",
        "root/folder",
        "root/given",
        "root/group/inner",
        "root/own",
    ]);
    let source = tree.source("root");
    assert_eq!(
        ids(&list(&source).await),
        ["file", "folder", "given", "inner", "own"]
    );
    let change = |path: &str, mode| {
        std::fs::set_permissions(tree.path(path), std::fs::Permissions::from_mode(mode)).unwrap()
    };
    change("root/file/SKILL.md", 0o666);
    change("root/folder", 0o777);
    change("root/group", 0o777);
    let is_given = give(&tree, &["root/given/SKILL.md"]);
    let mut left_out = vec![
        "root/file/SKILL.md",
        "root/folder/SKILL.md",
        "root/given/SKILL.md",
        "root/group",
    ];
    let mut left = vec!["own"];
    if !is_given {
        left_out.remove(2);
        left.insert(0, "given");
    }
    let listing = list(&tree.source("root")).await;
    let expected: Vec<_> = left_out
        .iter()
        .map(|path| ((*path).to_owned(), Code::FOREIGN_OWNER))
        .collect();
    assert_eq!((ids(&listing), tree.complaints(&listing)), (left, expected));
    // A file that was listed before does not keep its row, since its body would come from the changed file.
    assert!(!ids(&list(&source).await).contains(&"file"));
    // The owner of a root that others can change has made no promise about it.
    change("root", 0o777);
    assert_eq!(
        ids(&list(&tree.source("root")).await),
        ["file", "folder", "given", "inner", "own"]
    );
}

#[cfg(unix)]
#[test]
fn two_paths_to_one_folder_are_one_root() {
    let tree = Tree::of(&[".agents/skills/shared"]);
    tree.link("../.agents/skills", ".claude/skills");
    let roots = found(&tree, "", None, &[".claude/skills"]);
    assert_eq!(names(&roots), ["project"]);
}

#[test]
fn a_root_has_the_name_of_its_folder() {
    let tree = Tree::new();
    let paths = [
        ".claude/skills",
        "skills",
        ".config/goose/skills",
        ".pi/agent/skills",
        ".gemini/skills",
        ".gemini/antigravity/skills",
        ".opencode/skill",
        ".opencode/skills",
    ];
    let names: Vec<_> = found(&tree, "", None, &paths)
        .into_iter()
        .map(|root| root.name)
        .collect();
    let expected = [
        "project",
        "project-claude",
        "project-skills",
        "project-goose",
        "project-pi",
        "project-gemini",
        "project-antigravity",
        "project-opencode",
        "project-opencode-2",
    ];
    assert_eq!(names, expected);
}
