//! The times at which files are read, and the data that is cached.

use std::fs;
use std::sync::Arc;

use repertoire_core::{Code, Digest, Severity, Source, SourceErrorKind};

use crate::tree::{Tree, age, body, id, ids, list, read, resources, text};

#[tokio::test]
async fn a_second_listing_shares_its_skills() {
    let tree = Tree::of(&["root/a", "root/b/c"]);
    tree.write("root/broken/SKILL.md", "nothing");
    tree.write("root/odd/SKILL.md", "---\nname: Odd\ndescription: x\n---\n");
    let source = tree.source("root");
    let first = list(&source).await;
    let second = list(&source).await;
    assert_eq!(first, second);
    assert!(
        first
            .iter()
            .zip(second.iter())
            .all(|(a, b)| Arc::ptr_eq(&a.item, &b.item))
    );
    assert_eq!(source.list_since(first.revision()).await.unwrap(), first);
}

#[tokio::test]
async fn a_write_within_one_clock_tick_is_seen() {
    let tree = Tree::of(&["root/a"]);
    let file = tree.path("root/a/SKILL.md");
    let source = tree.source("root");
    for n in 0..50 {
        let description = format!("Number {:02}.", n);
        fs::write(&file, text("a", &description, "")).unwrap();
        assert_eq!(
            list(&source)
                .await
                .iter()
                .next()
                .unwrap()
                .item
                .description
                .as_ref(),
            description
        );
    }
}

#[tokio::test]
async fn a_revision_grows_only_with_a_change() {
    let tree = Tree::of(&["root/a"]);
    let source = tree.source("root");
    let first = list(&source).await.revision();
    assert_eq!(list(&source).await.revision(), first);
    // What lies beside the instructions is not listed.
    tree.write("root/a/notes.md", "notes");
    assert_eq!(list(&source).await.revision(), first);
    tree.skill("root/b");
    let second = list(&source).await.revision();
    assert!(second > first);
    tree.write(
        "root/a/SKILL.md",
        text("a", "Does a thing.", "Do it well.\n"),
    );
    assert!(list(&source).await.revision() > second);
}

#[tokio::test]
async fn broken_edits_retain_the_last_good_row() {
    let tree = Tree::of(&["root/live"]);
    let source = tree.source("root");
    let good = list(&source).await;
    tree.write("root/live/SKILL.md", "---\nname: live\ndescription: Broken");
    let broken = list(&source).await;
    assert_eq!(
        broken.iter().collect::<Vec<_>>(),
        good.iter().collect::<Vec<_>>()
    );
    let file = "root/live/SKILL.md".to_owned();
    assert_eq!(
        tree.complaints(&broken),
        [
            (file.clone(), Code::UNCLOSED_FRONT_MATTER),
            (file, Code::STALE)
        ]
    );
    assert!(
        broken
            .diagnostics()
            .iter()
            .any(|found| found.severity == Severity::Error)
    );
    assert_eq!(list(&source).await, broken);
    assert_eq!(
        body(&source, "live").await,
        Err(SourceErrorKind::Invalid),
        "its text is gone"
    );
    tree.write("root/live/SKILL.md", text("live", "Good again.", "Go.\n"));
    let again = list(&source).await;
    assert_eq!(tree.diagnostics(&again), []);
    assert_eq!(
        again.iter().next().unwrap().item.description.as_ref(),
        "Good again."
    );
    fs::remove_file(tree.path("root/live/SKILL.md")).unwrap();
    assert!(list(&source).await.is_empty());
}

#[tokio::test]
async fn a_file_that_never_was_good_is_absent() {
    let tree = Tree::new();
    tree.write("root/bad/SKILL.md", "---\nname: bad\n");
    let listing = list(&tree.source("root")).await;
    assert!(listing.is_empty());
    assert_eq!(
        tree.complaints(&listing),
        [("root/bad/SKILL.md".to_owned(), Code::UNCLOSED_FRONT_MATTER)]
    );
}

#[tokio::test]
async fn only_front_matter_of_any_length_is_read() {
    let tree = Tree::new();
    let metadata: String = (0..2_000).map(|n| format!("  key{n}: value\n")).collect();
    let long = format!("---\nname: long\ndescription: Long.\nmetadata:\n{metadata}---\nBody.\n");
    assert!(long.len() > 20_000);
    tree.write("root/long/SKILL.md", &long);
    let mut bad_body = text("bad-body", "Its body is no text.", "").into_bytes();
    bad_body.extend(b"abc\xff");
    let at = bad_body.len() - 1;
    tree.write("root/bad-body/SKILL.md", &bad_body);
    let source = tree.source("root");
    let listing = list(&source).await;
    assert_eq!(ids(&listing), ["bad-body", "long"]);
    assert_eq!(body(&source, "long").await.as_deref(), Ok("Body.\n"));
    let error = source.body(&id("bad-body")).await.unwrap_err();
    assert_eq!(error.kind(), SourceErrorKind::Invalid);
    assert!(
        error
            .to_string()
            .ends_with(&format!("is not UTF-8 at byte {at}")),
        "{error}"
    );
}

