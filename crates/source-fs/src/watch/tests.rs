//! Watching with a backend that sees what it is told to see, under a clock that moves when nobody works.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod content;

use std::collections::BTreeSet;
use std::future::poll_fn;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;
use std::time::Duration;

use notify::event::{AccessKind, CreateKind, DataChange, Flag, ModifyKind, RemoveKind};
use notify::{Event, EventKind};
use repertoire_core::{Code, Listing, Revision, Skill, Source};
use tempfile::TempDir;
use tokio::time::{Instant, sleep, timeout};

use super::*;
use crate::FsSource;

const WRITTEN: EventKind = EventKind::Modify(ModifyKind::Data(DataChange::Any));
const DEBOUNCE: Duration = Duration::from_millis(100);
const LONGEST: Duration = Duration::from_secs(1);
const POLL: Duration = Duration::from_secs(2);

/// What all backends of one test watch, and how many folders they may.
#[derive(Debug)]
struct World {
    watched: Mutex<BTreeSet<PathBuf>>,
    room: AtomicUsize,
    opened: AtomicUsize,
    hints: Mutex<Option<Arc<Hints>>>,
}

#[derive(Debug)]
struct Fake(Arc<World>);

impl Backend for Fake {
    fn watch(&mut self, folder: &Path) -> Result<(), Refusal> {
        let mut watched = self.0.watched.lock().unwrap();
        if watched.len() >= self.0.room.load(Ordering::Relaxed) && !watched.contains(folder) {
            return Err(Refusal::Exhausted);
        }
        watched.insert(folder.to_owned());
        Ok(())
    }

    fn unwatch(&mut self, folder: &Path) {
        self.0.watched.lock().unwrap().remove(folder);
    }
}

impl Drop for Fake {
    fn drop(&mut self) {
        self.0.watched.lock().unwrap().clear();
    }
}

impl World {
    /// Tells of something at `path`, if a folder is watched in which a real backend would see it. What is removed is
    /// forgotten.
    fn tell(&self, kind: EventKind, path: &Path) {
        let mut watched = self.watched.lock().unwrap();
        if watched.contains(path) || path.parent().is_some_and(|parent| watched.contains(parent)) {
            watched.retain(|folder| !(kind.is_remove() && folder.starts_with(path)));
            drop(watched);
            self.event(Ok(Event::new(kind).add_path(path.to_owned())));
        }
    }

    fn event(&self, event: notify::Result<Event>) {
        self.hints.lock().unwrap().as_ref().unwrap().take_in(event);
    }
}

/// A watched source over a real folder that nobody but the test tells of changes.
struct Stage {
    folder: TempDir,
    world: Arc<World>,
    source: FsSource,
}

impl Stage {
    async fn new(skills: &[&str]) -> Stage {
        Stage::with(skills, usize::MAX).await
    }

    /// With room for so many watches.
    async fn with(skills: &[&str], room: usize) -> Stage {
        let stage = Stage::unarmed(skills, room);
        stage.source.changed(Revision(0)).await;
        stage.until_told().await;
        stage
    }

    /// Waits until all content is known.
    async fn until_told(&self) {
        while self.shown().iter().any(|row| row.parts.is_none()) {
            self.change().await;
        }
    }

    /// Before anybody waits for a change.
    fn unarmed(skills: &[&str], room: usize) -> Stage {
        let world = Arc::new(World {
            watched: Mutex::default(),
            room: AtomicUsize::new(room),
            opened: AtomicUsize::new(0),
            hints: Mutex::default(),
        });
        let opener: Opener = {
            let world = world.clone();
            Arc::new(move |hints| {
                world.opened.fetch_add(1, Ordering::Relaxed);
                *world.hints.lock().unwrap() = Some(hints);
                Ok(Box::new(Fake(world.clone())))
            })
        };
        let folder = tempfile::tempdir().unwrap();
        let watcher = Watcher::over(WatchOptions::default(), opener);
        let source = FsSource::new("test", folder.path().join("root")).watched_by(watcher);
        let stage = Stage { folder, world, source };
        skills.iter().for_each(|skill| stage.write(skill, "First."));
        stage
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join("root").join(path)
    }

    fn write(&self, skill: &str, description: &str) {
        std::fs::create_dir_all(self.path(skill)).unwrap();
        let text = format!("---\nname: {skill}\ndescription: {description}\n---\n");
        std::fs::write(self.path(skill).join("SKILL.md"), text).unwrap();
    }

