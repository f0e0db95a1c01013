//! What events have said since it was last looked.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use notify::event::ModifyKind;
use notify::{Event, EventKind};
use tokio::sync::watch;
use tokio::time::Instant;

use crate::pattern::FILE_NAME;
use crate::stamp::Identity;

/// Where a backend leaves its events. They are only hints: *look here again*.
#[derive(Debug)]
pub(crate) struct Hints {
    state: Mutex<State>,
    bell: watch::Sender<()>,
}

/// Why a folder is watched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Role {
    /// It lies on the way to a root: only the next step matters.
    Above,
    /// It is a skill's, or leads to skills: everything in it matters.
    Inside,
}

/// A folder that is watched.
#[derive(Debug, Clone, Copy)]
struct Armed {
    role: Role,
    identity: Identity,
}

/// What to look at again.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Dirty {
    pub(crate) folders: BTreeSet<PathBuf>,
    /// Everything, because parts could not be told.
    pub(crate) all: bool,
}

#[derive(Debug, Default)]
struct State {
    armed: BTreeMap<PathBuf, Armed>,
    /// Backends know a folder by one path, whatever other paths lead to it.
    spellings: HashMap<Identity, Vec<PathBuf>>,
    steps: BTreeSet<PathBuf>,
    dirty: Dirty,
    /// Since when there has been something to look at, as far as anybody was waiting.
    since: Option<Instant>,
    failure: Option<String>,
    /// Whether something that is wanted may not be watched any more.
    stale: bool,
}

/// With more folders than this, telling them apart costs more than looking at everything.
const FOLDERS: usize = 1024;

impl Hints {
    pub(crate) fn new() -> Hints {
        Hints { state: Mutex::default(), bell: watch::Sender::new(()) }
    }

    /// What wakes up at every hint.
    pub(crate) fn bell(&self) -> watch::Receiver<()> {
        self.bell.subscribe()
    }

    /// Wakes everybody who waits.
    pub(crate) fn ring(&self) {
        self.bell.send_replace(());
    }

    /// Takes in an event. Called by the thread of a backend: it only takes notes.
    pub(crate) fn take_in(&self, event: notify::Result<Event>) {
        let mut state = self.lock();
        match event {
            Err(error) => {
                state.failure = Some(error.to_string());
                state.distrust();
            }
            Ok(event) if event.need_rescan() => state.distrust(),
            // Reading makes these, ours too.
            Ok(Event { kind: EventKind::Access(_), .. }) => return,
            Ok(event) if event.paths.is_empty() => state.distrust(),
            Ok(event) => {
                let moves = !matches!(
                    event.kind,
                    EventKind::Create(_) | EventKind::Modify(ModifyKind::Data(_) | ModifyKind::Metadata(_))
                );
                event.paths.iter().for_each(|path| state.touch(path, moves));
            }
        }
        if state.dirty.is_some() {
            drop(state);
            self.ring();
        }
    }

    /// Says to look at everything.
    pub(crate) fn mark_all(&self) {
        self.lock().dirty.all = true;
    }

    /// Since when there has been something to look at, if there is. Counted from the first time somebody asks.
    pub(crate) fn dirty_since(&self) -> Option<Instant> {
        let mut state = self.lock();
        state.dirty.is_some().then(|| *state.since.get_or_insert_with(Instant::now))
    }

