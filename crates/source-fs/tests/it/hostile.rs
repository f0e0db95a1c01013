//! Trees that mean harm.
#![cfg(unix)]

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use repertoire_core::{Code, Digest, Omission, OmissionReason, Source, SourceErrorKind};

use crate::tree::{
    Tree, age, body, id, ids, list, omissions, permissions_do_not_bind, read, resources, text,
};

fn pipe(path: &Path) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        path,
        rustix::fs::FileType::Fifo,
        0o644.into(),
        0,
    )
    .unwrap();
}

#[tokio::test]
async fn pipes_and_devices_are_reported_without_blocking() {
    let tree = Tree::of(&["root/steady"]);
    pipe(&tree.path("root/pipe/SKILL.md"));
    tree.folder("root/folder/SKILL.md");
    tree.link("/dev/zero", "root/zero/SKILL.md");
    let listing = list(&tree.source("root")).await;
    assert_eq!(ids(&listing), ["steady"]);
    let expected = [
        "root/folder/SKILL.md",
        "root/pipe/SKILL.md",
        "root/zero/SKILL.md",
    ];
    assert_eq!(
        tree.complaints(&listing),
        expected.map(|path| (path.to_owned(), Code::NOT_A_FILE))
    );
}

#[tokio::test]
async fn a_pipe_beside_a_skill_never_blocks() {
    let tree = Tree::of(&["root/host"]);
    pipe(&tree.path("root/host/pipe"));
    let source = tree.source("root");
    assert_eq!(resources(&source, "host").await, [""; 0]);
    assert_eq!(
        omissions(&source, "host").await,
        [("pipe".to_owned(), OmissionReason::NotAFile)]
    );
    assert_eq!(
        read(&source, "host", "pipe").await,
        Err(SourceErrorKind::NotFound)
    );
    fs::remove_file(tree.path("root/host/SKILL.md")).unwrap();
    pipe(&tree.path("root/host/SKILL.md"));
    assert_eq!(body(&source, "host").await, Err(SourceErrorKind::NotFound));
}

#[tokio::test]
async fn control_characters_in_names_hide_no_skill() {
    let tree = Tree::new();
    tree.write(
        "root/a\nb\u{1b}[31m/SKILL.md",
        text("odd", "In an odd folder.", "Odd.\n"),
    );
    tree.write("root/a\nb\u{1b}[31m/x\ny.md", "text");
    let source = tree.source("root");
    assert_eq!(ids(&list(&source).await), ["odd"]);
    assert_eq!(resources(&source, "odd").await, [""; 0]);
    assert_eq!(
        omissions(&source, "odd").await,
        [("x\ny.md".to_owned(), OmissionReason::OddName)]
    );
    assert_eq!(body(&source, "odd").await.as_deref(), Ok("Odd.\n"));
}

#[tokio::test]
async fn a_path_that_is_not_utf8_is_reported() {
    let tree = Tree::of(&["root/steady"]);
    let folder = tree.path("root").join(OsStr::from_bytes(b"caf\xe9"));
    fs::create_dir(&folder).unwrap();
    fs::write(
        folder.join("SKILL.md"),
        text("coffee", "Makes coffee.", "Brew.\n"),
    )
    .unwrap();
    fs::write(
        tree.path("root/steady").join(OsStr::from_bytes(b"\xff.md")),
        "text",
    )
    .unwrap();
    let source = tree.source("root");
    let listing = list(&source).await;
    assert_eq!(ids(&listing), ["coffee", "steady"]);
    assert!(
        tree.complaints(&listing)
            .iter()
            .any(|(_, code)| *code == Code::PATH_NOT_UTF8)
    );
    assert_eq!(body(&source, "coffee").await.as_deref(), Ok("Brew.\n"));
    tree.write("root/steady/guide.md", "Guide.\n");
    assert_eq!(resources(&source, "steady").await, ["guide.md"]);
    assert_eq!(
        omissions(&source, "steady").await,
        [("\\xff.md".to_owned(), OmissionReason::NotUtf8)]
    );
}

