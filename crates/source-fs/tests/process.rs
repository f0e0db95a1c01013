//! Resources of the process that watching takes and releases. In a process of its own, one test after another: what other
//! tests hold would be counted.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![cfg(target_os = "linux")]

use std::fs;
use std::future::poll_fn;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::task::Poll;
use std::time::{Duration, Instant};

use repertoire_core::{Revision, Source};
use repertoire_source_fs::{FsOptions, FsSource, WatchOptions};
use tempfile::TempDir;

/// Runs a test while no other one runs, and its runtime.
fn alone(test: impl Future<Output = ()>) {
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap()
        .block_on(test);
}

/// When something that should happen soon counts as never. A guard, not a measure.
const NEVER: Duration = Duration::from_secs(30);

/// The resources that are open for watching.
#[derive(Debug, PartialEq, Eq)]
struct Held {
    instances: usize,
    watches: usize,
    /// The other descriptors.
    others: usize,
    threads: usize,
}

const NOTHING: Held = Held {
    instances: 0,
    watches: 0,
    others: 0,
    threads: 0,
};

fn held() -> Held {
    let mut held = NOTHING;
    for entry in fs::read_dir("/proc/self/fd").unwrap() {
        let entry = entry.unwrap();
        let Ok(target) = fs::read_link(entry.path()) else {
            continue;
        };
        if target.ends_with("anon_inode:inotify") || target.ends_with("anon_inode:[inotify]") {
            // The descriptor may have been closed since the folder was read.
            let info = Path::new("/proc/self/fdinfo").join(entry.file_name());
            let Ok(lines) = fs::read_to_string(info) else {
                continue;
            };
            held.instances += 1;
            held.watches += lines
                .lines()
                .filter(|line| line.starts_with("inotify "))
                .count();
        } else if target.ends_with("mountinfo") {
            held.others += 1;
        }
    }
    for task in fs::read_dir("/proc/self/task").unwrap() {
        let name = fs::read_to_string(task.unwrap().path().join("comm")).unwrap_or_default();
        held.threads += usize::from(name.trim() == "skill-watch");
    }
    held
}

/// Waits until just this is held: a thread has its name when it begins to run, and not yet when it was started.
fn until_held(expected: &Held) {
    let begun = Instant::now();
    while held() != *expected {
        assert!(
            begun.elapsed() < NEVER,
            "held: {:?}, expected {expected:?}",
            held()
        );
        std::thread::yield_now();
    }
}

fn descriptors() -> usize {
    fs::read_dir("/proc/self/fd").unwrap().count()
}

/// Waits until nothing is held any more and so many descriptors are open: what was given up in the middle comes to its
/// end by itself.
fn until_nothing_is_held(open: usize) {
    let begun = Instant::now();
    while (held(), descriptors()) != (NOTHING, open) {
        assert!(
            begun.elapsed() < NEVER,
            "still held: {:?}, {} of {open}",
            held(),
            descriptors()
        );
        std::thread::yield_now();
    }
}

fn write(folder: &Path, skill: &str, description: &str) {
    fs::create_dir_all(folder.join(skill)).unwrap();
    let name = Path::new(skill).file_name().unwrap().to_str().unwrap();
    let text = format!("---\nname: {name}\ndescription: {description}\n---\n");
    fs::write(folder.join(skill).join("SKILL.md"), text).unwrap();
}

fn skills(skills: &[&str]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    skills
        .iter()
        .for_each(|skill| write(folder.path(), skill, "First."));
    folder
}

/// A source over several roots that is watched by now.
async fn watched(folder: &Path, roots: &[&str]) -> FsSource {
    let options: FsOptions = serde_json::from_value(serde_json::json!({ "roots": roots })).unwrap();
    let source = FsSource::from_options("test", folder, options)
        .unwrap()
        .watching(WatchOptions::default());
    source.changed(Revision(0)).await;
    source
}

