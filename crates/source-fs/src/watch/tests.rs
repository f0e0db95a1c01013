//! Watching with a backend whose events a test makes, under a paused clock.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod content;
mod notify_backend;
mod sharing;
mod world;

use std::future::poll_fn;
use std::sync::atomic::Ordering;
use std::task::Poll;
use std::time::Duration;

use repertoire_core::{Code, Revision, Source};
use tokio::time::{Instant, sleep, timeout};

use self::world::{DEBOUNCE, Kind, LONGEST, POLL, Stage, about, rows};
use super::backend::WatchEvent;

#[tokio::test(start_paused = true)]
async fn debounced_scans_read_only_dirty_folders() {
    let stage = Stage::new(&["a", "b"]).await;
    stage.write("b", "Nobody tells.");
    stage.edit("a", "Second.");
    assert!(about(stage.change().await, DEBOUNCE));
    assert_eq!(stage.rows(), rows(&[("a", "Second."), ("b", "First.")]));
    assert!(stage.is_quiet().await);
}

#[tokio::test(start_paused = true)]
async fn events_prolong_the_wait_up_to_a_limit() {
    let stage = Stage::new(&["a"]).await;
    let storm = async {
        loop {
            stage.edit("a", "Still being written.");
            sleep(DEBOUNCE / 2).await;
        }
    };
    let elapsed = tokio::select! {
        elapsed = stage.change() => elapsed,
        () = storm => unreachable!("it goes on for ever"),
    };
    assert!(about(elapsed, LONGEST), "{elapsed:?}");
}

#[tokio::test(start_paused = true)]
async fn endless_writes_do_not_delay_other_files() {
    let stage = Stage::new(&["busy", "calm"]).await;
    let hammer = async {
        loop {
            stage.edit("busy", "Still being written.");
            sleep(Duration::from_millis(1)).await;
        }
    };
    let edit = async {
        sleep(LONGEST / 2).await;
        stage.edit("calm", "Second.");
        let edited = Instant::now();
        // A read can meet the other file half written, so its row is not compared.
        let expected = ("calm".to_owned(), "Second.".to_owned());
        while !stage.rows().contains(&expected) {
            stage.change().await;
        }
        edited.elapsed()
    };
    let elapsed = tokio::select! {
        elapsed = edit => elapsed,
        () = hammer => unreachable!("it goes on for ever"),
    };
    assert!(elapsed <= LONGEST, "{elapsed:?}");
}

#[tokio::test(start_paused = true)]
async fn idle_sources_do_not_wake_up() {
    let stage = Stage::new(&["a"]).await;
    let mut changed = stage.source.changed(stage.shown().revision());
    let mut polls = 0;
    let counted = poll_fn(|context| {
        polls += 1;
        changed.as_mut().poll(context)
    });
    let day = Duration::from_secs(24 * 60 * 60);
    assert!(timeout(day, counted).await.is_err());
    // One to begin with, and one because the day is over.
    assert_eq!(polls, 2);
}

#[tokio::test(start_paused = true)]
async fn a_file_repaired_in_time_is_never_reported() {
    let stage = Stage::new(&["a"]).await;
    let before = stage.shown().revision();
    std::fs::write(stage.path("a/SKILL.md"), "").unwrap();
    stage
        .world
        .dispatch_at(Kind::Written, &stage.path("a/SKILL.md"));
    let save = async {
        sleep(DEBOUNCE * 9 / 10).await;
        stage.edit("a", "Saved.");
    };
    tokio::join!(stage.change(), save);
    assert_eq!(
        (stage.rows(), stage.complaints()),
        (rows(&[("a", "Saved.")]), vec![])
    );
    assert_eq!(stage.shown().revision(), Revision(before.0 + 1));
}

#[tokio::test(start_paused = true)]
async fn a_dropped_wait_does_not_restart_the_debounce() {
    let stage = Stage::new(&["a"]).await;
    let begun = Instant::now();
    stage.edit("a", "Second.");
    let since = stage.shown().revision();
    for _ in 0..50 {
        let _ = timeout(Duration::from_millis(30), stage.source.changed(since)).await;
    }
    assert_eq!(stage.rows(), rows(&[("a", "Second.")]));
    assert!(begun.elapsed() >= LONGEST);
}