#[tokio::test]
async fn unreadable_folders_retain_their_last_rows() {
    let tree = Tree::of(&["root/locked/inner", "root/sealed", "root/steady"]);
    let source = tree.source("root");
    list(&source).await;
    let lock = |path: &str, mode| {
        fs::set_permissions(tree.path(path), fs::Permissions::from_mode(mode)).unwrap()
    };
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
        assert_eq!(
            tree.complaints(&listing),
            expected.map(|(path, code)| (path.to_owned(), code))
        );
        assert!(
            listing.diagnostics()[0]
                .message
                .contains("permission denied")
        );
        assert_eq!(list(&source).await, listing);
        let fresh = list(&tree.source("root")).await;
        assert_eq!(ids(&fresh), ["steady"]);
    }
    lock("root/locked", 0o755);
    lock("root/sealed/SKILL.md", 0o644);
    let listing = list(&source).await;
    assert_eq!(
        (ids(&listing), tree.diagnostics(&listing)),
        (vec!["inner", "sealed", "steady"], vec![])
    );
}

#[tokio::test]
async fn an_unreadable_part_leaves_its_skill() {
    let tree = Tree::of(&["root/steady"]);
    tree.write("root/steady/locked.md", "x");
    let locked = tree.path("root/steady/locked.md");
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o000)).unwrap();
    if fs::read(&locked).is_ok() {
        // Root reads everything.
        return;
    }
    let source = tree.source("root");
    assert!(body(&source, "steady").await.is_ok());
    assert_eq!(
        omissions(&source, "steady").await,
        [("locked.md".to_owned(), OmissionReason::Unreadable)]
    );
}

#[tokio::test]
async fn a_name_that_hides_characters_is_omitted() {
    let tree = Tree::of(&["root/steady"]);
    for name in [" lead.md", "trail.md ", "f\u{e0041}.md"] {
        tree.write(&format!("root/steady/{name}"), "x");
    }
    let odd = |name: &str| (name.to_owned(), OmissionReason::OddName);
    assert_eq!(
        omissions(&tree.source("root"), "steady").await,
        [odd(" lead.md"), odd("f\u{e0041}.md"), odd("trail.md ")]
    );
}

