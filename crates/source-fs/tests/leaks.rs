//! Watching leaves nothing behind. In a process of its own: descriptors and threads of other tests would be counted.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![cfg(target_os = "linux")]

use std::fs;

use repertoire_core::{Revision, Source};
use repertoire_source_fs::{FsSource, WatchOptions};

/// Open descriptors that belong to watching: the watcher's, and those it waits with.
fn descriptors() -> usize {
    let held = fs::read_dir("/proc/self/fd").unwrap().filter_map(|entry| fs::read_link(entry.unwrap().path()).ok());
    held.filter(|target| ["inotify", "eventpoll", "eventfd"].iter().any(|kind| target.ends_with(anon(kind)))).count()
}

fn anon(kind: &str) -> String {
    format!("anon_inode:[{kind}]")
}

fn watchers() -> usize {
    let threads = fs::read_dir("/proc/self/task").unwrap();
    let names = threads.filter_map(|entry| fs::read_to_string(entry.unwrap().path().join("comm")).ok());
    names.filter(|name| name.starts_with("notify")).count()
}

#[tokio::test]
async fn two_hundred_rounds_leave_no_descriptor_and_no_thread() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("a")).unwrap();
    fs::write(folder.path().join("a/SKILL.md"), "---\nname: a\ndescription: Does a thing.\n---\n").unwrap();
    let open = async || {
        let source = FsSource::new("test", folder.path()).watching(WatchOptions::default());
        source.changed(Revision(0)).await;
        source
    };
    let before = descriptors();
    {
        let _source = open().await;
        assert!(descriptors() > before, "a watched source should hold a descriptor");
    }
    for round in 0..200 {
        drop(open().await);
        assert_eq!(descriptors(), before, "after round {round}");
    }
    // The last thread may be on its way out.
    while watchers() > 0 {
        std::thread::yield_now();
    }
}
