//! Following a registry.

use repertoire_core::Item;
use tokio::sync::watch;

use crate::{Change, Registry, Snapshot};

/// A new view, and what changed since the one that was delivered before it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Update<T: Item> {
    /// The latest view.
    pub snapshot: Snapshot<T>,
    /// From the view delivered last to this one, whatever lay in between.
    pub change: Change<T>,
}

/// The views of a registry, latest first come first served: skipped generations are folded into one change.
///
/// Nothing is queued, so a slow subscriber costs nothing and a dropped or panicking one harms nobody.
#[derive(Debug)]
pub struct Updates<T: Item> {
    registry: Registry<T>,
    seen: Snapshot<T>,
    notices: watch::Receiver<u64>,
}

impl<T: Item> Updates<T> {
    pub(crate) fn new(registry: Registry<T>, notices: watch::Receiver<u64>) -> Updates<T> {
        // Subscribed first, read second: a view published in between is delivered, not missed.
        Updates { seen: registry.snapshot(), registry, notices }
    }

    /// The view delivered last; at first the one that was current when following began.
    pub fn current(&self) -> &Snapshot<T> {
        &self.seen
    }

    /// Waits for a newer view; `None` once the registry is closed.
    ///
    /// # Cancel safety
    /// May be dropped at any point; nothing is lost.
    pub async fn next(&mut self) -> Option<Update<T>> {
        loop {
            let snapshot = self.registry.snapshot();
            if snapshot.generation() > self.seen.generation() {
                let change = snapshot.changes_since(&self.seen);
                self.seen = snapshot.clone();
                return Some(Update { snapshot, change });
            }
            tokio::select! {
                biased;
                changed = self.notices.wait_for(|generation| *generation > self.seen.generation()) => {
                    changed.ok()?;
                }
                () = self.registry.closed() => return None,
            }
        }
    }
}
