//! How often something changed.

use repertoire_core::Revision;
use tokio::sync::watch;

/// A count that only grows, and can be waited for.
#[derive(Debug)]
pub(crate) struct Level(watch::Sender<u64>);

impl Level {
    pub(crate) fn new() -> Level {
        Level(watch::Sender::new(0))
    }

    pub(crate) fn now(&self) -> Revision {
        Revision(*self.0.borrow())
    }

    /// Something changed, or may have.
    pub(crate) fn rise(&self) {
        self.0.send_modify(|level| *level += 1);
    }

    /// The next revision, unless something else has changed since `seen`, which is then the answer.
    pub(crate) fn rise_from(&self, seen: Revision) -> Revision {
        let mut answer = seen;
        self.0.send_if_modified(|level| {
            let is_still = *level == seen.0;
            if is_still {
                *level += 1;
                answer = Revision(*level);
            }
            is_still
        });
        answer
    }

    /// Resolves once the count is past `since`.
    pub(crate) async fn past(&self, since: Revision) {
        // The sender lives as long as this borrow.
        let _ = self.0.subscribe().wait_for(|level| *level > since.0).await;
    }
}