    /// Writes a skill and tells of it.
    fn edit(&self, skill: &str, description: &str) {
        self.write(skill, description);
        self.world.tell(WRITTEN, &self.path(skill).join("SKILL.md"));
    }

    /// What was listed last, without looking.
    fn shown(&self) -> Listing<Skill> {
        self.source.latest().unwrap().listing.clone()
    }

    fn rows(&self) -> Vec<(String, String)> {
        self.shown().iter().map(|row| (row.item.id.to_string(), row.item.description.to_string())).collect()
    }

    fn complaints(&self) -> Vec<Code> {
        self.shown().diagnostics().iter().map(|diagnostic| diagnostic.code).collect()
    }

    /// Waits for the next change, and tells how long that took.
    async fn change(&self) -> Duration {
        let begun = Instant::now();
        self.source.changed(self.shown().revision()).await;
        begun.elapsed()
    }

    /// Whether nothing changes for a long time.
    async fn is_quiet(&self) -> bool {
        timeout(Duration::from_secs(600), self.change()).await.is_err()
    }
}

fn rows(rows: &[(&str, &str)]) -> Vec<(String, String)> {
    rows.iter().map(|(id, description)| ((*id).to_owned(), (*description).to_owned())).collect()
}

/// `elapsed` in the steps of the clock, which counts in milliseconds.
fn about(elapsed: Duration, expected: Duration) -> bool {
    (expected..expected + Duration::from_millis(5)).contains(&elapsed)
}

#[tokio::test(start_paused = true)]
async fn it_is_looked_after_a_quiet_while_and_only_where_something_was_told() {
    let stage = Stage::new(&["a", "b"]).await;
    stage.write("b", "Nobody tells.");
    stage.edit("a", "Second.");
    assert!(about(stage.change().await, DEBOUNCE));
    assert_eq!(stage.rows(), rows(&[("a", "Second."), ("b", "First.")]));
    assert!(stage.is_quiet().await);
}

