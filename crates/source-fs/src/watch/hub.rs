//! One watcher for all sources of a process.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::Path;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, Weak};

use crate::watch::backend::{Backend, Opener, Place, Refusal, Told};
use crate::watch::hints::Hints;
use crate::watch::native;

/// Where sources have their folders watched: by one backend, which is opened by the first source and closed with the
/// last. A folder that several want is watched once.
pub(crate) struct Hub {
    open: Opener,
    line: Mutex<Weak<Line>>,
}

/// The backend while there is one.
#[derive(Debug)]
struct Line {
    // Before the audience: its thread ends first.
    backend: Box<dyn Backend>,
    audience: Arc<Audience>,
    /// Held while watches come and go: a folder that one source leaves may be what another one comes for.
    turn: Mutex<()>,
}

/// Who is to be told of what.
#[derive(Debug, Default)]
pub(crate) struct Audience(Mutex<Table>);

#[derive(Debug, Default)]
struct Table {
    listeners: HashMap<Place, Vec<Listener>>,
    sources: Vec<Arc<Hints>>,
    /// While watches are added: what was told before those they are for could listen.
    missed: Option<Vec<(Place, Option<OsString>, bool)>>,
    /// Once the backend has failed, or the last source has left.
    is_closed: bool,
}

/// A source that is told of a folder under the path by which it knows it.
#[derive(Debug)]
struct Listener {
    hints: Arc<Hints>,
    folder: Arc<Path>,
}

/// The seat of one source, which it leaves when dropped.
#[derive(Debug)]
pub(crate) struct Seat {
    line: Arc<Line>,
    hints: Arc<Hints>,
}

impl Hub {
    pub(crate) fn new(open: Opener) -> Hub {
        Hub { open, line: Mutex::default() }
    }

    /// The one of this process.
    pub(crate) fn of_process() -> Arc<Hub> {
        static HUB: LazyLock<Arc<Hub>> = LazyLock::new(|| Arc::new(Hub::new(Box::new(native::open))));
        HUB.clone()
    }

    /// Has `hints` told of what is watched for it from now on.
    pub(crate) fn join(&self, hints: &Arc<Hints>) -> Result<Seat, Refusal> {
        let mut open = lock(&self.line);
        let line = match open.upgrade().filter(|line| line.audience.admit(hints)) {
            Some(line) => line,
            None => {
                let audience = Arc::new(Audience::default());
                audience.admit(hints);
                let backend = (self.open)(audience.clone())?;
                let line = Arc::new(Line { backend, audience, turn: Mutex::default() });
                *open = Arc::downgrade(&line);
                line
            }
        };
        Ok(Seat { line, hints: hints.clone() })
    }
}

impl Audience {
    /// Adds a source, unless it is too late for that.
    fn admit(&self, hints: &Arc<Hints>) -> bool {
        let mut table = self.table();
        if !table.is_closed {
            table.sources.push(hints.clone());
        }
        !table.is_closed
    }

    /// Passes on what a backend tells. Called by its thread.
    pub(crate) fn hear(&self, told: Told<'_>) {
        let table = &mut *self.table();
        match told {
            Told::At { place, name, moves } => {
                table.tell(place, name, moves);
                if let Some(missed) = &mut table.missed {
                    missed.push((place, name.map(OsStr::to_owned), moves));
                }
            }
            Told::Anything => table.sources.iter().for_each(|hints| hints.distrust()),
            Told::Failed(why) => {
                table.is_closed = true;
                table.sources.iter().for_each(|hints| hints.fail(why));
            }
        }
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        lock(&self.0)
    }
}

impl Table {
    fn tell(&self, place: Place, name: Option<&OsStr>, moves: bool) {
        for listener in self.listeners.get(&place).into_iter().flatten() {
            listener.hints.touch(&listener.folder, name, moves);
        }
    }
}

impl Seat {
    /// Watches `folders`, each for itself.
    pub(crate) fn watch(&self, folders: &[Arc<Path>]) -> Vec<Result<Place, Refusal>> {
        let Line { backend, audience, turn } = &*self.line;
        let _turn = lock(turn);
        audience.table().missed = Some(Vec::new());
        // The table is free meanwhile, so that nothing that is told has to wait.
        let results = backend.watch(folders);
        let mut table = audience.table();
        table.listeners.reserve(folders.len());
        for (folder, result) in folders.iter().zip(&results) {
            let Ok(place) = result else { continue };
            // Nearly always alone.
            let listeners = table.listeners.entry(*place).or_insert_with(|| Vec::with_capacity(1));
            if !listeners.iter().any(|listener| self.is_behind(listener, folder)) {
                listeners.push(Listener { hints: self.hints.clone(), folder: folder.clone() });
            }
        }
        // Told twice to those who listened already, which does no harm.
        for (place, name, moves) in table.missed.take().unwrap_or_default() {
            table.tell(place, name.as_deref(), moves);
        }
        results
    }

    /// Returns the name of the file system that holds `folder`, if other machines change it without an event here.
    pub(crate) fn remote(&self, folder: &Path) -> Option<&'static str> {
        self.line.backend.remote(folder)
    }

    /// Watches the folders at these places no more under these paths.
    pub(crate) fn unwatch(&self, folders: &[(Arc<Path>, Place)]) {
        let Line { backend, audience, turn } = &*self.line;
        let _turn = lock(turn);
        for (folder, place) in folders {
            let mut table = audience.table();
            let Some(listeners) = table.listeners.get_mut(place) else { continue };
            listeners.retain(|listener| !self.is_behind(listener, folder));
            if listeners.is_empty() {
                table.listeners.remove(place);
                drop(table);
                backend.unwatch(*place);
            }
        }
    }

    fn is_behind(&self, listener: &Listener, folder: &Path) -> bool {
        Arc::ptr_eq(&listener.hints, &self.hints) && *listener.folder == *folder
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let Line { backend, audience, turn } = &*self.line;
        let _turn = lock(turn);
        let mut table = audience.table();
        table.sources.retain(|hints| !Arc::ptr_eq(hints, &self.hints));
        if table.sources.is_empty() {
            // All watches go with the backend.
            table.is_closed = true;
            return;
        }
        let mut left = Vec::new();
        table.listeners.retain(|place, listeners| {
            listeners.retain(|listener| !Arc::ptr_eq(&listener.hints, &self.hints));
            if listeners.is_empty() {
                left.push(*place);
            }
            !listeners.is_empty()
        });
        drop(table);
        left.into_iter().for_each(|place| backend.unwatch(place));
    }
}

impl fmt::Debug for Hub {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hub").field("line", &self.line).finish_non_exhaustive()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
