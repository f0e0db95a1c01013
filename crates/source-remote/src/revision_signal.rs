//! A watch channel of revisions.

use repertoire_core::Revision;
use tokio::sync::watch;

#[derive(Debug)]
pub(crate) struct RevisionSignal(watch::Sender<u64>);

impl RevisionSignal {
    pub(crate) fn new() -> RevisionSignal {
        RevisionSignal(watch::Sender::new(0))
    }

    pub(crate) fn now(&self) -> Revision {
        Revision(*self.0.borrow())
    }

    /// Moves on and returns the new revision.
    pub(crate) fn bump(&self) -> Revision {
        let mut now = 0;
        self.0.send_modify(|revision| {
            *revision += 1;
            now = *revision;
        });
        Revision(now)
    }

    pub(crate) async fn wait_past(&self, since: Revision) {
        // The sender lives as long as this borrow.
        let _ = self
            .0
            .subscribe()
            .wait_for(|revision| *revision > since.0)
            .await;
    }
}