/// Edits `skill` and waits until `source` has seen it.
async fn notices_edit(source: &FsSource, folder: &Path, skill: &str, description: &str) {
    let before = source.list().await.unwrap().revision();
    write(folder, skill, description);
    tokio::time::timeout(NEVER, source.changed(before))
        .await
        .expect("an edit should be seen");
    let listing = source.list().await.unwrap();
    assert!(
        listing
            .iter()
            .any(|row| &*row.item.description == description),
        "{listing:?}"
    );
}

#[test]
fn sources_share_one_instance_and_its_watches() {
    alone(async {
        let folder = skills(&["one/a", "one/b", "two/c", "three/d"]);
        let (at, before) = (folder.path(), descriptors());
        // `/`, `/tmp` or the like, the folder of the test, and a way there: as many for one source as for all.
        let above = at.ancestors().count();
        let first = watched(at, &["one", "two"]).await;
        until_held(&Held {
            instances: 1,
            watches: above + 5,
            others: 1,
            threads: 1,
        });
        let second = watched(at, &["two", "three"]).await;
        let third = watched(at, &["three", "one", "two"]).await;
        until_held(&Held {
            instances: 1,
            watches: above + 7,
            others: 1,
            threads: 1,
        });
        for (source, skill) in [(&first, "one/a"), (&second, "three/d"), (&third, "two/c")] {
            notices_edit(source, at, skill, "Second.").await;
        }
        drop(third);
        assert_eq!(held().watches, above + 7);
        notices_edit(&second, at, "three/d", "Third.").await;
        drop(first);
        assert_eq!(held().watches, above + 4);
        notices_edit(&second, at, "two/c", "Third.").await;
        drop(second);
        until_nothing_is_held(before);
    });
}

#[test]
fn node_modules_take_no_watches() {
    alone(async {
        let folder = skills(&["root/heavy"]);
        let at = folder.path();
        fs::create_dir_all(at.join("root/heavy/scripts/lib")).unwrap();
        for package in 0..1_000 {
            let file = at.join(format!("root/heavy/node_modules/p{package}/index.js"));
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "").unwrap();
        }
        let source = watched(at, &["root"]).await;
        // The root, the skill, and two folders of scripts.
        let expected = at.ancestors().count() + 4;
        assert_eq!(held().watches, expected);
        notices_edit(&source, at, "root/heavy", "Second.").await;
        assert_eq!(held().watches, expected);
    });
}

#[test]
fn a_thousand_dropped_sources_leave_nothing_open() {
    alone(async {
        let folder = skills(&["root/a"]);
        let come_and_go = || {
            let folder = folder.path().to_owned();
            // Eight at a time, so that one comes while another, maybe the last, goes.
            let sources: Vec<_> = (0..8)
                .map(|_| tokio::spawn(drop_watched(folder.clone())))
                .collect();
            async move {
                for source in sources {
                    source.await.unwrap();
                }
            }
        };
        come_and_go().await;
        let before = descriptors();
        for round in 0..125 {
            come_and_go().await;
            // Not even for a moment: a source waits for what it closes. Only the thread may be on its way out.
            assert_eq!(descriptors(), before, "after round {round}");
        }
        until_nothing_is_held(before);
    });
}

async fn drop_watched(folder: PathBuf) {
    let source = watched(&folder, &["root"]).await;
    assert!(held().instances > 0);
    drop(source);
}

#[test]
fn a_source_may_be_dropped_during_a_wait() {
    alone(async {
        let folder = skills(&["root/a", "root/b"]);
        let before = descriptors();
        for polls in 0..100 {
            let source =
                FsSource::new("test", folder.path().join("root")).watching(WatchOptions::default());
            {
                let mut changed = source.changed(Revision(0));
                for _ in 0..polls {
                    if poll_fn(|context| Poll::Ready(changed.as_mut().poll(context).is_ready()))
                        .await
                    {
                        break;
                    }
                    tokio::task::yield_now().await;
                }
            }
            drop(source);
        }
        until_nothing_is_held(before);
    });
}