#[tokio::test(start_paused = true)]
async fn every_event_prolongs_the_wait_but_not_for_ever() {
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
async fn a_file_that_is_whole_again_in_time_was_never_broken() {
    let stage = Stage::new(&["a"]).await;
    let before = stage.shown().revision();
    std::fs::write(stage.path("a/SKILL.md"), "").unwrap();
    stage.world.tell(WRITTEN, &stage.path("a/SKILL.md"));
    let save = async {
        sleep(DEBOUNCE * 9 / 10).await;
        stage.edit("a", "Saved.");
    };
    tokio::join!(stage.change(), save);
    assert_eq!((stage.rows(), stage.complaints()), (rows(&[("a", "Saved.")]), vec![]));
    assert_eq!(stage.shown().revision(), Revision(before.0 + 1));
}

#[tokio::test(start_paused = true)]
async fn waiting_may_be_given_up_at_any_time_and_does_not_begin_anew() {
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
async fn what_changes_before_folders_are_armed_is_found_whenever_arming_is_given_up() {
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
        assert_eq!(stage.rows(), rows(&[("a", "Nobody tells.")]), "given up after {polls} polls");
    }
}

#[tokio::test(start_paused = true)]
async fn everybody_who_waits_is_told_and_a_listing_counts_too() {
    let stage = Stage::new(&["a"]).await;
    stage.edit("a", "Second.");
    tokio::join!(stage.change(), stage.change(), stage.change());
    stage.write("a", "Third.");
    let listed = async { stage.source.list().await.unwrap() };
    tokio::join!(stage.change(), listed);
    assert_eq!(stage.rows(), rows(&[("a", "Third.")]));
}

#[tokio::test(start_paused = true)]
async fn reading_and_strangers_are_no_change() {
    let stage = Stage::new(&["a"]).await;
    stage.write("a", "Nobody tells.");
    stage.world.tell(EventKind::Access(AccessKind::Read), &stage.path("a/SKILL.md"));
    stage.world.tell(WRITTEN, &stage.folder.path().join("stranger"));
    assert!(stage.is_quiet().await);
}

#[tokio::test(start_paused = true)]
async fn after_an_overflow_everything_is_looked_at_and_armed_anew() {
    let stage = Stage::new(&["a", "b"]).await;
    stage.write("a", "Lost.");
    stage.write("c", "Lost too.");
    stage.world.watched.lock().unwrap().clear();
    stage.world.event(Ok(Event::new(EventKind::Other).set_flag(Flag::Rescan)));
    stage.change().await;
    assert_eq!(stage.rows(), rows(&[("a", "Lost."), ("b", "First."), ("c", "Lost too.")]));
    stage.edit("c", "Watched.");
    stage.change().await;
    assert_eq!(stage.rows(), rows(&[("a", "Lost."), ("b", "First."), ("c", "Watched.")]));
}

#[tokio::test(start_paused = true)]
async fn what_comes_before_its_folder_is_watched_is_found() {
    let stage = Stage::new(&["a"]).await;
    // Only the top of what was copied in is told of.
    stage.write("pack/deep/one", "Copied.");
    stage.world.tell(EventKind::Create(CreateKind::Folder), &stage.path("pack"));
    stage.change().await;
    assert_eq!(stage.shown().len(), 2);
    assert!(stage.world.watched.lock().unwrap().contains(&stage.path("pack/deep/one")));
}

#[tokio::test(start_paused = true)]
async fn a_folder_that_is_made_again_is_watched_again() {
    let stage = Stage::new(&["a", "b"]).await;
    std::fs::remove_dir_all(stage.path("a")).unwrap();
    stage.write("a", "Made again.");
    stage.world.tell(EventKind::Remove(RemoveKind::Folder), &stage.path("a"));
    stage.change().await;
    stage.edit("a", "Edited.");
    stage.change().await;
    assert_eq!(stage.rows(), rows(&[("a", "Edited."), ("b", "First.")]));
    std::fs::remove_dir_all(stage.path("b")).unwrap();
    stage.world.tell(EventKind::Remove(RemoveKind::Folder), &stage.path("b"));
    stage.change().await;
    assert!(!stage.world.watched.lock().unwrap().contains(&stage.path("b")));
}

#[tokio::test(start_paused = true)]
async fn at_the_limit_of_watches_everything_is_polled_until_there_is_room() {
    let stage = Stage::with(&["a", "b", "c"], 4).await;
    assert_eq!(stage.complaints(), [Code::WATCH_DEGRADED]);
    stage.write("c", "Nobody tells.");
    let elapsed = stage.change().await;
    assert!(elapsed <= POLL + Duration::from_millis(5), "{elapsed:?}");
    assert_eq!(stage.rows(), rows(&[("a", "First."), ("b", "First."), ("c", "Nobody tells.")]));
    assert!(stage.is_quiet().await);
    assert_eq!(stage.source.list().await.unwrap().revision(), stage.shown().revision());
    assert_eq!(stage.complaints(), [Code::WATCH_DEGRADED]);
    stage.world.room.store(usize::MAX, Ordering::Relaxed);
    stage.change().await;
    assert_eq!(stage.complaints(), []);
    stage.edit("c", "Told.");
    assert!(about(stage.change().await, DEBOUNCE));
}

#[tokio::test(start_paused = true)]
async fn a_backend_that_fails_is_replaced_and_nothing_is_lost_meanwhile() {
    let stage = Stage::new(&["a"]).await;
    stage.world.event(Err(notify::Error::generic("out of order")));
    stage.change().await;
    assert_eq!(stage.complaints(), [Code::WATCH_DEGRADED]);
    let message = stage.shown().diagnostics()[0].message.clone();
    assert_eq!(&*message, "folders cannot be watched any more: out of order");
    stage.write("a", "Nobody tells.");
    stage.change().await;
    assert_eq!((stage.rows(), stage.complaints()), (rows(&[("a", "Nobody tells.")]), vec![]));
    assert_eq!(stage.world.opened.load(Ordering::Relaxed), 2);
}

#[tokio::test(start_paused = true)]
async fn watches_grow_with_skills_and_not_with_what_they_carry() {
    let stage = Stage::new(&["a"]).await;
    let before = stage.world.watched.lock().unwrap().len();
    for package in 0..100 {
        std::fs::create_dir_all(stage.path(&format!("a/node_modules/p{package}"))).unwrap();
    }
    std::fs::create_dir_all(stage.path("a/scripts")).unwrap();
    stage.world.tell(EventKind::Create(CreateKind::Folder), &stage.path("a/scripts"));
    assert!(stage.is_quiet().await, "an empty folder is no change");
    assert_eq!(stage.world.watched.lock().unwrap().len(), before + 1);
}
