//! Where skills are looked for when nobody names a folder.

use std::collections::HashSet;
use std::path::Path;

use repertoire_source_fs::{Client, Discovery, FsSource, Root, Scope, discover};

use crate::tree::{Tree, ids, list};

fn found(tree: &Tree, cwd: &str, home: Option<&str>, clients: &[Client]) -> Vec<Root> {
    let home = home.map(|home| tree.path(home));
    discover(&Discovery { cwd: &tree.path(cwd), home: home.as_deref(), clients })
}

fn names(roots: &[Root]) -> Vec<&str> {
    roots.iter().map(|root| root.name.as_str()).collect()
}

#[tokio::test]
async fn the_project_reaches_from_the_working_folder_to_the_root_of_the_repository() {
    let tree = Tree::of(&[".agents/skills/above", "repo/.agents/skills/rootwide", "repo/pkg/app/.agents/skills/both"]);
    tree.folder("repo/.git");
    let roots = found(&tree, "repo/pkg/app", None, &[]);
    assert_eq!(names(&roots), ["project", "project-2", "project-3"]);
    let paths = ["repo/pkg/app", "repo/pkg", "repo"].map(|folder| tree.path(folder).join(".agents/skills"));
    assert_eq!(roots.iter().map(|root| root.path.clone()).collect::<Vec<_>>(), paths);
    assert!(roots.iter().all(|root| root.scope == Scope::Project && root.client == "agents"));
    let mut loaded = Vec::new();
    for Root { name, path, .. } in roots {
        loaded.extend(ids(&list(&FsSource::new(name, path)).await).into_iter().map(str::to_owned));
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
    assert_eq!(names(&found(&tree, "a/b", None, &[])), ["project", "project-2"]);
}

#[test]
fn clients_come_behind_the_shared_folder_and_home_comes_last() {
    let tree = Tree::new();
    tree.folder("repo/.git");
    tree.folder("repo/sub");
    let clients = ["claude", "codex", "opencode"].map(|name| Client::named(name).unwrap());
    let roots = found(&tree, "repo/sub", Some("home"), &clients);
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
    assert_eq!(roots[10].scope, Scope::Home);
}

#[test]
fn a_home_that_is_the_project_is_looked_at_once() {
    let tree = Tree::of(&["home/.agents/skills/steady"]);
    let roots = found(&tree, "home", Some("home"), &[]);
    assert_eq!((names(&roots), roots[0].scope), (vec!["project"], Scope::Project));
    let missing = found(&tree, "nowhere", Some("nowhere"), &[]);
    assert_eq!(names(&missing), ["project"], "also while it does not exist");
}

#[cfg(unix)]
#[test]
fn two_paths_to_one_folder_are_one_root() {
    let tree = Tree::of(&[".agents/skills/shared"]);
    tree.link("../.agents/skills", ".claude/skills");
    let roots = found(&tree, "", None, &[Client::named("claude").unwrap()]);
    assert_eq!(names(&roots), ["project"]);
}

#[test]
fn the_table_of_clients_is_in_order_and_its_folders_are_relative() {
    let names: Vec<_> = Client::ALL.iter().map(|client| client.name).collect();
    assert!(names.is_sorted(), "{names:?}");
    assert_eq!(names.iter().collect::<HashSet<_>>().len(), names.len());
    for client in Client::ALL {
        let folders = client.project.iter().chain(client.home);
        assert!(folders.into_iter().all(|folder| Path::new(folder).is_relative()), "{client:?}");
        assert!(client.name.bytes().all(|byte| byte.is_ascii_lowercase()), "{client:?}");
    }
}
