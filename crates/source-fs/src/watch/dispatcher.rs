//! The dispatch of events to the sources that want them.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};

use crate::watch::backend::{WatchEvent, WatchId};
use crate::watch::pending_events::PendingEvents;

/// The subscriptions of all sources, to which a backend dispatches its events.
#[derive(Debug, Default)]
pub(crate) struct EventDispatcher(Mutex<SourceSubscriptions>);

#[derive(Debug, Default)]
pub(super) struct SourceSubscriptions {
    pub(super) listeners: HashMap<WatchId, Vec<FolderListener>>,
    pub(super) sources: Vec<Arc<PendingEvents>>,
    /// The events during an update of watches, which are dispatched again to the new listeners.
    pub(super) missed: Option<Vec<(WatchId, Option<OsString>, bool)>>,
    /// Whether the backend has failed, or the last source has left.
    pub(super) is_closed: bool,
}

/// A source and the path by which it knows a watched folder.
#[derive(Debug)]
pub(super) struct FolderListener {
    pub(super) pending: Arc<PendingEvents>,
    pub(super) folder: Arc<Path>,
}

impl EventDispatcher {
    pub(super) fn register(&self, pending: &Arc<PendingEvents>) -> bool {
        let mut subscriptions = self.subscriptions();
        if !subscriptions.is_closed {
            subscriptions.sources.push(pending.clone());
        }
        !subscriptions.is_closed
    }

    pub(crate) fn dispatch(&self, event: WatchEvent<'_>) {
        let subscriptions = &mut *self.subscriptions();
        match event {
            WatchEvent::At { id, name, moves } => {
                subscriptions.notify(id, name, moves);
                if let Some(missed) = &mut subscriptions.missed {
                    missed.push((id, name.map(OsStr::to_owned), moves));
                }
            }
            WatchEvent::Anything => subscriptions
                .sources
                .iter()
                .for_each(|pending| pending.invalidate_all()),
            WatchEvent::Failed(why) => {
                subscriptions.is_closed = true;
                subscriptions
                    .sources
                    .iter()
                    .for_each(|pending| pending.fail(why));
            }
        }
    }

    pub(super) fn subscriptions(&self) -> MutexGuard<'_, SourceSubscriptions> {
        self.0.lock()
    }
}

impl SourceSubscriptions {
    pub(super) fn notify(&self, id: WatchId, name: Option<&OsStr>, moves: bool) {
        for listener in self.listeners.get(&id).into_iter().flatten() {
            listener.pending.touch(&listener.folder, name, moves);
        }
    }
}
