//! Addresses and trees that a stranger chooses.

use std::fs;

use git2::ObjectType;
use repertoire_plugin_sdk::{Listing, Skill, Source, SourceErrorKind};
use serde_json::json;

use crate::remote::Remote;
use crate::tracking::{ids, with_one_skill};

#[tokio::test]
async fn an_address_starts_no_program() {
    let remote = with_one_skill();
    let touched = remote.folder.path().join("touched");
    let touch = format!("touch {}", touched.display());
    fs::write(
        remote.folder.path().join("go.sh"),
        format!("#!/bin/sh\n{touch}\n"),
    )
    .unwrap();
    for url in [
        format!("ext::sh -c '{touch}'"),
        "fd::7/x".to_owned(),
        format!("--upload-pack={touch}"),
        format!("-u{touch}"),
        format!("-oProxyCommand={touch}"),
        format!("ssh://-oProxyCommand={touch}/x"),
        format!("ssh://host/-oProxyCommand={touch}"),
        format!("git@-oProxyCommand={touch}:x"),
        format!("file://$({touch})"),
        format!("`{touch}`"),
        format!("|{touch}"),
        format!("{}; {touch}", remote.url()),
        format!("{}\n{touch}", remote.url()),
        "transport::address".to_owned(),
        String::new(),
    ] {
        let plugin = remote.plugin(&url, json!({ "cache": remote.folder.path().join("other") }));
        let error = plugin.list().await.unwrap_err();
        assert_eq!(error.kind(), SourceErrorKind::Unavailable, "{url}: {error}");
        assert!(!touched.exists(), "{url}");
    }
}

#[tokio::test]
async fn a_branch_or_folder_is_never_an_option() {
    let remote = with_one_skill();
    let touched = remote.folder.path().join("touched");
    let option = format!("--upload-pack=touch {}", touched.display());
    for options in [
        json!({ "branch": option, "cache": remote.folder.path().join("other") }),
        json!({ "folder": format!("../{option}") }),
        json!({ "folder": "skills/../../.." }),
    ] {
        let listed = remote.plugin(&remote.url(), options.clone()).list().await;
        assert!(
            listed.is_err() || listed.is_ok_and(|listing| listing.is_empty()),
            "{options}"
        );
        assert!(!touched.exists(), "{options}");
    }
}

/// Writes a tree as it is: names that Git refuses too.
fn raw_tree(repository: &git2::Repository, entries: &[(&str, git2::Oid, u32)]) -> git2::Oid {
    let mut bytes = Vec::new();
    for (name, id, mode) in entries {
        bytes.extend(format!("{mode:o} {name}\0").bytes());
        bytes.extend(id.as_bytes());
    }
    repository
        .odb()
        .unwrap()
        .write(ObjectType::Tree, &bytes)
        .unwrap()
}

#[tokio::test]
async fn a_tree_leads_nowhere_else() {
    let remote = with_one_skill();
    fs::write(remote.folder.path().join("secret.txt"), "secret").unwrap();
    commit_tree(&remote, |repository| {
        let text = repository
            .blob(b"---\nname: a\ndescription: One.\n---\nDo it.\n")
            .unwrap();
        let secret = repository.blob(b"secret").unwrap();
        let target = repository
            .blob(
                remote
                    .folder
                    .path()
                    .join("secret.txt")
                    .to_str()
                    .unwrap()
                    .as_bytes(),
            )
            .unwrap();
        let within = raw_tree(repository, &[("secret.txt", secret, FILE)]);
        let commit = repository.refname_to_id("refs/heads/main").unwrap();
        let skill = raw_tree(
            repository,
            &[
                (".", within, FOLDER),
                ("..", within, FOLDER),
                ("/etc", within, FOLDER),
                ("SKILL.md", text, FILE),
                ("a/b", secret, FILE),
                ("back\\slash", secret, FILE),
                ("link", target, LINK),
                ("module", commit, MODULE),
                ("near.txt", text, FILE),
                ("up", within, LINK),
            ],
        );
        let hooks = raw_tree(repository, &[("post-checkout", text, 0o100_755)]);
        raw_tree(
            repository,
            &[
                (".git", hooks, FOLDER),
                (".gitmodules", text, FILE),
                ("a", skill, FOLDER),
            ],
        )
    });
    let plugin = remote.plugin(&remote.url(), json!({}));
    assert_eq!(ids(&plugin.list().await.unwrap()), ["a"]);
    let a = "a".parse().unwrap();
    let files: Vec<_> = plugin
        .resources(&a)
        .await
        .unwrap()
        .into_iter()
        .map(|file| file.path.to_string())
        .collect();
    assert_eq!(files, ["a/b", "near.txt"]);
    for path in ["link", "module", "up/secret.txt", "link/secret.txt"] {
        let error = plugin
            .resource(&a, &path.parse().unwrap())
            .await
            .unwrap_err();
        assert_eq!(error.kind(), SourceErrorKind::NotFound, "{path}");
    }
    assert!(
        !remote
            .folder
            .path()
            .join("cache/hooks/post-checkout")
            .exists()
    );
}

const FILE: u32 = 0o100_644;
const FOLDER: u32 = 0o040_000;
const LINK: u32 = 0o120_000;
const MODULE: u32 = 0o160_000;

/// A commit whose tree is what `build` makes of the repository.
fn commit_tree(remote: &Remote, build: impl FnOnce(&git2::Repository) -> git2::Oid) {
    let repository = git2::Repository::open_bare(remote.path()).unwrap();
    let root = build(&repository);
    let tree = repository.find_tree(root).unwrap();
    let author = git2::Signature::new("A", "a@example.test", &git2::Time::new(0, 0)).unwrap();
    let parent = repository
        .refname_to_id("refs/heads/main")
        .and_then(|id| repository.find_commit(id))
        .unwrap();
    repository
        .commit(
            Some("refs/heads/main"),
            &author,
            &author,
            "Change.",
            &tree,
            &[&parent],
        )
        .unwrap();
}

