//! A file system whose events the test dispatches.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use repertoire_core::{Code, Listing, Revision, Skill, Source};
use tempfile::TempDir;
use tokio::time::{Instant, timeout};

use crate::FsSource;
use crate::watch::backend::{Backend, WatchEvent, WatchId, WatchLimit};
use crate::watch::dispatcher::EventDispatcher;
use crate::watch::*;

pub(super) const DEBOUNCE: Duration = Duration::from_millis(100);
pub(super) const LONGEST: Duration = Duration::from_secs(1);
pub(super) const POLL: Duration = Duration::from_secs(2);

/// A change of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Written,
    Made,
    Gone,
}

/// The folders that all backends of one test watch, and the most that they may.
#[derive(Debug)]
pub(super) struct TestEnv {
    pub(super) watched: Mutex<BTreeMap<PathBuf, WatchId>>,
    last: AtomicUsize,
    pub(super) room: AtomicUsize,
    pub(super) opened: AtomicUsize,
    dispatcher: Mutex<Option<Arc<EventDispatcher>>>,
    /// A folder that is created again while watches are added, with an event before there is a listener.
    pub(super) restless: Mutex<Option<PathBuf>>,
    /// A folder on a file system that other machines change.
    pub(super) remote: Mutex<Option<PathBuf>>,
}

#[derive(Debug)]
struct Fake(Arc<TestEnv>);

impl Backend for Fake {
    fn watch(&self, folders: &[Arc<Path>]) -> Vec<Result<WatchId, WatchError>> {
        let watch = |folder: &Arc<Path>| {
            let mut watched = self.0.watched.lock();
            if let Some(place) = watched.get(&**folder) {
                return Ok(*place);
            }
            if !folder.is_dir() {
                return Err(WatchError::Absent);
            }
            if watched.len() >= self.0.room.load(Ordering::Relaxed) {
                return Err(WatchError::Exhausted(WatchLimit::of_watches()));
            }
            let place = WatchId(self.0.last.fetch_add(1, Ordering::Relaxed) as u64);
            watched.insert(folder.to_path_buf(), place);
            Ok(place)
        };
        let places = folders.iter().map(watch).collect();
        if let Some(folder) = self.0.restless.lock().take() {
            let text = std::fs::read(folder.join("SKILL.md")).unwrap();
            std::fs::remove_dir_all(&folder).unwrap();
            std::fs::create_dir(&folder).unwrap();
            std::fs::write(folder.join("SKILL.md"), text).unwrap();
            self.0.dispatch_at(Kind::Gone, &folder);
        }
        places
    }

    fn unwatch(&self, ids: &[WatchId]) {
        self.0
            .watched
            .lock()
            .retain(|_, other| !ids.contains(other));
    }

    fn remote(&self, folder: &Path) -> Option<&'static str> {
        let remote = self.0.remote.lock();
        remote
            .as_ref()
            .filter(|remote| folder.starts_with(remote))
            .map(|_| "FAKE")
    }
}

impl Drop for Fake {
    fn drop(&mut self) {
        self.0.watched.lock().clear();
    }
}

impl TestEnv {
    pub(super) fn new(room: usize) -> Arc<TestEnv> {
        Arc::new(TestEnv {
            watched: Mutex::default(),
            last: AtomicUsize::new(0),
            room: AtomicUsize::new(room),
            opened: AtomicUsize::new(0),
            dispatcher: Mutex::default(),
            restless: Mutex::default(),
            remote: Mutex::default(),
        })
    }

    /// A hub whose backends see this world.
    pub(super) fn shared(self: &Arc<TestEnv>) -> Arc<SharedWatcher> {
        let world = self.clone();
        Arc::new(SharedWatcher::new(Box::new(move |dispatcher| {
            world.opened.fetch_add(1, Ordering::Relaxed);
            *world.dispatcher.lock() = Some(dispatcher);
            Ok(Box::new(Fake(world.clone())))
        })))
    }

    /// Dispatches an event of `path`, if a real backend had one. Watches of deleted folders end.
    pub(super) fn dispatch_at(&self, kind: Kind, path: &Path) {
        let moves = kind == Kind::Gone;
        let mut watched = self.watched.lock();
        let own = watched.get(path).map(|id| (*id, None));
        let parent = path
            .parent()
            .and_then(|parent| watched.get(parent))
            .map(|id| (*id, path.file_name()));
        watched.retain(|folder, _| !(moves && folder.starts_with(path)));
        drop(watched);
        for (id, name) in own.into_iter().chain(parent) {
            self.dispatch(WatchEvent::At { id, name, moves });
        }
    }

