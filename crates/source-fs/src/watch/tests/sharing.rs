//! Several sources over one hub.

use std::sync::atomic::Ordering;

use repertoire_core::{Code, Revision, Source};

use super::world::{Kind, POLL, Stage, rows};
use crate::watch::backend::WatchEvent;

/// Two sources over the same folders and one over others.
async fn three() -> [Stage; 3] {
    let first = Stage::new(&["a", "b"]).await;
    let second = first.siblings("root", &[]).await;
    let third = first.siblings("other", &["c"]).await;
    [first, second, third]
}

#[tokio::test(start_paused = true)]
async fn sources_are_notified_only_of_their_folders() {
    let [first, second, third] = three().await;
    assert_eq!(first.world.opened.load(Ordering::Relaxed), 1);
    third.write("c", "Nobody tells.");
    first.edit("a", "Second.");
    tokio::join!(first.change(), second.change());
    assert_eq!(first.rows(), rows(&[("a", "Second."), ("b", "First.")]));
    assert_eq!(second.rows(), first.rows());
    assert!(third.is_quiet().await);
}

#[tokio::test(start_paused = true)]
async fn dropping_a_source_removes_only_unshared_watches() {
    let [first, second, third] = three().await;
    let [shared, own] = [first.path("a"), third.path("c")];
    drop(third);
    assert!(!first.world.watched().contains(&own));
    drop(second);
    assert!(first.world.watched().contains(&shared));
    first.edit("a", "Second.");
    first.change().await;
    std::fs::remove_dir_all(first.path("b")).unwrap();
    first.world.dispatch_at(Kind::Gone, &first.path("b"));
    first.change().await;
    assert_eq!(first.rows(), rows(&[("a", "Second.")]));
    let world = first.world.clone();
    drop(first);
    assert!(world.watched().is_empty());
}

#[tokio::test(start_paused = true)]
async fn overflows_and_failures_reach_all_sources() {
    let [first, second, third] = three().await;
    first.write("a", "Lost.");
    third.write("c", "Lost.");
    first.world.dispatch(WatchEvent::Anything);
    tokio::join!(first.change(), second.change(), third.change());
    assert_eq!(first.rows(), rows(&[("a", "Lost."), ("b", "First.")]));
    assert_eq!(third.rows(), rows(&[("c", "Lost.")]));
    first.world.dispatch(WatchEvent::Failed("out of order"));
    tokio::join!(first.change(), second.change(), third.change());
    for stage in [&first, &second, &third] {
        assert_eq!(stage.complaints(), [Code::WATCH_DEGRADED]);
    }
    let elapsed = tokio::join!(first.change(), second.change(), third.change());
    assert!(
        elapsed.0 <= POLL && elapsed.1 <= POLL && elapsed.2 <= POLL,
        "{elapsed:?}"
    );
    for stage in [&first, &second, &third] {
        assert_eq!(stage.complaints(), []);
    }
    assert_eq!(
        first.world.opened.load(Ordering::Relaxed),
        2,
        "one more for all"
    );
    first.edit("a", "Told.");
    tokio::join!(first.change(), second.change());
    assert_eq!(second.rows(), rows(&[("a", "Told."), ("b", "First.")]));
}

#[tokio::test(start_paused = true)]
async fn events_during_a_watch_update_are_kept() {
    let first = Stage::unarmed(&["a"], usize::MAX);
    let folder = first.path("a");
    *first.world.restless.lock() = Some(folder.clone());
    first.source.changed(Revision(0)).await;
    assert!(
        first.world.watched().contains(&folder),
        "it was created again and is to be watched again"
    );
    // And once more when others listen there already.
    *first.world.restless.lock() = Some(folder.clone());
    let second = first.siblings("root", &[]).await;
    assert!(
        first.world.watched().contains(&folder),
        "the newcomer watches it, although the other one sleeps"
    );
    first.edit("a", "Told.");
    tokio::join!(first.change(), second.change());
    assert_eq!(second.rows(), rows(&[("a", "Told.")]));
}