    /// Takes what there is to look at; unless it is [done](Taken::done), it comes back.
    pub(crate) fn take(&self) -> Taken<'_> {
        let mut state = self.lock();
        state.since = None;
        Taken { dirty: std::mem::take(&mut state.dirty), hints: self }
    }

    /// Why the backend cannot be relied on any more.
    pub(crate) fn take_failure(&self) -> Option<String> {
        self.lock().failure.take()
    }

    /// Whether something that is wanted may not be watched, so that it is to be armed again.
    pub(crate) fn is_stale(&self) -> bool {
        let state = self.lock();
        state.stale || state.failure.is_some()
    }

    /// Notes that exactly `wanted` is about to be watched, and what lies in `steps` matters: what to watch in
    /// addition, and what no more.
    ///
    /// Before it is watched: no event may be taken for that of a stranger.
    pub(crate) fn expect(
        &self,
        wanted: BTreeMap<PathBuf, (Role, Identity)>,
        steps: BTreeSet<PathBuf>,
    ) -> (Vec<(PathBuf, Role)>, Vec<PathBuf>) {
        let mut state = self.lock();
        state.steps = steps;
        let same = |(path, armed): (&PathBuf, &Armed)| {
            wanted.get(path).is_some_and(|(_, identity)| *identity == armed.identity)
        };
        let unwanted: Vec<PathBuf> =
            state.armed.iter().filter(|armed| !same(*armed)).map(|(path, _)| path.clone()).collect();
        // A folder stops being watched under all its paths at once.
        let gone: Vec<PathBuf> = unwanted.iter().flat_map(|path| state.disarm(path)).collect();
        let mut new = Vec::new();
        for (path, (role, identity)) in wanted {
            let armed = Armed { role, identity };
            if state.armed.insert(path.clone(), armed).is_none() {
                state.spellings.entry(identity).or_default().push(path.clone());
                new.push((path, role));
            }
        }
        state.stale = false;
        (new, gone)
    }

    /// Notes that `folder` is not watched after all.
    pub(crate) fn disarm(&self, folder: &Path) {
        self.lock().disarm(folder);
    }

    /// Notes that nothing is watched.
    pub(crate) fn disarm_all(&self) {
        let mut state = self.lock();
        state.forget();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Dirty {
    /// Whether there is anything to look at.
    pub(crate) fn is_some(&self) -> bool {
        self.all || !self.folders.is_empty()
    }

    pub(crate) fn extend(&mut self, other: Dirty) {
        self.all |= other.all;
        other.folders.into_iter().for_each(|folder| self.add(folder));
    }

    pub(crate) fn add(&mut self, folder: PathBuf) {
        self.folders.insert(folder);
        if self.folders.len() > FOLDERS {
            self.folders.clear();
            self.all = true;
        }
    }
}

impl State {
    /// Events were lost: whatever is watched may have gone and come back.
    fn distrust(&mut self) {
        self.dirty.all = true;
        self.forget();
    }

    fn forget(&mut self) {
        self.stale = true;
        self.armed.clear();
        self.spellings.clear();
    }

    /// Something is the matter with `path`; `moves` if another thing may be there now.
    fn touch(&mut self, path: &Path, moves: bool) {
        let mut spellings = self.spellings_of(path);
        if let (Some(parent), Some(name)) = (path.parent(), path.file_name()) {
            spellings.extend(self.spellings_of(parent).into_iter().map(|parent| parent.join(name)));
        }
        // Of folders that were watched a moment ago, or by a system that spells paths in its own way.
        if spellings.is_empty() && !cfg!(target_os = "linux") {
            self.dirty.all = true;
        }
        for path in spellings {
            let is_inside = |path: &Path| self.armed.get(path).is_some_and(|armed| armed.role == Role::Inside);
            let in_parent = path.parent().is_some_and(is_inside);
            if self.steps.contains(&path) {
                self.dirty.all = true;
                self.stale = true;
            } else if in_parent || is_inside(&path) {
                let is_own = path.file_name().is_some_and(|name| name.eq_ignore_ascii_case(FILE_NAME));
                let folder = if is_own && in_parent { path.parent().unwrap_or(&path) } else { &path };
                self.dirty.add(folder.to_owned());
            }
            if moves {
                // Backends forget the folder, and what lies below it.
                let below = self.armed.range(path.clone()..).map(|(below, _)| below);
                let below: Vec<PathBuf> = below.take_while(|below| below.starts_with(&path)).cloned().collect();
                for below in below {
                    self.disarm(&below);
                }
            }
        }
    }

    /// The paths under which the folder that is watched as `path` is known.
    fn spellings_of(&self, path: &Path) -> Vec<PathBuf> {
        let identity = self.armed.get(path).map(|armed| armed.identity);
        identity.and_then(|identity| self.spellings.get(&identity)).cloned().unwrap_or_default()
    }

    /// Notes that a folder is not watched any more, under none of its paths, which are returned.
    fn disarm(&mut self, folder: &Path) -> Vec<PathBuf> {
        self.stale = true;
        let identity = self.armed.get(folder).map(|armed| armed.identity);
        let paths = identity.and_then(|identity| self.spellings.remove(&identity)).unwrap_or_default();
        for path in &paths {
            self.armed.remove(path);
        }
        paths
    }
}

/// What is being looked at. Dropped without being [done](Taken::done), it is still to be looked at.
#[derive(Debug)]
pub(crate) struct Taken<'h> {
    pub(crate) dirty: Dirty,
    hints: &'h Hints,
}

impl Taken<'_> {
    /// It was looked at.
    pub(crate) fn done(mut self) {
        self.dirty = Dirty::default();
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        let dirty = std::mem::take(&mut self.dirty);
        self.hints.lock().dirty.extend(dirty);
    }
}
