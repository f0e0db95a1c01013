//! How often something changed.

use std::sync::Arc;
use std::time::Duration;

use repertoire_core::Revision;
use tokio::sync::{Notify, watch};
use tokio::task::AbortHandle;

/// How long the notices of a server are gathered after one was told: however many it sends, it is asked no more often.
const PAUSE: Duration = Duration::from_millis(100);

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

/// The notices of one server: the first is told at once, and those that follow it closely are told as one.
#[derive(Debug)]
pub(crate) struct Notices {
    bell: Arc<Notify>,
    telling: AbortHandle,
}

impl Notices {
    pub(crate) fn of(level: &Arc<Level>) -> Notices {
        let (bell, level) = (Arc::new(Notify::new()), Arc::clone(level));
        let heard = Arc::clone(&bell);
        let telling = tokio::spawn(async move {
            loop {
                heard.notified().await;
                level.rise();
                tokio::time::sleep(PAUSE).await;
            }
        });
        Notices { bell, telling: telling.abort_handle() }
    }

    /// What is rung when a notice comes.
    pub(crate) fn bell(&self) -> Arc<Notify> {
        Arc::clone(&self.bell)
    }
}

impl Drop for Notices {
    fn drop(&mut self) {
        self.telling.abort();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_storm_of_notices_is_told_in_time_and_not_one_by_one() {
        let level = Arc::new(Level::new());
        let notices = Notices::of(&level);
        let ring = || notices.bell().notify_one();
        let began = tokio::time::Instant::now();
        ring();
        level.past(Revision(0)).await;
        assert_eq!(began.elapsed(), Duration::ZERO);
        for _ in 0..1000 {
            ring();
            tokio::task::yield_now().await;
        }
        assert_eq!(level.now(), Revision(1));
        level.past(Revision(1)).await;
        assert_eq!((level.now(), began.elapsed()), (Revision(2), PAUSE));
        tokio::time::sleep(PAUSE * 5).await;
        assert_eq!(level.now(), Revision(2), "nothing is told that did not come");
        ring();
        level.past(Revision(2)).await;
    }
}