#[tokio::test]
async fn a_newer_body_has_a_different_stamp() {
    let tree = Tree::of(&["root/busy"]);
    let source = tree.source("root");
    let listing = list(&source).await;
    let listed = listing.iter().next().unwrap().stamp;
    assert_eq!(source.body(&id("busy")).await.unwrap().stamp, listed);
    let newer = text("busy", "Does a thing.", "Do more than before.\n");
    tree.write("root/busy/SKILL.md", &newer);
    let body = source.body(&id("busy")).await.unwrap();
    assert_ne!(body.stamp, listed);
    assert_eq!(
        (body.text.as_ref(), body.digest),
        ("Do more than before.\n", Digest::of(newer.as_bytes()))
    );
    assert_eq!(list(&source).await.iter().next().unwrap().stamp, body.stamp);
}

#[tokio::test]
async fn a_body_is_read_from_the_listed_file() {
    let tree = Tree::new();
    tree.write(
        "root/some-folder/SKILL.md",
        text("Workspace Guide", "Guides.", "Guide.\n"),
    );
    let source = tree.source("root");
    assert_eq!(
        body(&source, "Workspace Guide").await.as_deref(),
        Ok("Guide.\n"),
        "and without listing first"
    );
    assert_eq!(
        body(&source, "some-folder").await,
        Err(SourceErrorKind::NotFound)
    );
}

#[tokio::test]
async fn resources_are_all_files_but_its_own() {
    let tree = Tree::of(&["root/kit", "root/kit/templates/basic"]);
    for file in [
        ".env.example",
        "dist/tool.js",
        "node_modules/x/index.js",
        ".git/HEAD",
        "a/b/c.md",
        "a-b.md",
    ] {
        tree.write(&format!("root/kit/{file}"), file);
    }
    let source = tree.source("root");
    let expected = [
        ".env.example",
        "a-b.md",
        "a/b/c.md",
        "dist/tool.js",
        "templates/basic/SKILL.md",
    ];
    assert_eq!(resources(&source, "kit").await, expected);
    assert_eq!(
        read(&source, "kit", "node_modules/x/index.js").await,
        Err(SourceErrorKind::NotFound)
    );
    assert_eq!(
        read(&source, "kit", "a").await,
        Err(SourceErrorKind::NotFound),
        "a folder is no file"
    );
    let raw = fs::read(tree.path("root/kit/SKILL.md")).unwrap();
    assert_eq!(read(&source, "kit", "SKILL.md").await, Ok(raw));
}

#[tokio::test]
async fn a_changed_resource_has_another_digest() {
    let tree = Tree::of(&["root/kit"]);
    let source = tree.source("root");
    for (content, is_old) in [("one", true), ("two", false), ("six", true), ("ten", false)] {
        let file = tree.write("root/kit/file", content);
        if is_old {
            age(&file);
        }
        for _ in 0..2 {
            let listed = source.resources(&id("kit")).await.unwrap();
            assert_eq!(
                listed[0].digest,
                Digest::of(content.as_bytes()),
                "{content}"
            );
        }
    }
}

#[tokio::test]
async fn many_parts_are_listed() {
    let tree = Tree::of(&["root/archive"]);
    for n in 0..1_200 {
        tree.write(&format!("root/archive/data/f{n}.txt"), "");
    }
    assert_eq!(
        resources(&tree.source("root"), "archive").await.len(),
        1_200
    );
}

#[tokio::test]
async fn concurrent_and_dropped_listings_work() {
    let tree = Tree::of(&["root/a", "root/b"]);
    let source = Arc::new(tree.source("root"));
    for _ in 0..20 {
        let mut listing = source.list();
        let _ =
            std::future::poll_fn(|context| std::task::Poll::Ready(listing.as_mut().poll(context)))
                .await;
    }
    let all: Vec<_> = (0..8)
        .map(|_| {
            tokio::spawn({
                let source = source.clone();
                async move { source.list().await }
            })
        })
        .collect();
    for listing in all {
        assert_eq!(ids(&listing.await.unwrap().unwrap()), ["a", "b"]);
    }
}