#[tokio::test(start_paused = true)]
async fn changes_before_the_watch_survive_a_dropped_wait() {
    for polls in 0..24 {
        let stage = Stage::unarmed(&["a"], usize::MAX);
        let since = stage.source.list().await.unwrap().revision();
        stage.write("a", "Nobody tells.");
        {
            let mut changed = stage.source.changed(since);
            for _ in 0..polls {
                if poll_fn(|context| Poll::Ready(changed.as_mut().poll(context).is_ready())).await {
                    break;
                }
                // Let what is in the blocking pool come to an end.
                sleep(Duration::from_millis(1)).await;
            }
        }
        stage.source.changed(since).await;
        assert_eq!(
            stage.rows(),
            rows(&[("a", "Nobody tells.")]),
            "given up after {polls} polls"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn every_waiting_future_is_notified() {
    let stage = Stage::new(&["a"]).await;
    stage.edit("a", "Second.");
    tokio::join!(stage.change(), stage.change(), stage.change());
    stage.write("a", "Third.");
    let listed = async { stage.source.list().await.unwrap() };
    tokio::join!(stage.change(), listed);
    assert_eq!(stage.rows(), rows(&[("a", "Third.")]));
}

#[tokio::test(start_paused = true)]
async fn strangers_are_no_change() {
    let stage = Stage::new(&["a"]).await;
    stage.write("a", "Nobody tells.");
    stage
        .world
        .dispatch_at(Kind::Written, &stage.path("../stranger"));
    assert!(stage.is_quiet().await);
}

#[tokio::test(start_paused = true)]
async fn an_overflow_scans_and_watches_everything_again() {
    let stage = Stage::new(&["a", "b"]).await;
    stage.write("a", "Lost.");
    stage.write("c", "Lost too.");
    stage.world.watched.lock().clear();
    stage.world.dispatch(WatchEvent::Anything);
    stage.change().await;
    assert_eq!(
        stage.rows(),
        rows(&[("a", "Lost."), ("b", "First."), ("c", "Lost too.")])
    );
    stage.edit("c", "Watched.");
    stage.change().await;
    assert_eq!(
        stage.rows(),
        rows(&[("a", "Lost."), ("b", "First."), ("c", "Watched.")])
    );
}

#[tokio::test(start_paused = true)]
async fn files_written_before_their_watch_are_found() {
    let stage = Stage::new(&["a"]).await;
    // Only the top of the copied tree has an event.
    stage.write("pack/deep/one", "Copied.");
    stage.world.dispatch_at(Kind::Made, &stage.path("pack"));
    stage.change().await;
    assert_eq!(stage.shown().len(), 2);
    assert!(stage.world.watched().contains(&stage.path("pack/deep/one")));
}

#[tokio::test(start_paused = true)]
async fn a_recreated_folder_is_watched_again() {
    let stage = Stage::new(&["a", "b"]).await;
    std::fs::remove_dir_all(stage.path("a")).unwrap();
    stage.write("a", "Made again.");
    stage.world.dispatch_at(Kind::Gone, &stage.path("a"));
    stage.change().await;
    stage.edit("a", "Edited.");
    stage.change().await;
    assert_eq!(stage.rows(), rows(&[("a", "Edited."), ("b", "First.")]));
    std::fs::remove_dir_all(stage.path("b")).unwrap();
    stage.world.dispatch_at(Kind::Gone, &stage.path("b"));
    stage.change().await;
    assert!(!stage.world.watched().contains(&stage.path("b")));
}

#[tokio::test(start_paused = true)]
async fn polling_replaces_watches_at_their_limit() {
    let stage = Stage::with(&["a", "b", "c"], 4).await;
    assert_eq!(stage.complaints(), [Code::WATCH_DEGRADED]);
    stage.write("c", "Nobody tells.");
    let elapsed = stage.change().await;
    assert!(elapsed <= POLL + Duration::from_millis(5), "{elapsed:?}");
    assert_eq!(
        stage.rows(),
        rows(&[("a", "First."), ("b", "First."), ("c", "Nobody tells.")])
    );
    assert!(stage.is_quiet().await);
    assert_eq!(
        stage.source.list().await.unwrap().revision(),
        stage.shown().revision()
    );
    assert_eq!(stage.complaints(), [Code::WATCH_DEGRADED]);
    stage.world.room.store(usize::MAX, Ordering::Relaxed);
    stage.change().await;
    assert_eq!(stage.complaints(), []);
    stage.edit("c", "Told.");
    assert!(about(stage.change().await, DEBOUNCE));
}

#[tokio::test(start_paused = true)]
async fn a_remote_file_system_is_polled() {
    let stage = Stage::unarmed(&["a", "b"], usize::MAX);
    *stage.world.remote.lock() = Some(stage.path(""));
    stage.source.changed(Revision(0)).await;
    stage.until_hashed().await;
    assert_eq!(stage.complaints(), [Code::WATCH_DEGRADED]);
    let diagnostic = stage.shown().diagnostics()[0].clone();
    let root = stage.path("");
    let root = root.display().to_string();
    let root = root.trim_end_matches('/');
    assert_eq!(
        diagnostic.message,
        format!("`{root}` lies on a file system (FAKE) that does not report what others change")
    );
    let help = "nothing is lost: everything is looked at every 2s; to have no diagnostic, write `watch = { by = \"polling\" }` \
                for the source";
    assert_eq!(diagnostic.help.as_deref(), Some(help));
    stage.write("b", "Nobody tells.");
    let elapsed = stage.change().await;
    assert!(elapsed <= POLL + Duration::from_millis(5), "{elapsed:?}");
    assert_eq!(
        stage.rows(),
        rows(&[("a", "First."), ("b", "Nobody tells.")])
    );
    assert!(stage.is_quiet().await, "polling goes on without a word");
    stage.edit("a", "Told.");
    assert!(
        about(stage.change().await, DEBOUNCE),
        "events of this machine count at once"
    );
    *stage.world.remote.lock() = None;
    stage.world.dispatch(WatchEvent::Anything);
    stage.change().await;
    assert_eq!(stage.complaints(), [], "it is mounted elsewhere by now");
}

#[cfg(unix)]
#[tokio::test(start_paused = true)]
async fn linked_skills_on_remote_devices_are_polled() {
    let stage = Stage::unarmed(&["a"], usize::MAX);
    // Another device than that of temporary folders, where there is one.
    let Ok(other) = tempfile::tempdir_in("/dev/shm") else {
        return eprintln!("SKIPPED: no second file system");
    };
    std::fs::write(
        other.path().join("SKILL.md"),
        "---\nname: far\ndescription: First.\n---\n",
    )
    .unwrap();
    std::os::unix::fs::symlink(other.path(), stage.path("far")).unwrap();
    *stage.world.remote.lock() = Some(stage.path("far"));
    stage.source.changed(Revision(0)).await;
    stage.until_hashed().await;
    let same_device = rustix::fs::stat(other.path()).unwrap().st_dev
        == rustix::fs::stat(stage.path("a")).unwrap().st_dev;
    if same_device {
        return eprintln!("SKIPPED: no second file system");
    }
    assert!(
        stage.complaints().contains(&Code::WATCH_DEGRADED),
        "{:?}",
        stage.complaints()
    );
}

#[tokio::test(start_paused = true)]
async fn a_failed_backend_is_replaced_without_loss() {
    let stage = Stage::new(&["a"]).await;
    stage.world.dispatch(WatchEvent::Failed("out of order"));
    stage.change().await;
    assert_eq!(stage.complaints(), [Code::WATCH_DEGRADED]);
    let message = stage.shown().diagnostics()[0].message.clone();
    assert_eq!(
        &*message,
        "folders cannot be watched any more: out of order"
    );
    stage.write("a", "Nobody tells.");
    stage.change().await;
    assert_eq!(
        (stage.rows(), stage.complaints()),
        (rows(&[("a", "Nobody tells.")]), vec![])
    );
    assert_eq!(stage.world.opened.load(Ordering::Relaxed), 2);
}

#[tokio::test(start_paused = true)]
async fn watches_grow_with_skills_not_their_dependencies() {
    let stage = Stage::new(&["a"]).await;
    let before = stage.world.watched().len();
    for package in 0..100 {
        std::fs::create_dir_all(stage.path(&format!("a/node_modules/p{package}"))).unwrap();
    }
    std::fs::create_dir_all(stage.path("a/scripts")).unwrap();
    stage
        .world
        .dispatch_at(Kind::Made, &stage.path("a/scripts"));
    assert!(stage.is_quiet().await, "an empty folder is no change");
    assert_eq!(stage.world.watched().len(), before + 1);
}
