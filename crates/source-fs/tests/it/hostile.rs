//! Trees that mean harm.
#![cfg(unix)]

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use repertoire_core::{Code, Source, SourceErrorKind};

use crate::tree::{Tree, body, id, ids, list, permissions_do_not_bind, read, resources, text};

fn pipe(path: &Path) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, 0o644.into(), 0).unwrap();
}

#[tokio::test]
async fn what_is_no_file_is_reported_and_never_waited_for() {
    let tree = Tree::of(&["root/steady"]);
    pipe(&tree.path("root/pipe/SKILL.md"));
    tree.folder("root/folder/SKILL.md");
    tree.link("/dev/zero", "root/zero/SKILL.md");
    let listing = list(&tree.source("root")).await;
    assert_eq!(ids(&listing), ["steady"]);
    let expected = ["root/folder/SKILL.md", "root/pipe/SKILL.md", "root/zero/SKILL.md"];
    assert_eq!(tree.complaints(&listing), expected.map(|path| (path.to_owned(), Code::NOT_A_FILE)));
}

#[tokio::test]
async fn a_pipe_beside_a_skill_is_neither_listed_nor_waited_for() {
    let tree = Tree::of(&["root/host"]);
    pipe(&tree.path("root/host/pipe"));
    let source = tree.source("root");
    assert_eq!(resources(&source, "host").await, [""; 0]);
    assert_eq!(read(&source, "host", "pipe").await, Err(SourceErrorKind::NotFound));
    fs::remove_file(tree.path("root/host/SKILL.md")).unwrap();
    pipe(&tree.path("root/host/SKILL.md"));
    assert_eq!(body(&source, "host").await, Err(SourceErrorKind::NotFound));
}

#[tokio::test]
async fn names_with_line_breaks_and_escapes_are_names() {
    let tree = Tree::new();
    tree.write("root/a\nb\u{1b}[31m/SKILL.md", text("odd", "In an odd folder.", "Odd.\n"));
    tree.write("root/a\nb\u{1b}[31m/x\ny.md", "text");
    let source = tree.source("root");
    assert_eq!(ids(&list(&source).await), ["odd"]);
    assert_eq!(resources(&source, "odd").await, ["x\ny.md"]);
    assert_eq!(body(&source, "odd").await.as_deref(), Ok("Odd.\n"));
}

#[tokio::test]
async fn a_path_that_is_not_utf8_is_told_and_the_skill_stays_readable() {
    let tree = Tree::of(&["root/steady"]);
    let folder = tree.path("root").join(OsStr::from_bytes(b"caf\xe9"));
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("SKILL.md"), text("coffee", "Makes coffee.", "Brew.\n")).unwrap();
    fs::write(tree.path("root/steady").join(OsStr::from_bytes(b"\xff.md")), "text").unwrap();
    let source = tree.source("root");
    let listing = list(&source).await;
    assert_eq!(ids(&listing), ["coffee", "steady"]);
    assert!(tree.complaints(&listing).iter().any(|(_, code)| *code == Code::PATH_NOT_UTF8));
    assert_eq!(body(&source, "coffee").await.as_deref(), Ok("Brew.\n"));
    let error = source.resources(&id("steady")).await.unwrap_err();
    assert_eq!(error.kind(), SourceErrorKind::Invalid, "a list that leaves a file out would be taken for all: {error}");
}

#[tokio::test]
async fn what_cannot_be_read_is_told_and_keeps_its_last_good_rows() {
    let tree = Tree::of(&["root/locked/inner", "root/sealed", "root/steady"]);
    let source = tree.source("root");
    list(&source).await;
    let lock = |path: &str, mode| fs::set_permissions(tree.path(path), fs::Permissions::from_mode(mode)).unwrap();
    lock("root/locked", 0o000);
    lock("root/sealed/SKILL.md", 0o000);
    // Root reads everything: there is nothing to see then.
    if !permissions_do_not_bind(&tree.path("root/locked")) {
        let listing = list(&source).await;
        assert_eq!(ids(&listing), ["inner", "sealed", "steady"]);
        let expected = [
            ("root/locked", Code::UNREADABLE),
            ("root/locked/inner/SKILL.md", Code::STALE),
            ("root/sealed/SKILL.md", Code::UNREADABLE),
            ("root/sealed/SKILL.md", Code::STALE),
        ];
        assert_eq!(tree.complaints(&listing), expected.map(|(path, code)| (path.to_owned(), code)));
        assert!(listing.diagnostics()[0].message.contains("permission denied"));
        assert_eq!(list(&source).await, listing);
        let fresh = list(&tree.source("root")).await;
        assert_eq!(ids(&fresh), ["steady"]);
    }
    lock("root/locked", 0o755);
    lock("root/sealed/SKILL.md", 0o644);
    let listing = list(&source).await;
    assert_eq!((ids(&listing), tree.findings(&listing)), (vec!["inner", "sealed", "steady"], vec![]));
}

