//! The backend that uses `notify`, on real folders.

use std::time::Duration;

use notify::event::{AccessKind, Flag};
use notify::{Event, EventHandler, EventKind};
use repertoire_core::{Code, Listing, Revision, Skill, Source};

use super::world::{Stage, rows};
use crate::FsSource;
use crate::watch::shared_watcher::SharedWatcher;
use crate::watch::*;

/// When a change counts as lost. A guard, not a measure.
const LOST: Duration = Duration::from_secs(30);

/// Waits until the skills of `source` and their descriptions are as `expected`.
async fn until(source: &FsSource, expected: &[(&str, &str)]) {
    let shown = |listing: &Listing<Skill>| -> Vec<(String, String)> {
        listing
            .iter()
            .map(|row| (row.item.id.to_string(), row.item.description.to_string()))
            .collect()
    };
    let expected = rows(expected);
    let waiting = async {
        let mut listing = source.list().await.unwrap();
        while shown(&listing) != expected {
            source.changed(listing.revision()).await;
            listing = source.latest().unwrap().listing.clone();
        }
    };
    tokio::time::timeout(LOST, waiting)
        .await
        .unwrap_or_else(|_| panic!("should come to {expected:?}"));
}

#[tokio::test(start_paused = true)]
async fn reads_are_ignored_and_lost_events_scan_everything() {
    let stage = Stage::new(&["a"]).await;
    let (mut handler, _) =
        notify_backend::EventForwarder::new(stage.world.dispatcher(), Arc::default());
    stage.write("a", "Nobody tells.");
    let read = EventKind::Access(AccessKind::Read);
    handler.handle_event(Ok(Event::new(read).add_path(stage.path("a/SKILL.md"))));
    assert!(stage.is_quiet().await);
    handler.handle_event(Ok(Event::new(EventKind::Other).set_flag(Flag::Rescan)));
    stage.change().await;
    assert_eq!(stage.rows(), rows(&[("a", "Nobody tells.")]));
    handler.handle_event(Err(notify::Error::generic("out of order")));
    stage.change().await;
    assert_eq!(stage.complaints(), [Code::WATCH_DEGRADED]);
}

#[tokio::test]
async fn edits_moves_and_new_folders_are_seen() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("root");
    let write = |skill: &str, description: &str| {
        std::fs::create_dir_all(root.join(skill)).unwrap();
        let text = format!("---\nname: {skill}\ndescription: {description}\n---\n");
        std::fs::write(root.join(skill).join("SKILL.md"), text).unwrap();
    };
    let shared = Arc::new(SharedWatcher::new(Box::new(notify_backend::open)));
    let options = WatchOptions {
        debounce: Duration::from_millis(10),
        ..WatchOptions::default()
    };
    let source =
        FsSource::new("test", &root).watched_by(Watcher::over(options.clone(), shared.clone()));
    let other = FsSource::new("other", &root).watched_by(Watcher::over(options, shared));
    source.changed(Revision(0)).await;
    other.changed(Revision(0)).await;
    write("a", "First.");
    until(&source, &[("a", "First.")]).await;
    until(&other, &[("a", "First.")]).await;
    drop(other);
    write("a", "Second.");
    until(&source, &[("a", "Second.")]).await;
    std::fs::rename(root.join("a"), root.join("b")).unwrap();
    write("a", "Made again.");
    std::fs::remove_file(root.join("b/SKILL.md")).unwrap();
    until(&source, &[("a", "Made again.")]).await;
    write("a", "Still watched.");
    until(&source, &[("a", "Still watched.")]).await;
    std::fs::remove_dir_all(&root).unwrap();
    until(&source, &[]).await;
    write("c", "Back again.");
    until(&source, &[("c", "Back again.")]).await;
}

#[tokio::test]
async fn dropping_a_source_retains_watches_of_others() {
    let folder = tempfile::tempdir().unwrap();
    let write = |skill: &str, description: &str| {
        let path = folder.path().join(skill);
        std::fs::create_dir_all(&path).unwrap();
        let name = path.file_name().unwrap().to_str().unwrap();
        std::fs::write(
            path.join("SKILL.md"),
            format!("---\nname: {name}\ndescription: {description}\n---\n"),
        )
        .unwrap();
    };
    (0..100).for_each(|skill| write(&format!("many/s{skill}"), "First."));
    write("few/a", "First.");
    let shared = Arc::new(SharedWatcher::new(Box::new(notify_backend::open)));
    let options = WatchOptions {
        debounce: Duration::from_millis(10),
        ..WatchOptions::default()
    };
    let [many, few] = ["many", "few"].map(|root| {
        FsSource::new(root, folder.path().join(root))
            .watched_by(Watcher::over(options.clone(), shared.clone()))
    });
    many.changed(Revision(0)).await;
    few.changed(Revision(0)).await;
    drop(many);
    write("few/a", "Second.");
    until(&few, &[("a", "Second.")]).await;
    write("few/b", "First.");
    until(&few, &[("a", "Second."), ("b", "First.")]).await;
}