    pub(super) fn dispatch(&self, event: WatchEvent<'_>) {
        self.dispatcher().dispatch(event);
    }

    /// That of the backend that was opened last.
    pub(super) fn dispatcher(&self) -> Arc<EventDispatcher> {
        self.dispatcher.lock().clone().unwrap()
    }

    pub(super) fn watched(&self) -> Vec<PathBuf> {
        self.watched.lock().keys().cloned().collect()
    }
}

/// A watched source over a real folder, with events of the test alone.
pub(super) struct Stage {
    folder: Arc<TempDir>,
    root: PathBuf,
    pub(super) world: Arc<TestEnv>,
    shared: Arc<SharedWatcher>,
    pub(super) source: FsSource,
}

impl Stage {
    pub(super) async fn new(skills: &[&str]) -> Stage {
        Stage::with(skills, usize::MAX).await
    }

    /// With room for so many watches.
    pub(super) async fn with(skills: &[&str], room: usize) -> Stage {
        let stage = Stage::unarmed(skills, room);
        stage.source.changed(Revision(0)).await;
        stage.until_hashed().await;
        stage
    }

    /// Waits until all content is known.
    pub(super) async fn until_hashed(&self) {
        while self.shown().iter().any(|row| row.parts.is_none()) {
            self.change().await;
        }
    }

    /// A source whose changes are not awaited yet.
    pub(super) fn unarmed(skills: &[&str], room: usize) -> Stage {
        let world = TestEnv::new(room);
        let stage = Stage::over(
            Arc::new(tempfile::tempdir().unwrap()),
            "root",
            world.shared(),
            world,
        );
        skills.iter().for_each(|skill| stage.write(skill, "First."));
        stage
    }

    /// Another source in the same world.
    pub(super) async fn siblings(&self, root: &str, skills: &[&str]) -> Stage {
        let stage = Stage::over(
            self.folder.clone(),
            root,
            self.shared.clone(),
            self.world.clone(),
        );
        skills.iter().for_each(|skill| stage.write(skill, "First."));
        stage.source.changed(Revision(0)).await;
        stage.until_hashed().await;
        stage
    }

    fn over(
        folder: Arc<TempDir>,
        root: &str,
        shared: Arc<SharedWatcher>,
        world: Arc<TestEnv>,
    ) -> Stage {
        let root = folder.path().join(root);
        let source = FsSource::new("test", &root)
            .watched_by(Watcher::over(WatchOptions::default(), shared.clone()));
        Stage {
            folder,
            root,
            world,
            shared,
            source,
        }
    }

    pub(super) fn path(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    pub(super) fn write(&self, skill: &str, description: &str) {
        std::fs::create_dir_all(self.path(skill)).unwrap();
        let text = format!("---\nname: {skill}\ndescription: {description}\n---\n");
        std::fs::write(self.path(skill).join("SKILL.md"), text).unwrap();
    }

    /// Writes a skill and dispatches its event.
    pub(super) fn edit(&self, skill: &str, description: &str) {
        self.write(skill, description);
        self.world
            .dispatch_at(Kind::Written, &self.path(skill).join("SKILL.md"));
    }

    /// Returns the last listing without a new scan.
    pub(super) fn shown(&self) -> Listing<Skill> {
        self.source.latest().unwrap().listing.clone()
    }

    pub(super) fn rows(&self) -> Vec<(String, String)> {
        self.shown()
            .iter()
            .map(|row| (row.item.id.to_string(), row.item.description.to_string()))
            .collect()
    }

    pub(super) fn complaints(&self) -> Vec<Code> {
        self.shown()
            .diagnostics()
            .iter()
            .map(|diagnostic| diagnostic.code)
            .collect()
    }

    /// Waits for the next change, and returns the time that it took.
    pub(super) async fn change(&self) -> Duration {
        let begun = Instant::now();
        self.source.changed(self.shown().revision()).await;
        begun.elapsed()
    }

    /// Returns whether nothing changes for a long time.
    pub(super) async fn is_quiet(&self) -> bool {
        timeout(Duration::from_secs(600), self.change())
            .await
            .is_err()
    }
}

pub(super) fn rows(rows: &[(&str, &str)]) -> Vec<(String, String)> {
    rows.iter()
        .map(|(id, description)| ((*id).to_owned(), (*description).to_owned()))
        .collect()
}

/// `elapsed` in the steps of the clock, which counts in milliseconds.
pub(super) fn about(elapsed: Duration, expected: Duration) -> bool {
    (expected..expected + Duration::from_millis(5)).contains(&elapsed)
}