const TREE: i32 = 0o040_000;
const BLOB: i32 = 0o100_644;

fn tree(repository: &git2::Repository, entries: &[(&str, git2::Oid, i32)]) -> git2::Oid {
    let mut builder = repository.treebuilder(None).unwrap();
    for (name, id, mode) in entries {
        builder.insert(name, *id, *mode).unwrap();
    }
    builder.write().unwrap()
}

fn messages(listing: &Listing<Skill>) -> Vec<&str> {
    listing
        .diagnostics()
        .iter()
        .map(|diagnostic| diagnostic.message.as_str())
        .collect()
}

#[tokio::test]
async fn folders_nested_without_end_take_nothing_down() {
    let remote = with_one_skill();
    commit_tree(&remote, |repository| {
        let text = repository
            .blob(b"---\nname: a\ndescription: One.\n---\nDo it.\n")
            .unwrap();
        let deep = repository.blob(b"deep").unwrap();
        let mut nested = tree(repository, &[("deep.txt", deep, BLOB)]);
        for _ in 0..20_000 {
            nested = tree(repository, &[("n", nested, TREE)]);
        }
        let skill = tree(
            repository,
            &[
                ("SKILL.md", text, BLOB),
                ("near.txt", deep, BLOB),
                ("n", nested, TREE),
            ],
        );
        tree(repository, &[("a", skill, TREE), ("n", nested, TREE)])
    });
    let plugin = remote.plugin(&remote.url(), json!({}));
    let listing = plugin.list().await.unwrap();
    assert_eq!(ids(&listing), ["a"]);
    let path = "n/".repeat(32) + "n";
    assert_eq!(
        messages(&listing),
        [format!(
            "`git-left-out`: `a`: `{path}` lies more than 32 folders deep"
        )]
    );
    let a = "a".parse().unwrap();
    let files = plugin.resources(&a).await.unwrap();
    assert_eq!(
        files
            .iter()
            .map(|file| file.path.as_str())
            .collect::<Vec<_>>(),
        ["near.txt"]
    );
    assert_eq!(plugin.body(&a).await.unwrap().text.as_ref(), "Do it.\n");
}

/// Ten trees stand for sixty to the power of nine folders.
#[tokio::test]
async fn trees_with_exponential_folders_are_limited() {
    let remote = with_one_skill();
    commit_tree(&remote, |repository| {
        let text = repository
            .blob(b"---\nname: a\ndescription: One.\n---\nDo it.\n")
            .unwrap();
        let mut many = tree(repository, &[("x.txt", text, BLOB)]);
        for _ in 0..9 {
            let names: Vec<_> = (0..60).map(|number| format!("d{number:02}")).collect();
            let entries: Vec<_> = names
                .iter()
                .map(|name| (name.as_str(), many, TREE))
                .collect();
            many = tree(repository, &entries);
        }
        let skill = tree(
            repository,
            &[("SKILL.md", text, BLOB), ("many", many, TREE)],
        );
        tree(repository, &[("a", skill, TREE), ("many", many, TREE)])
    });
    let plugin = remote.plugin(&remote.url(), json!({}));
    let listing = plugin.list().await.unwrap();
    assert_eq!(ids(&listing), ["a"]);
    assert_eq!(
        messages(&listing),
        [
            "`git-left-out`: `a`: more than 10000 files and 268435456 bytes: the rest were left out",
            "`git-left-out`: more than 20000 folders: the rest were left out"
        ]
    );
    assert_eq!(
        plugin.resources(&"a".parse().unwrap()).await.unwrap().len(),
        10_000
    );
}

/// One large object in many places.
#[tokio::test]
async fn files_over_the_limits_are_omitted() {
    let remote = with_one_skill();
    commit_tree(&remote, |repository| {
        let text = repository
            .blob(b"---\nname: a\ndescription: One.\n---\nDo it.\n")
            .unwrap();
        let large = repository.blob(&vec![b'x'; (16 << 20) + 1]).unwrap();
        let long = repository.blob(&vec![b'x'; (1 << 20) + 1]).unwrap();
        let skill = tree(
            repository,
            &[
                ("SKILL.md", text, BLOB),
                ("large.bin", large, BLOB),
                ("z.txt", text, BLOB),
            ],
        );
        let other = tree(repository, &[("SKILL.md", long, BLOB)]);
        tree(repository, &[("a", skill, TREE), ("b", other, TREE)])
    });
    let plugin = remote.plugin(&remote.url(), json!({}));
    let listing = plugin.list().await.unwrap();
    assert_eq!(ids(&listing), ["a"]);
    assert_eq!(
        messages(&listing),
        [
            "`git-left-out`: `a`: `large.bin` has 16777217 bytes, and at most 16777216 are read",
            "`git-left-out`: `b/SKILL.md` has 1048577 bytes, and at most 1048576 are read"
        ]
    );
    let a = "a".parse().unwrap();
    let files = plugin.resources(&a).await.unwrap();
    assert_eq!(
        files
            .iter()
            .map(|file| file.path.as_str())
            .collect::<Vec<_>>(),
        ["z.txt"]
    );
    let error = plugin
        .resource(&a, &"large.bin".parse().unwrap())
        .await
        .unwrap_err();
    assert_eq!(error.kind(), SourceErrorKind::TooLarge);
}
