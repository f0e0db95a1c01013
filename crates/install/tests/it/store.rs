//! The store.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

use repertoire_core::Digest;
use repertoire_install::{FileTree, InstallError, InstallErrorKind, Store, StoreGc, unpack};
use tempfile::TempDir;

use crate::made_zip::{ZipEntry, zip};
use crate::skill_text;

fn tree(body: &str) -> FileTree {
    let entries = [
        ZipEntry::new("SKILL.md", skill_text("tidy", body)),
        ZipEntry::new("scripts/run.sh", "#!/bin/sh\n"),
    ];
    unpack(&zip(&entries)).expect("a good archive")
}

fn fresh() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let root = folder.path().join("store");
    (folder, root)
}

/// Returns the place of stored content.
fn place(root: &Path, digest: &Digest) -> PathBuf {
    root.join("trees")
        .join(digest.to_string().replace(':', "-"))
}

#[test]
fn content_comes_back_by_its_digest() {
    let (_folder, root) = fresh();
    let store = Store::open(&root).expect("it is writable");
    let stored = tree("Sort.");
    let digest = store.put(&stored).expect("it is writable");
    assert_eq!(digest, stored.manifest().digest());
    assert_eq!(store.put(&stored).expect("it is there"), digest);
    assert_eq!(store.get(&digest).expect("it is good"), Some(stored));
    assert_eq!(store.get(&Digest::of(b"other")).expect("no error"), None);
    assert_eq!(fs::read_dir(root.join("tmp")).expect("a folder").count(), 0);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &str| {
            let file = place(&root, &digest).join(path);
            file.metadata().expect("it is there").permissions().mode() & 0o111
        };
        assert_eq!(
            (mode("SKILL.md"), mode("scripts/run.sh") & 0o100),
            (0, 0o100)
        );
    }
}

#[test]
fn damage_is_found_and_repaired() {
    let (_folder, root) = fresh();
    let store = Store::open(&root).expect("it is writable");
    let stored = tree("Sort.");
    let digest = store.put(&stored).expect("it is writable");
    let folder = place(&root, &digest);
    let damages: [&dyn Fn(); 4] = [
        &|| fs::write(folder.join("SKILL.md"), "other").expect("it is writable"),
        &|| fs::write(folder.join("more.md"), "").expect("it is writable"),
        &|| fs::remove_file(folder.join("scripts/run.sh")).expect("it is there"),
        &|| {
            fs::remove_dir_all(&folder)
                .and_then(|()| fs::create_dir(&folder))
                .expect("it is there")
        },
    ];
    for damage in damages {
        damage();
        let error = store.get(&digest).expect_err("it is damaged");
        assert_eq!(error.kind(), InstallErrorKind::Corrupt);
        store.put(&stored).expect("it is repaired");
        assert_eq!(
            store.get(&digest).expect("it is good").as_ref(),
            Some(&stored)
        );
    }
}

#[test]
fn many_threads_store_the_same_content() {
    let (_folder, root) = fresh();
    let stored = tree("Sort.");
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let store = Store::open(&root).expect("it is writable");
                let digest = store.put(&stored).expect("it is writable");
                assert_eq!(
                    store.get(&digest).expect("it is good").as_ref(),
                    Some(&stored)
                );
            });
        }
    });
    assert_eq!(
        fs::read_dir(root.join("trees")).expect("a folder").count(),
        1
    );
}

#[test]
fn a_collection_keeps_what_projects_name() {
    let (folder, root) = fresh();
    let (kept, removed) = (tree("Kept."), tree("Removed."));
    let lock = folder.path().join("lock");
    fs::write(&lock, "").expect("it is writable");
    {
        let store = Store::open(&root).expect("it is writable");
        for stored in [&kept, &removed] {
            store.put(stored).expect("it is writable");
        }
        store.remember(&lock).expect("it is writable");
        store
            .remember(&folder.path().join("gone"))
            .expect("it is writable");
    }
    fs::create_dir(root.join("tmp/left")).expect("it is writable");
    let used = |path: &Path| -> Result<_, InstallError> {
        Ok((path == lock).then(|| vec![kept.manifest().digest()]))
    };
    let collected = Store::collect(&root, used).expect("it is writable");
    let StoreGc {
        removed: count,
        kept: left,
        ..
    } = collected;
    assert_eq!((count, left), (1, 1));
    let store = Store::open(&root).expect("it is writable");
    assert_eq!(
        store.get(&kept.manifest().digest()).expect("it is good"),
        Some(kept.clone())
    );
    assert_eq!(
        store.get(&removed.manifest().digest()).expect("no error"),
        None
    );
    assert_eq!(
        fs::read_dir(root.join("projects"))
            .expect("a folder")
            .count(),
        1
    );
    assert_eq!(fs::read_dir(root.join("tmp")).expect("a folder").count(), 0);
}

#[test]
fn an_unreadable_lock_stops_the_collection() {
    let (folder, root) = fresh();
    let digest = {
        let store = Store::open(&root).expect("it is writable");
        store
            .remember(&folder.path().join("lock"))
            .expect("it is writable");
        store.put(&tree("Sort.")).expect("it is writable")
    };
    let refuse = |_: &Path| "x".parse::<repertoire_install::Reference>().map(|_| None);
    Store::collect(&root, refuse).expect_err("the lock is unreadable");
    let store = Store::open(&root).expect("it is writable");
    assert!(store.get(&digest).expect("it is good").is_some());
}