#[tokio::test]
async fn exceeding_a_limit_omits_no_other_skill() {
    let tree = Tree::of(&["root/big", "root/deep", "root/many", "root/full"]);
    tree.write(
        "root/huge/SKILL.md",
        format!("---\nname: huge\n{}", "x".repeat(3_000)),
    );
    tree.write("root/big/blob", [0; 200]);
    tree.write("root/big/a.md", "small");
    tree.write("root/deep/a/b/c/file", "text");
    tree.write("root/deep/a/b/file", "text");
    (0..4).for_each(|n| drop(tree.write(&format!("root/full/f{n}"), [n; 60])));
    tree.write("root/full/z", "fits");
    (0..9).for_each(|n| drop(tree.write(&format!("root/many/f{n}"), "")));
    let limits = r#"{ "file-bytes": 2000, "resource-bytes": 100, "resource-depth": 2, "resources": 4, "total-bytes": 200 }"#;
    let source = tree.with(&format!(r#"{{ "roots": ["root"], "limits": {limits} }}"#));
    let listing = list(&source).await;
    assert_eq!(
        tree.complaints(&listing),
        [("root/huge/SKILL.md".to_owned(), Code::TOO_LARGE)]
    );
    use OmissionReason::{TooDeep, TooLarge, TooLargeTogether, TooMany};
    for (skill, files, left_out) in [
        ("big", vec!["a.md"], ("blob", TooLarge)),
        ("deep", vec!["a/b/file"], ("a/b/c", TooDeep)),
        (
            "full",
            vec!["f0", "f1", "f2", "z"],
            ("f3", TooLargeTogether),
        ),
        ("many", vec!["f0", "f1", "f2", "f3"], ("f4", TooMany)),
    ] {
        assert_eq!(resources(&source, skill).await, files, "{skill}");
        assert_eq!(
            omissions(&source, skill).await,
            [(left_out.0.to_owned(), left_out.1)],
            "{skill}"
        );
        assert_eq!(body(&source, skill).await.as_deref(), Ok("Do it.\n"));
    }
    assert_eq!(
        read(&source, "big", "blob").await,
        Err(SourceErrorKind::TooLarge)
    );
    tree.write(
        "root/big/SKILL.md",
        text("big", "Grows.", &"x".repeat(3_000)),
    );
    assert_eq!(body(&source, "big").await, Err(SourceErrorKind::TooLarge));
}

#[tokio::test]
async fn odd_names_and_links_out_are_omissions() {
    let tree = Tree::of(&["root/kit"]);
    for file in [
        "guide.md",
        "scripts\\run.py",
        "a:agenda.md",
        "odd\\folder/inside.md",
        "alias-target.md",
    ] {
        tree.write(&format!("root/kit/{file}"), "text");
    }
    tree.write("secret.txt", "SECRET");
    tree.link("../../secret.txt", "root/kit/out.md");
    tree.link("nowhere", "root/kit/gone.md");
    tree.link("round", "root/kit/round");
    tree.link("alias-target.md", "root/kit/alias.md");
    let source = tree.source("root");
    assert_eq!(
        resources(&source, "kit").await,
        ["alias-target.md", "alias.md", "guide.md"]
    );
    use OmissionReason::{LinkDangling, LinkOut, OddName};
    let expected = [
        ("a:agenda.md", OddName),
        ("gone.md", LinkDangling),
        ("odd\\folder", OddName),
        ("out.md", LinkOut),
        ("round", LinkDangling),
        ("scripts\\run.py", OddName),
    ];
    assert_eq!(
        omissions(&source, "kit").await,
        expected.map(|(path, why)| (path.to_owned(), why))
    );
    assert_eq!(
        read(&source, "kit", "out.md").await,
        Err(SourceErrorKind::Denied)
    );
}

#[tokio::test]
async fn litter_and_secrets_are_never_resources() {
    let tree = Tree::of(&["root/kit"]);
    let parts = [".env.example", ".gitignore", ".prettierrc", "guide.md"];
    let secrets = [
        ".ENV",
        ".env",
        ".env.local",
        ".netrc",
        ".npmrc",
        ".ssh",
        "deploy.key",
        "keys",
    ];
    let litter = [
        ".DS_Store",
        "Thumbs.db",
        "._SKILL.md",
        "SKILL.md~",
        ".SKILL.md.swp",
        "#SKILL.md#",
        "desktop.ini",
    ];
    for file in parts.iter().chain(&secrets[..5]).chain(&litter) {
        tree.write(&format!("root/kit/{file}"), "hunter2");
    }
    tree.write("root/kit/.ssh/config", "hunter2");
    tree.write("root/kit/deploy.key", "hunter2");
    tree.write("root/kit/__MACOSX/._guide.md", "hunter2");
    tree.write("root/kit/.git/config", "hunter2");
    tree.link(".env", "root/kit/keys");
    tree.link(".git", "root/kit/up");
    let source = tree.source("root");
    assert_eq!(resources(&source, "kit").await, parts);
    let expected = secrets
        .map(|path| (path.to_owned(), OmissionReason::Secret))
        .into_iter();
    let expected: Vec<_> = std::iter::once((".git".to_owned(), OmissionReason::VersionControl))
        .chain(expected)
        .collect();
    let mut omitted = omissions(&source, "kit").await;
    omitted.sort_by_key(|(_, why)| *why != OmissionReason::VersionControl);
    assert_eq!(omitted, expected);
    for hidden in secrets
        .iter()
        .chain(&litter)
        .chain(&[".ssh/config", "up/config", ".env."])
    {
        assert_eq!(
            read(&source, "kit", hidden).await,
            Err(SourceErrorKind::NotFound),
            "{hidden}"
        );
    }
}

#[tokio::test]
async fn a_manifest_has_everything_that_can_run() {
    let tree = Tree::of(&["root/kit"]);
    let files = [
        ".DS_Store",
        ".env",
        ".venv/bin/go",
        "__pycache__/a.pyc",
        "big.bin",
        "node_modules/x/.git/config",
        "node_modules/x/index.js",
        "run.sh",
        "venv/b.py",
    ];
    for file in files {
        tree.write(&format!("root/kit/{file}"), file);
    }
    tree.write("root/kit/.git/HEAD", "ref");
    tree.write("root/kit/back\\slash", "odd");
    tree.write("elsewhere/lib.sh", "lib");
    tree.link("../../elsewhere/lib.sh", "root/kit/lib.sh");
    tree.link("../../elsewhere", "root/kit/lib");
    tree.link("node_modules/x", "root/kit/x");
    let source = tree.with(r#"{ "roots": ["root"], "limits": { "resource-bytes": 3 } }"#);
    let manifest = source.manifest(&id("kit")).await.unwrap();
    let named: Vec<_> = manifest
        .files()
        .iter()
        .map(|file| file.path.as_str())
        .collect();
    assert_eq!(
        named,
        files
            .into_iter()
            .filter(|file| !file.contains(".git"))
            .collect::<Vec<_>>()
    );
    use OmissionReason::{LinkOut, LinkToFolder, OddName, VersionControl};
    let omitted = |path: &str, why| Omission::new(path, why);
    let expected = [
        omitted(".git", VersionControl),
        omitted("back\\slash", OddName).with_digest(Digest::of(b"odd")),
        omitted("lib", LinkOut).detail("../../elsewhere"),
        omitted("lib.sh", LinkOut)
            .detail("../../elsewhere/lib.sh")
            .with_digest(Digest::of(b"lib")),
        omitted("node_modules/x/.git", VersionControl),
        omitted("x", LinkToFolder).detail("node_modules/x"),
    ];
    assert_eq!(manifest.omissions(), expected);
    for changed in [
        "root/kit/__pycache__/a.pyc",
        "root/kit/venv/b.py",
        "elsewhere/lib.sh",
        "root/kit/new.sh",
    ] {
        let before = source.manifest(&id("kit")).await.unwrap().digest();
        tree.write(changed, "other");
        assert_ne!(
            source.manifest(&id("kit")).await.unwrap().digest(),
            before,
            "{changed}"
        );
    }
}

/// The content differs, and size, times and inode are the same.
#[tokio::test]
async fn a_manifest_believes_no_stamp() {
    let tree = Tree::of(&["root/kit"]);
    let file = tree.write("root/kit/run.sh", "one");
    age(&file);
    let source = tree.source("root");
    source.resources(&id("kit")).await.unwrap();
    let before = source.manifest(&id("kit")).await.unwrap();
    let modified = fs::metadata(&file).unwrap().modified().unwrap();
    tree.write("root/kit/run.sh", "two");
    fs::File::options()
        .write(true)
        .open(&file)
        .unwrap()
        .set_modified(modified)
        .unwrap();
    let after = source.manifest(&id("kit")).await.unwrap();
    let digests = [before, after].map(|manifest| manifest.files()[0].digest);
    assert_eq!(digests, [Digest::of(b"one"), Digest::of(b"two")]);
}

#[tokio::test]
async fn dependencies_over_their_bounds_are_one_omission() {
    let tree = Tree::of(&["root/kit"]);
    tree.write("root/kit/run.sh", "run");
    let file = tree.write("root/kit/node_modules/large.bin", "");
    fs::File::options()
        .write(true)
        .open(&file)
        .unwrap()
        .set_len((1 << 30) + 1)
        .unwrap();
    let source = tree.source("root");
    let too_large = ("node_modules".to_owned(), OmissionReason::TooLargeTogether);
    assert_eq!(
        omissions(&source, "kit").await,
        std::slice::from_ref(&too_large)
    );
    let manifest = source.manifest(&id("kit")).await.unwrap();
    let omitted: Vec<_> = manifest
        .omissions()
        .iter()
        .map(|one| (one.path.to_string(), one.reason))
        .collect();
    assert_eq!((manifest.files().len(), omitted), (1, vec![too_large]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_growing_file_stays_within_its_limit() {
    use std::io::Write;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    let tree = Tree::of(&["root/host"]);
    let path = tree.write("root/host/log", "start");
    let file = tree.write("root/growing/SKILL.md", "---\n");
    let source = tree.with(
        r#"{ "roots": ["root"], "limits": { "resource-bytes": 50000, "file-bytes": 50000 } }"#,
    );
    let done = Arc::new(AtomicBool::new(false));
    let writer = std::thread::spawn({
        let done = done.clone();
        move || {
            let mut files =
                [&path, &file].map(|path| fs::File::options().append(true).open(path).unwrap());
            for _ in 0..2_000 {
                files
                    .iter_mut()
                    .for_each(|file| file.write_all(b"key: value and so on, and on\n").unwrap());
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
    assert_eq!(
        read(&source, "host", "log").await,
        Err(SourceErrorKind::TooLarge)
    );
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
