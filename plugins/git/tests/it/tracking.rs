//! Branches, commits, networks.

use std::fs;
use std::io::Write;
use std::time::Duration;

use repertoire_plugin_sdk::{Code, Listing, Skill, Source, SourceErrorKind};
use repertoire_source_plugin::PluginSource;
use serde_json::json;

use crate::remote::Remote;
use crate::server::serve;

fn ids(listing: &Listing<Skill>) -> Vec<&str> {
    listing.iter().map(|row| row.item.id.as_str()).collect()
}

/// The next listing after one.
async fn next(plugin: &PluginSource, old: &Listing<Skill>) -> Listing<Skill> {
    let changed = plugin.changed(old.revision());
    tokio::time::timeout(Duration::from_secs(30), changed).await.expect("a change should be seen");
    plugin.list().await.unwrap()
}

fn with_one_skill() -> Remote {
    let mut remote = Remote::new();
    remote.skill("skills/review", "review", "Read it.\n");
    remote.commit();
    remote
}

#[tokio::test]
async fn a_branch_is_followed() {
    let mut remote = with_one_skill();
    let plugin = remote.plugin(&remote.url(), json!({ "branch": "main" }));
    let old = plugin.list().await.unwrap();
    assert_eq!(ids(&old), ["review"]);
    remote.skill("skills/deploy", "deploy", "Ship it.\n");
    remote.commit();
    let new = next(&plugin, &old).await;
    assert_eq!(ids(&new), ["deploy", "review"]);
    assert_eq!(plugin.body(&"deploy".parse().unwrap()).await.unwrap().text.as_ref(), "Ship it.\n");
}

#[tokio::test]
async fn a_pinned_commit_stays_and_needs_no_network_once_it_is_there() {
    let mut remote = with_one_skill();
    let commit = remote.commit().to_string();
    remote.skill("skills/later", "later", "Later.\n");
    remote.commit();
    let options = json!({ "commit": commit });
    assert_eq!(ids(&remote.plugin(&remote.url(), options.clone()).list().await.unwrap()), ["review"]);
    let offline = remote.plugin("http://127.0.0.1:1/gone.git", options);
    let listing = offline.list().await.unwrap();
    assert_eq!((ids(&listing), listing.diagnostics().len()), (vec!["review"], 0));
}

#[tokio::test]
async fn without_a_network_what_was_fetched_last_stays() {
    let remote = with_one_skill();
    assert_eq!(ids(&remote.plugin(&remote.url(), json!({})).list().await.unwrap()), ["review"]);
    let gone = remote.folder.path().join("elsewhere.git");
    fs::rename(remote.path(), &gone).unwrap();
    let plugin = remote.plugin(&remote.url(), json!({}));
    let listing = plugin.list().await.unwrap();
    assert_eq!(ids(&listing), ["review"]);
    let finding = &listing.diagnostics()[0];
    assert_eq!(finding.code, Code::PLUGIN_FINDING);
    assert!(finding.message.starts_with("`git-offline`: `file://"), "{}", finding.message);
    assert_eq!(plugin.body(&"review".parse().unwrap()).await.unwrap().text.as_ref(), "Read it.\n");
}

#[tokio::test]
async fn what_was_never_fetched_is_unavailable_until_it_is() {
    let remote = with_one_skill();
    let away = remote.folder.path().join("away.git");
    fs::rename(remote.path(), &away).unwrap();
    let plugin = remote.plugin(&remote.url(), json!({}));
    assert_eq!(plugin.list().await.unwrap_err().kind(), SourceErrorKind::Unavailable);
    fs::rename(&away, remote.path()).unwrap();
    let listed = async {
        loop {
            if let Ok(listing) = plugin.list().await {
                return listing;
            }
            tokio::task::yield_now().await;
        }
    };
    let listing = tokio::time::timeout(Duration::from_secs(30), listed).await.expect("it should be fetched");
    assert_eq!(ids(&listing), ["review"]);
}

#[tokio::test]
async fn only_the_folder_that_is_named_counts() {
    let mut remote = with_one_skill();
    remote.skill("examples/toy", "toy", "Toy.\n");
    remote.commit();
    for (folder, expected) in [("skills", vec!["review"]), ("none", vec![]), ("", vec!["toy", "review"])] {
        let plugin = remote.plugin(&remote.url(), json!({ "folder": folder }));
        assert_eq!(ids(&plugin.list().await.unwrap()), expected, "{folder}");
    }
}

#[tokio::test]
async fn options_that_make_no_sense_are_refused() {
    let remote = Remote::new();
    for (options, expected) in [
        (json!({ "commit": "abc" }), "expected a commit in 40 digits, found `abc`"),
        (json!({ "commit": "0".repeat(40), "branch": "main" }), "expected a `commit` or a `branch`, found both"),
        (json!({ "tag": "v1" }), "the options do not fit: unknown field `tag`"),
    ] {
        let error = remote.plugin(&remote.url(), options).list().await.unwrap_err();
        assert_eq!(error.kind(), SourceErrorKind::Invalid);
        assert!(error.to_string().starts_with(expected), "{error}");
    }
}

