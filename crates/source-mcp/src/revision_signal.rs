//! A watch channel of revisions.

use std::sync::Arc;
use std::time::Duration;

use repertoire_core::Revision;
use tokio::sync::{Notify, watch};
use tokio::task::AbortHandle;

const MIN_INTERVAL: Duration = Duration::from_millis(100);

#[derive(Debug)]
pub(crate) struct RevisionSignal(watch::Sender<u64>);

impl RevisionSignal {
    pub(crate) fn new() -> RevisionSignal {
        RevisionSignal(watch::Sender::new(0))
    }

    pub(crate) fn now(&self) -> Revision {
        Revision(*self.0.borrow())
    }

    pub(crate) fn bump(&self) {
        self.0.send_modify(|signal| *signal += 1);
    }

    pub(crate) fn bump_from(&self, seen: Revision) -> Revision {
        let mut answer = seen;
        self.0.send_if_modified(|signal| {
            let is_still = *signal == seen.0;
            if is_still {
                *signal += 1;
                answer = Revision(*signal);
            }
            is_still
        });
        answer
    }

    pub(crate) async fn wait_past(&self, since: Revision) {
        // The sender lives as long as this borrow.
        let _ = self
            .0
            .subscribe()
            .wait_for(|signal| *signal > since.0)
            .await;
    }
}

#[derive(Debug)]
pub(crate) struct NotificationBatcher {
    trigger: Arc<Notify>,
    task: AbortHandle,
}

impl NotificationBatcher {
    pub(crate) fn of(signal: &Arc<RevisionSignal>) -> NotificationBatcher {
        let (trigger, signal) = (Arc::new(Notify::new()), Arc::clone(signal));
        let triggered = Arc::clone(&trigger);
        let task = tokio::spawn(async move {
            loop {
                triggered.notified().await;
                signal.bump();
                tokio::time::sleep(MIN_INTERVAL).await;
            }
        });
        NotificationBatcher {
            trigger,
            task: task.abort_handle(),
        }
    }

    pub(crate) fn trigger(&self) -> Arc<Notify> {
        Arc::clone(&self.trigger)
    }
}

impl Drop for NotificationBatcher {
    fn drop(&mut self) {
        self.task.abort();
    }
}

#[cfg(test)]
mod tests;
