//! Branches, commits, networks.

use std::fs;
use std::io::Write;
use std::time::Duration;

use repertoire_plugin_sdk::{Code, Listing, Skill, Source, SourceErrorKind};
use repertoire_source_plugin::PluginSource;
use serde_json::json;

use crate::remote::Remote;
use crate::server::serve;

pub(crate) fn ids(listing: &Listing<Skill>) -> Vec<&str> {
    listing.iter().map(|row| row.item.id.as_str()).collect()
}

/// The next listing after one.
async fn next(plugin: &PluginSource, old: &Listing<Skill>) -> Listing<Skill> {
    let changed = plugin.changed(old.revision());
    tokio::time::timeout(Duration::from_secs(30), changed)
        .await
        .expect("a change should be seen");
    plugin.list().await.unwrap()
}

pub(crate) fn with_one_skill() -> Remote {
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
    assert_eq!(
        plugin
            .body(&"deploy".parse().unwrap())
            .await
            .unwrap()
            .text
            .as_ref(),
        "Ship it.\n"
    );
}

#[tokio::test]
async fn a_pinned_commit_needs_no_network() {
    let mut remote = with_one_skill();
    let commit = remote.commit().to_string();
    remote.skill("skills/later", "later", "Later.\n");
    remote.commit();
    let options = json!({ "commit": commit });
    assert_eq!(
        ids(&remote
            .plugin(&remote.url(), options.clone())
            .list()
            .await
            .unwrap()),
        ["review"]
    );
    let offline = remote.plugin("http://127.0.0.1:1/gone.git", options);
    let listing = offline.list().await.unwrap();
    assert_eq!(
        (ids(&listing), listing.diagnostics().len()),
        (vec!["review"], 0)
    );
}

#[tokio::test]
async fn the_last_fetch_is_used_without_a_network() {
    let remote = with_one_skill();
    assert_eq!(
        ids(&remote
            .plugin(&remote.url(), json!({}))
            .list()
            .await
            .unwrap()),
        ["review"]
    );
    let gone = remote.folder.path().join("elsewhere.git");
    fs::rename(remote.path(), &gone).unwrap();
    let plugin = remote.plugin(&remote.url(), json!({}));
    let listing = plugin.list().await.unwrap();
    assert_eq!(ids(&listing), ["review"]);
    let diagnostic = &listing.diagnostics()[0];
    assert_eq!(diagnostic.code, Code::PLUGIN_DIAGNOSTIC);
    assert!(
        diagnostic.message.starts_with("`git-offline`: `file://"),
        "{}",
        diagnostic.message
    );
    assert_eq!(
        plugin
            .body(&"review".parse().unwrap())
            .await
            .unwrap()
            .text
            .as_ref(),
        "Read it.\n"
    );
}

#[tokio::test]
async fn a_repository_is_unavailable_before_the_first_fetch() {
    let remote = with_one_skill();
    let away = remote.folder.path().join("away.git");
    fs::rename(remote.path(), &away).unwrap();
    let plugin = remote.plugin(&remote.url(), json!({}));
    assert_eq!(
        plugin.list().await.unwrap_err().kind(),
        SourceErrorKind::Unavailable
    );
    fs::rename(&away, remote.path()).unwrap();
    let listed = async {
        loop {
            if let Ok(listing) = plugin.list().await {
                return listing;
            }
            tokio::task::yield_now().await;
        }
    };
    let listing = tokio::time::timeout(Duration::from_secs(30), listed)
        .await
        .expect("it should be fetched");
    assert_eq!(ids(&listing), ["review"]);
}

#[tokio::test]
async fn only_the_folder_that_is_named_counts() {
    let mut remote = with_one_skill();
    remote.skill("examples/toy", "toy", "Toy.\n");
    remote.commit();
    for (folder, expected) in [
        ("skills", vec!["review"]),
        ("none", vec![]),
        ("", vec!["toy", "review"]),
    ] {
        let plugin = remote.plugin(&remote.url(), json!({ "folder": folder }));
        assert_eq!(ids(&plugin.list().await.unwrap()), expected, "{folder}");
    }
}

#[tokio::test]
async fn options_that_make_no_sense_are_refused() {
    let remote = Remote::new();
    for (options, expected) in [
        (
            json!({ "commit": "abc" }),
            "expected a commit in 40 digits, found `abc`",
        ),
        (
            json!({ "commit": "0".repeat(40), "branch": "main" }),
            "expected a `commit` or a `branch`, found both",
        ),
        (
            json!({ "tag": "v1" }),
            "the options do not fit: unknown field `tag`",
        ),
    ] {
        let error = remote
            .plugin(&remote.url(), options)
            .list()
            .await
            .unwrap_err();
        assert_eq!(error.kind(), SourceErrorKind::Invalid);
        assert!(error.to_string().starts_with(expected), "{error}");
    }
}

#[tokio::test]
async fn a_real_server_is_fetched_from_over_http() {
    let mut remote = with_one_skill();
    let Some(address) = serve(remote.folder.path()) else {
        let _ = writeln!(
            std::io::stderr(),
            "skipped: `git http-backend` is not installed"
        );
        return;
    };
    let plugin = remote.plugin(
        &format!("http://{address}/remote.git"),
        json!({ "branch": "main" }),
    );
    let old = plugin.list().await.unwrap();
    assert_eq!(ids(&old), ["review"]);
    let location = old.iter().next().unwrap().item.location.clone().unwrap();
    assert!(
        location.starts_with(&format!("company:http://{address}/remote.git/")),
        "{location}"
    );
    remote.skill("skills/deploy", "deploy", "Ship it.\n");
    remote.commit();
    assert_eq!(ids(&next(&plugin, &old).await), ["deploy", "review"]);
}