#[tokio::test]
async fn a_real_server_is_fetched_from_over_http() {
    let mut remote = with_one_skill();
    let Some(address) = serve(remote.folder.path()) else {
        let _ = writeln!(std::io::stderr(), "skipped: `git http-backend` is not installed");
        return;
    };
    let plugin = remote.plugin(&format!("http://{address}/remote.git"), json!({ "branch": "main" }));
    let old = plugin.list().await.unwrap();
    assert_eq!(ids(&old), ["review"]);
    let location = old.iter().next().unwrap().item.location.clone().unwrap();
    assert!(location.starts_with(&format!("company:http://{address}/remote.git/")), "{location}");
    remote.skill("skills/deploy", "deploy", "Ship it.\n");
    remote.commit();
    assert_eq!(ids(&next(&plugin, &old).await), ["deploy", "review"]);
}

/// A commit whose tree is what `build` makes of the repository.
fn commit_tree(remote: &Remote, build: impl FnOnce(&git2::Repository) -> git2::Oid) {
    let repository = git2::Repository::open_bare(remote.path()).unwrap();
    let root = build(&repository);
    let tree = repository.find_tree(root).unwrap();
    let author = git2::Signature::new("A", "a@example.test", &git2::Time::new(0, 0)).unwrap();
    let parent = repository.refname_to_id("refs/heads/main").and_then(|id| repository.find_commit(id)).unwrap();
    repository.commit(Some("refs/heads/main"), &author, &author, "Change.", &tree, &[&parent]).unwrap();
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
    listing.diagnostics().iter().map(|finding| finding.message.as_str()).collect()
}

#[tokio::test]
async fn folders_nested_without_end_take_nothing_down() {
    let remote = with_one_skill();
    commit_tree(&remote, |repository| {
        let text = repository.blob(b"---\nname: a\ndescription: One.\n---\nDo it.\n").unwrap();
        let deep = repository.blob(b"deep").unwrap();
        let mut nested = tree(repository, &[("deep.txt", deep, BLOB)]);
        for _ in 0..20_000 {
            nested = tree(repository, &[("n", nested, TREE)]);
        }
        let skill = tree(repository, &[("SKILL.md", text, BLOB), ("near.txt", deep, BLOB), ("n", nested, TREE)]);
        tree(repository, &[("a", skill, TREE), ("n", nested, TREE)])
    });
    let plugin = remote.plugin(&remote.url(), json!({}));
    let listing = plugin.list().await.unwrap();
    assert_eq!(ids(&listing), ["a"]);
    let path = "n/".repeat(32) + "n";
    assert_eq!(messages(&listing), [format!("`git-left-out`: `a`: `{path}` lies more than 32 folders deep")]);
    let a = "a".parse().unwrap();
    let files = plugin.resources(&a).await.unwrap();
    assert_eq!(files.iter().map(|file| file.path.as_str()).collect::<Vec<_>>(), ["near.txt"]);
    assert_eq!(plugin.body(&a).await.unwrap().text.as_ref(), "Do it.\n");
}

/// Ten trees stand for sixty to the power of nine folders.
#[tokio::test]
async fn few_objects_that_stand_for_many_folders_end() {
    let remote = with_one_skill();
    commit_tree(&remote, |repository| {
        let text = repository.blob(b"---\nname: a\ndescription: One.\n---\nDo it.\n").unwrap();
        let mut many = tree(repository, &[("x.txt", text, BLOB)]);
        for _ in 0..9 {
            let names: Vec<_> = (0..60).map(|number| format!("d{number:02}")).collect();
            let entries: Vec<_> = names.iter().map(|name| (name.as_str(), many, TREE)).collect();
            many = tree(repository, &entries);
        }
        let skill = tree(repository, &[("SKILL.md", text, BLOB), ("many", many, TREE)]);
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
    assert_eq!(plugin.resources(&"a".parse().unwrap()).await.unwrap().len(), 10_000);
}

/// One large object in many places.
#[tokio::test]
async fn what_is_too_large_is_left_out_and_said() {
    let remote = with_one_skill();
    commit_tree(&remote, |repository| {
        let text = repository.blob(b"---\nname: a\ndescription: One.\n---\nDo it.\n").unwrap();
        let large = repository.blob(&vec![b'x'; (16 << 20) + 1]).unwrap();
        let long = repository.blob(&vec![b'x'; (1 << 20) + 1]).unwrap();
        let skill = tree(repository, &[("SKILL.md", text, BLOB), ("large.bin", large, BLOB), ("z.txt", text, BLOB)]);
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
    assert_eq!(files.iter().map(|file| file.path.as_str()).collect::<Vec<_>>(), ["z.txt"]);
    let error = plugin.resource(&a, &"large.bin".parse().unwrap()).await.unwrap_err();
    assert_eq!(error.kind(), SourceErrorKind::TooLarge);
}
