//! What other systems offer, through `notify`. There is no word of mounts.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};

use notify::event::ModifyKind;
use notify::{Config, ErrorKind, Event, EventHandler, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};

use crate::file;
use crate::watch::backend::{Backend, Place, Refusal, Told};
use crate::watch::hub::Audience;
use crate::watch::limit::Limit;

#[derive(Debug)]
struct Portable {
    /// Taken when dropped.
    watcher: Mutex<Option<RecommendedWatcher>>,
    map: Arc<Mutex<Map>>,
    /// Disconnected once the thread of the watcher has let go of everything it held.
    ended: Mutex<mpsc::Receiver<()>>,
}

/// The places of watched folders, by their real paths.
#[derive(Debug, Default)]
struct Map {
    places: HashMap<PathBuf, Place>,
    folders: HashMap<Place, PathBuf>,
    last: u64,
}

/// The other end, in the thread of the watcher.
pub(crate) struct Handler {
    audience: Arc<Audience>,
    map: Arc<Mutex<Map>>,
    _running: mpsc::Sender<()>,
}

/// Opens a watcher.
pub(crate) fn open(audience: Arc<Audience>) -> Result<Box<dyn Backend>, Refusal> {
    let (handler, ended) = Handler::new(audience);
    let map = handler.map.clone();
    let watcher = RecommendedWatcher::new(handler, Config::default()).map_err(refusal)?;
    Ok(Box::new(Portable { watcher: Mutex::new(Some(watcher)), map, ended: Mutex::new(ended) }))
}

impl Backend for Portable {
    fn watch(&self, folders: &[Arc<Path>]) -> Vec<Result<Place, Refusal>> {
        let mut watcher = lock(&self.watcher);
        let watcher = watcher.as_mut().expect("taken only when dropped");
        let mut paths = watcher.paths_mut();
        let mut watch = |folder: &Arc<Path>| {
            let real = folder.canonicalize().map_err(|error| refusal(notify::Error::io(error)))?;
            if !real.is_dir() {
                return Err(Refusal::Absent);
            }
            // Known before it is watched: something may be told of it at once.
            let place = lock(&self.map).add(&real);
            paths.add(&real, RecursiveMode::NonRecursive).map(|()| place).map_err(|error| {
                lock(&self.map).remove(place);
                refusal(error)
            })
        };
        let places: Vec<_> = folders.iter().map(&mut watch).collect();
        match paths.commit().map_err(refusal) {
            Ok(()) => places,
            Err(refusal) => places.into_iter().map(|place| place.and(Err(refusal.clone()))).collect(),
        }
    }

    fn unwatch(&self, place: Place) {
        let real = lock(&self.map).remove(place);
        if let (Some(real), Some(watcher)) = (real, lock(&self.watcher).as_mut()) {
            // Refused when the folder is gone, and the watch with it.
            let _ = watcher.unwatch(&real);
        }
    }
}

impl Drop for Portable {
    /// Waits for the thread, so that no descriptor outlives the last source.
    fn drop(&mut self) {
        *lock(&self.watcher) = None;
        let _ = lock(&self.ended).recv();
    }
}

impl Map {
    fn add(&mut self, real: &Path) -> Place {
        if let Some(place) = self.places.get(real) {
            return *place;
        }
        self.last += 1;
        let place = Place(self.last);
        self.places.insert(real.to_owned(), place);
        self.folders.insert(place, real.to_owned());
        place
    }

    fn remove(&mut self, place: Place) -> Option<PathBuf> {
        let real = self.folders.remove(&place)?;
        self.places.remove(&real);
        Some(real)
    }

    /// Whatever will be at `path` and below has to be watched anew.
    fn remove_below(&mut self, path: &Path) {
        self.places.retain(|real, _| !real.starts_with(path));
        self.folders.retain(|_, real| !real.starts_with(path));
    }
}

impl EventHandler for Handler {
    fn handle_event(&mut self, event: notify::Result<Event>) {
        let event = match event {
            Err(error) => return self.audience.hear(Told::Failed(&error.to_string())),
            Ok(event) => event,
        };
        if event.need_rescan() {
            return self.audience.hear(Told::Anything);
        }
        // Reading makes these, ours too.
        if matches!(event.kind, EventKind::Access(_)) {
            return;
        }
        let moves = !matches!(
            event.kind,
            EventKind::Create(_) | EventKind::Modify(ModifyKind::Data(_) | ModifyKind::Metadata(_))
        );
        if event.paths.is_empty() {
            self.audience.hear(Told::Anything);
        }
        event.paths.iter().for_each(|path| self.tell(path, moves));
    }
}

impl Handler {
    /// A handler, and what is disconnected once it is gone.
    pub(crate) fn new(audience: Arc<Audience>) -> (Handler, mpsc::Receiver<()>) {
        let (running, ended) = mpsc::channel();
        (Handler { audience, map: Arc::default(), _running: running }, ended)
    }

    fn tell(&self, path: &Path, moves: bool) {
        let place = |path: &Path| lock(&self.map).places.get(path).copied();
        let own = place(path).map(|place| (place, None));
        let parent = path.parent().and_then(place).map(|place| (place, path.file_name()));
        if own.is_none() && parent.is_none() {
            // Of folders that were watched a moment ago, or by a system that spells paths in its own way.
            self.audience.hear(Told::Anything);
        }
        for (place, name) in own.into_iter().chain(parent) {
            self.audience.hear(Told::At { place, name, moves });
        }
        if own.is_some() && moves {
            lock(&self.map).remove_below(path);
        }
    }
}

fn refusal(error: notify::Error) -> Refusal {
    match error.kind {
        ErrorKind::PathNotFound => Refusal::Absent,
        ErrorKind::MaxFilesWatch => Refusal::Exhausted(Limit::of_watches()),
        ErrorKind::Io(error) => match error.kind() {
            std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => Refusal::Absent,
            _ => Refusal::Denied(file::cause(&error)),
        },
        ErrorKind::Generic(message) => Refusal::Denied(message),
        other => Refusal::Denied(format!("{other:?}")),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
