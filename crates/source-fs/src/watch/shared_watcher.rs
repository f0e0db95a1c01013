//! The watcher that all sources of a process share.

use std::fmt;
use std::path::Path;
use std::sync::{Arc, LazyLock, Weak};

use parking_lot::Mutex;

use crate::watch::backend::{Backend, WatchError, WatchId};
use crate::watch::dispatcher::{EventDispatcher, FolderListener};
#[cfg(target_os = "linux")]
use crate::watch::inotify;
#[cfg(any(feature = "notify", not(target_os = "linux")))]
use crate::watch::notify_backend;
use crate::watch::options::WatchBy;
use crate::watch::pending_events::PendingEvents;

pub(crate) type Opener =
    Box<dyn Fn(Arc<EventDispatcher>) -> Result<Box<dyn Backend>, WatchError> + Send + Sync>;

/// The watcher of a process. The first source opens its backend, and the last one closes it. A folder that several sources want
/// is watched once.
pub(crate) struct SharedWatcher {
    open: Opener,
    current: Mutex<Weak<OpenWatcher>>,
}

/// The open backend.
#[derive(Debug)]
struct OpenWatcher {
    // Dropped before the dispatcher: its thread ends first.
    backend: Box<dyn Backend>,
    dispatcher: Arc<EventDispatcher>,
    /// Locked during an update: one source may remove a watch that another one adds.
    turn: Mutex<()>,
}

/// The subscription of one source, which ends on drop.
#[derive(Debug)]
pub(crate) struct WatchHandle {
    current: Arc<OpenWatcher>,
    pending: Arc<PendingEvents>,
}

impl SharedWatcher {
    pub(crate) fn new(open: Opener) -> SharedWatcher {
        SharedWatcher {
            open,
            current: Mutex::default(),
        }
    }

    /// Returns the watcher of this process that uses the backend for `by`.
    pub(crate) fn of_process(by: WatchBy) -> Arc<SharedWatcher> {
        #[cfg(any(feature = "notify", not(target_os = "linux")))]
        static NOTIFY: LazyLock<Arc<SharedWatcher>> =
            LazyLock::new(|| Arc::new(SharedWatcher::new(Box::new(notify_backend::open))));
        #[cfg(target_os = "linux")]
        static INOTIFY: LazyLock<Arc<SharedWatcher>> =
            LazyLock::new(|| Arc::new(SharedWatcher::new(Box::new(inotify::open))));
        match by {
            #[cfg(target_os = "linux")]
            WatchBy::Events | WatchBy::Polling => INOTIFY.clone(),
            #[cfg(any(feature = "notify", not(target_os = "linux")))]
            _ => NOTIFY.clone(),
        }
    }

    pub(crate) fn join(&self, pending: &Arc<PendingEvents>) -> Result<WatchHandle, WatchError> {
        let mut open = self.current.lock();
        let current = match open
            .upgrade()
            .filter(|current| current.dispatcher.register(pending))
        {
            Some(current) => current,
            None => {
                let dispatcher = Arc::new(EventDispatcher::default());
                dispatcher.register(pending);
                let backend = (self.open)(dispatcher.clone())?;
                let current = Arc::new(OpenWatcher {
                    backend,
                    dispatcher,
                    turn: Mutex::default(),
                });
                *open = Arc::downgrade(&current);
                current
            }
        };
        Ok(WatchHandle {
            current,
            pending: pending.clone(),
        })
    }
}

impl WatchHandle {
    pub(crate) fn watch(&self, folders: &[Arc<Path>]) -> Vec<Result<WatchId, WatchError>> {
        let OpenWatcher {
            backend,
            dispatcher,
            turn,
        } = &*self.current;
        let _turn = turn.lock();
        dispatcher.subscriptions().missed = Some(Vec::new());
        // Unlocked during the call, so that the thread of the backend does not wait.
        let results = backend.watch(folders);
        let mut subscriptions = dispatcher.subscriptions();
        subscriptions.listeners.reserve(folders.len());
        for (folder, result) in folders.iter().zip(&results) {
            let Ok(id) = result else { continue };
            // Nearly always alone.
            let listeners = subscriptions
                .listeners
                .entry(*id)
                .or_insert_with(|| Vec::with_capacity(1));
            if !listeners
                .iter()
                .any(|listener| self.is_behind(listener, folder))
            {
                listeners.push(FolderListener {
                    pending: self.pending.clone(),
                    folder: folder.clone(),
                });
            }
        }
        // A listener that was there before gets them twice, which is harmless.
        for (id, name, moves) in subscriptions.missed.take().unwrap_or_default() {
            subscriptions.notify(id, name.as_deref(), moves);
        }
        results
    }

    pub(crate) fn remote(&self, folder: &Path) -> Option<&'static str> {
        self.current.backend.remote(folder)
    }

    pub(crate) fn unwatch(&self, folders: &[(Arc<Path>, WatchId)]) {
        let OpenWatcher {
            backend,
            dispatcher,
            turn,
        } = &*self.current;
        let _turn = turn.lock();
        let mut left = Vec::new();
        let mut subscriptions = dispatcher.subscriptions();
        for (folder, id) in folders {
            let Some(listeners) = subscriptions.listeners.get_mut(id) else {
                continue;
            };
            listeners.retain(|listener| !self.is_behind(listener, folder));
            if listeners.is_empty() {
                subscriptions.listeners.remove(id);
                left.push(*id);
            }
        }
        drop(subscriptions);
        backend.unwatch(&left);
    }

    fn is_behind(&self, listener: &FolderListener, folder: &Path) -> bool {
        Arc::ptr_eq(&listener.pending, &self.pending) && *listener.folder == *folder
    }
}

impl Drop for WatchHandle {
    fn drop(&mut self) {
        let OpenWatcher {
            backend,
            dispatcher,
            turn,
        } = &*self.current;
        let _turn = turn.lock();
        let mut subscriptions = dispatcher.subscriptions();
        subscriptions
            .sources
            .retain(|pending| !Arc::ptr_eq(pending, &self.pending));
        if subscriptions.sources.is_empty() {
            // All watches go with the backend.
            subscriptions.is_closed = true;
            return;
        }
        let mut left = Vec::new();
        subscriptions.listeners.retain(|id, listeners| {
            listeners.retain(|listener| !Arc::ptr_eq(&listener.pending, &self.pending));
            if listeners.is_empty() {
                left.push(*id);
            }
            !listeners.is_empty()
        });
        drop(subscriptions);
        backend.unwatch(&left);
    }
}

impl fmt::Debug for SharedWatcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedWatcher")
            .field("current", &self.current)
            .finish_non_exhaustive()
    }
}