#[tokio::test]
async fn too_much_is_refused_by_the_name_of_the_limit() {
    let tree = Tree::of(&["root/big", "root/deep", "root/many"]);
    tree.write("root/huge/SKILL.md", format!("---\nname: huge\n{}", "x".repeat(3_000)));
    tree.write("root/big/blob", [0; 200]);
    tree.write("root/deep/a/b/c/file", "text");
    (0..4).for_each(|n| drop(tree.write(&format!("root/many/f{n}"), [n; 60])));
    let limits =
        r#"{ "file-bytes": 2000, "resource-bytes": 100, "resource-depth": 2, "resources": 4, "total-bytes": 200 }"#;
    let source = tree.with(&format!(r#"{{ "roots": ["root"], "limits": {limits} }}"#));
    let listing = list(&source).await;
    assert_eq!(tree.complaints(&listing), [("root/huge/SKILL.md".to_owned(), Code::TOO_LARGE)]);
    let refused = async |skill: &str, named: &str| {
        let error = source.resources(&id(skill)).await.unwrap_err();
        assert_eq!(error.kind(), SourceErrorKind::TooLarge);
        assert!(error.to_string().contains(named), "{error}");
    };
    refused("big", "limits.resource-bytes").await;
    refused("deep", "limits.resource-depth").await;
    refused("many", "limits.total-bytes").await;
    tree.write("root/many/f9", "one more");
    refused("many", "limits.resources").await;
    assert_eq!(read(&source, "big", "blob").await, Err(SourceErrorKind::TooLarge));
    tree.write("root/big/SKILL.md", text("big", "Grows.", &"x".repeat(3_000)));
    assert_eq!(body(&source, "big").await, Err(SourceErrorKind::TooLarge));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_that_grows_while_it_is_read_stays_within_its_limit() {
    use std::io::Write;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    let tree = Tree::of(&["root/host"]);
    let path = tree.write("root/host/log", "start");
    let file = tree.write("root/growing/SKILL.md", "---\n");
    let source = tree.with(r#"{ "roots": ["root"], "limits": { "resource-bytes": 50000, "file-bytes": 50000 } }"#);
    let done = Arc::new(AtomicBool::new(false));
    let writer = std::thread::spawn({
        let done = done.clone();
        move || {
            let mut files = [&path, &file].map(|path| fs::File::options().append(true).open(path).unwrap());
            for _ in 0..2_000 {
                files.iter_mut().for_each(|file| file.write_all(b"key: value and so on, and on\n").unwrap());
            }
            done.store(true, Ordering::Release);
        }
    });
    loop {
        let is_last = done.load(Ordering::Acquire);
        assert_eq!(ids(&list(&source).await), ["host"]);
        match read(&source, "host", "log").await {
            Ok(bytes) => assert!(bytes.len() <= 50_000),
            Err(kind) => assert_eq!(kind, SourceErrorKind::TooLarge),
        }
        if is_last {
            break;
        }
    }
    writer.join().unwrap();
    assert_eq!(read(&source, "host", "log").await, Err(SourceErrorKind::TooLarge));
}

#[tokio::test]
async fn an_unknown_name_never_touches_the_disk() {
    let tree = Tree::of(&["root/steady", "outside/secret"]);
    let source = tree.source("root");
    list(&source).await;
    for name in ["secret", "steady2", "outside"] {
        assert_eq!(body(&source, name).await, Err(SourceErrorKind::NotFound));
    }
}
