//! What was told of a source's folders since it was last looked.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;
use tokio::time::Instant;

use crate::pattern::FILE_NAME;
use crate::root::{bytes, is_within};
use crate::watch::backend::Place;

/// Where one source is told of its folders. All of it are only hints: *look here again*.
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

/// A folder that is to be watched.
#[derive(Debug, Clone)]
struct Post {
    folder: Arc<Path>,
    role: Role,
    /// What is watched, if anything is.
    place: Option<Place>,
    /// Whether the path may lead elsewhere by now.
    is_doubtful: bool,
}

/// A folder that has to be watched, again if it has a place.
#[derive(Debug)]
pub(crate) struct Order {
    /// Which post it is of.
    index: usize,
    pub(crate) folder: Arc<Path>,
    pub(crate) role: Role,
    pub(crate) place: Option<Place>,
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
    /// Sorted by the bytes of their paths.
    posts: Vec<Post>,
    steps: BTreeSet<PathBuf>,
    dirty: Dirty,
    /// Since when there has been something to look at, as far as anybody was waiting.
    since: Option<Instant>,
    failure: Option<String>,
    /// Whether something that is wanted may not be watched any more.
    is_stale: bool,
}

/// From so many folders on, telling them apart costs more than looking at everything.
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

    /// Something is the matter with what is called `name` in `folder`, or with `folder` itself; `moves` if another thing
    /// may be there now.
    pub(crate) fn touch(&self, folder: &Path, name: Option<&OsStr>, moves: bool) {
        let mut state = self.lock();
        state.touch(folder, name, moves);
        if state.dirty.is_some() {
            drop(state);
            self.ring();
        }
    }

    /// Anything may have changed, and what is watched may be elsewhere.
    pub(crate) fn distrust(&self) {
        self.lock().distrust();
        self.ring();
    }

    /// Nothing will be told any more.
    pub(crate) fn fail(&self, why: &str) {
        self.lock().failure = Some(why.to_owned());
        self.distrust();
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

    /// Why nothing is told any more.
    pub(crate) fn take_failure(&self) -> Option<String> {
        self.lock().failure.take()
    }

    /// Whether something that is wanted may not be watched, so that it is to be armed again.
    pub(crate) fn is_stale(&self) -> bool {
        let state = self.lock();
        state.is_stale || state.failure.is_some()
    }

    /// Notes that exactly `wanted`, sorted by bytes, is about to be watched, and what lies in `steps` matters: what has to
    /// be watched for that, and what no more.
    ///
    /// Before it is watched: no event may be taken for that of a stranger.
    pub(crate) fn expect(
        &self,
        wanted: &[(&Path, Role)],
        steps: &BTreeSet<PathBuf>,
    ) -> (Vec<Order>, Vec<(Arc<Path>, Place)>) {
        let state = &mut *self.lock();
        let mut old = std::mem::take(&mut state.posts).into_iter().peekable();
        let (mut orders, mut gone) = (Vec::new(), Vec::new());
        let mut leave = |post: Post| gone.extend(post.place.map(|place| (post.folder, place)));
        state.posts.reserve(wanted.len());
        for &(folder, role) in wanted {
            while let Some(post) = old.next_if(|post| bytes(&post.folder) < bytes(folder)) {
                leave(post);
            }
            let known = old.next_if(|post| bytes(&post.folder) == bytes(folder));
            let (folder, place, is_doubtful) = match known {
                Some(post) if post.role == role => (post.folder, post.place, post.is_doubtful),
                // What did not matter until now was not told.
                Some(post) => {
                    let folder = post.folder.clone();
                    leave(post);
                    (folder, None, false)
                }
                None => (folder.into(), None, false),
            };
            if is_doubtful || place.is_none() {
                orders.push(Order { index: state.posts.len(), folder: folder.clone(), role, place });
            }
            state.posts.push(Post { folder, role, place, is_doubtful: false });
        }
        old.for_each(leave);
        state.steps.clone_from(steps);
        state.is_stale = false;
        (orders, gone)
    }

    /// Notes where the folder of `order` is watched now. Nothing else was expected since.
    pub(crate) fn place(&self, order: &Order, place: Option<Place>) {
        self.lock().posts[order.index].place = place;
    }

    /// Notes that something is not watched, which has to be tried again.
    pub(crate) fn stay_stale(&self) {
        self.lock().is_stale = true;
    }

    /// Notes that nothing is watched.
    pub(crate) fn forget(&self) {
        let mut state = self.lock();
        state.posts.clear();
        state.is_stale = true;
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
        self.all |= self.folders.len() >= FOLDERS;
        if !self.all {
            self.folders.insert(folder);
        }
    }
}

impl State {
    fn distrust(&mut self) {
        self.dirty.all = true;
        self.is_stale = true;
        self.posts.iter_mut().for_each(|post| post.is_doubtful = true);
    }

    fn touch(&mut self, folder: &Path, name: Option<&OsStr>, moves: bool) {
        let path = name.map_or_else(|| folder.to_owned(), |name| folder.join(name));
        if self.steps.contains(&path) {
            self.dirty.all = true;
            self.is_stale = true;
            if moves {
                // Other paths lead through it, by links.
                self.distrust();
            }
            return;
        }
        let in_parent = path.parent().is_some_and(|parent| self.is_inside(parent));
        if in_parent || self.is_inside(&path) {
            let is_own = path.file_name().is_some_and(|name| name.eq_ignore_ascii_case(FILE_NAME));
            let folder = if is_own && in_parent { path.parent().unwrap_or(&path) } else { &path };
            self.dirty.add(folder.to_owned());
        }
        if moves {
            self.doubt(&path);
        }
    }

    /// The folder `path` and what lies below it may be elsewhere.
    fn doubt(&mut self, path: &Path) {
        let first = self.first(path);
        // Names that only begin alike come between a folder and what lies in it.
        let below = self.posts[first..].iter_mut().take_while(|post| bytes(&post.folder).starts_with(bytes(path)));
        for post in below.filter(|post| is_within(&post.folder, path)) {
            post.is_doubtful = true;
            self.is_stale = true;
        }
    }

    fn is_inside(&self, folder: &Path) -> bool {
        let post = self.posts.get(self.first(folder));
        post.is_some_and(|post| post.role == Role::Inside && bytes(&post.folder) == bytes(folder))
    }

    /// The index of the first post that is not before `folder`.
    fn first(&self, folder: &Path) -> usize {
        self.posts.partition_point(|post| bytes(&post.folder) < bytes(folder))
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
