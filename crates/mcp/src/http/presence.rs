//! For which sessions somebody is there.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rmcp::transport::streamable_http_server::session::SessionManager;
use tokio::time::Instant;

/// For which sessions somebody is there: no more than so many at once, and when the client of each was heard of last.
///
/// A session that its client left would live for as long as there are changes to tell it of, were it not for this.
#[derive(Clone)]
pub(super) struct Presence {
    most: usize,
    idle: Duration,
    known: Arc<Mutex<Known>>,
}

#[derive(Default)]
struct Known {
    /// Those that are being begun.
    begun: usize,
    heard: HashMap<Arc<str>, Heard>,
}

struct Heard {
    /// Requests that are being answered, and streams that are open.
    open: usize,
    last: Instant,
    /// Whether the client asked for anything after it had introduced itself.
    has_asked: bool,
}

/// How long a session is kept although another wants its place, once its client asked for anything.
const KEPT: Duration = Duration::from_secs(60);

/// A session that is being begun, and has a place.
pub(super) struct Beginning(Presence);

/// A client that is there.
pub(super) struct Present(Presence, Arc<str>);

impl Presence {
    pub(super) fn new(most: usize, idle: Duration) -> Presence {
        Presence { most, idle, known: Arc::default() }
    }

    /// A place for one more beside `live` sessions of `manager`, unless there are too many. Those whose clients were silent
    /// for too long are ended, and where that is not enough, one whose client never asked for anything, or was silent for longest.
    pub(super) async fn begin(&self, manager: &impl SessionManager, live: usize) -> Option<Beginning> {
        let silent: Vec<Arc<str>> = {
            let known = self.lock();
            let is_silent = |heard: &Heard| heard.open == 0 && heard.last.elapsed() >= self.idle;
            known.heard.iter().filter(|(_, heard)| is_silent(heard)).map(|(id, _)| Arc::clone(id)).collect()
        };
        let mut left = live;
        for id in silent {
            self.lock().heard.remove(&id);
            left -= ended(manager, &id).await.min(left);
        }
        loop {
            let id = {
                let mut known = self.lock();
                if left + known.begun < self.most {
                    known.begun += 1;
                    return Some(Beginning(self.clone()));
                }
                let id = known.dispensable()?;
                known.heard.remove(&id);
                id
            };
            left -= ended(manager, &id).await.min(left);
        }
    }

    /// Notes that the client of this session is there, until what it gives back is dropped.
    pub(super) fn hear(&self, id: &str) -> Option<Present> {
        let mut known = self.lock();
        let (id, _) = known.heard.get_key_value(id)?;
        let id = Arc::clone(id);
        let heard = known.heard.get_mut(&id)?;
        (heard.open, heard.has_asked) = (heard.open + 1, true);
        drop(known);
        Some(Present(self.clone(), id))
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends a session, and returns how many there are less for it.
async fn ended(manager: &impl SessionManager, id: &Arc<str>) -> usize {
    let was_live = manager.has_session(id).await.unwrap_or(false);
    if let Err(error) = manager.close_session(id).await {
        tracing::warn!(error = &error as &dyn std::error::Error, "a session could not be ended");
    }
    usize::from(was_live)
}

impl Known {
    /// The session that makes place for another: nobody may miss it.
    fn dispensable(&self) -> Option<Arc<str>> {
        let is_kept = |heard: &Heard| heard.open > 0 || heard.has_asked && heard.last.elapsed() < KEPT;
        let idle = self.heard.iter().filter(|(_, heard)| !is_kept(heard));
        idle.min_by_key(|(_, heard)| (heard.has_asked, heard.last)).map(|(id, _)| Arc::clone(id))
    }
}

impl Beginning {
    /// It has begun, and is called `id`.
    pub(super) fn became(self, id: &str) {
        self.0.lock().heard.insert(id.into(), Heard { open: 0, last: Instant::now(), has_asked: false });
    }
}

impl Present {
    /// The client has ended the session.
    pub(super) fn left(&self) {
        self.0.lock().heard.remove(&self.1);
    }
}

impl Drop for Beginning {
    fn drop(&mut self) {
        self.0.lock().begun -= 1;
    }
}

impl Drop for Present {
    fn drop(&mut self) {
        if let Some(heard) = self.0.lock().heard.get_mut(&self.1) {
            heard.open -= 1;
            heard.last = Instant::now();
        }
    }
}

#[cfg(test)]
mod tests {
    use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;

    use super::*;

    const IDLE: Duration = Duration::from_secs(30);

    /// A server with room for two.
    struct Two {
        manager: LocalSessionManager,
        presence: Presence,
    }

    impl Two {
        fn new() -> Two {
            Two::idle_for(IDLE)
        }

        fn idle_for(idle: Duration) -> Two {
            Two { manager: LocalSessionManager::default(), presence: Presence::new(2, idle) }
        }

        async fn place(&self) -> Option<Beginning> {
            let live = self.manager.sessions.read().await.len();
            self.presence.begin(&self.manager, live).await
        }

        /// A session whose client asks for something.
        async fn begin(&self) -> Option<Arc<str>> {
            let id = self.begin_in_silence().await?;
            drop(self.presence.hear(&id));
            Some(id)
        }

        async fn begin_in_silence(&self) -> Option<Arc<str>> {
            let beginning = self.place().await?;
            let (id, transport) = self.manager.create_session().await.unwrap();
            beginning.became(&id);
            // What answers it does so for as long as it is wanted.
            tokio::spawn(async move {
                let _transport = transport;
                std::future::pending::<()>().await;
            });
            Some(id)
        }

        async fn is_live(&self, id: &Arc<str>) -> bool {
            self.manager.has_session(id).await.unwrap()
        }
    }

    #[tokio::test(start_paused = true)]
    async fn no_more_begin_than_there_are_places_for() {
        let two = Two::new();
        let waiting = [two.place().await, two.place().await];
        assert!(waiting.iter().all(Option::is_some) && two.place().await.is_none());
        drop(waiting);
        let first = two.begin().await.unwrap();
        assert!(two.begin().await.is_some() && two.begin().await.is_none());
        two.manager.close_session(&first).await.unwrap();
        assert!(two.begin().await.is_some() && two.begin().await.is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn a_session_whose_client_is_silent_makes_place_and_one_whose_client_is_there_does_not() {
        let two = Two::new();
        let [silent, there] = [two.begin().await.unwrap(), two.begin().await.unwrap()];
        let present = two.presence.hear(&there).unwrap();
        tokio::time::advance(IDLE - Duration::from_millis(1)).await;
        assert_eq!(two.begin().await, None);
        tokio::time::advance(Duration::from_millis(1)).await;
        let third = two.begin().await.unwrap();
        assert!(!two.is_live(&silent).await && two.is_live(&there).await);
        assert!(two.presence.hear(&silent).is_none());
        // From now on it is silent too.
        drop(present);
        tokio::time::advance(IDLE - Duration::from_millis(1)).await;
        drop(two.presence.hear(&third));
        tokio::time::advance(Duration::from_millis(1)).await;
        assert!(two.begin().await.is_some());
        assert!(!two.is_live(&there).await && two.is_live(&third).await);
    }

    #[tokio::test(start_paused = true)]
    async fn a_session_that_asks_for_nothing_makes_place_at_once() {
        let two = Two::idle_for(60 * KEPT);
        let [mute, asking] = [two.begin_in_silence().await.unwrap(), two.begin().await.unwrap()];
        let first = two.begin_in_silence().await.unwrap();
        assert!(!two.is_live(&mute).await && two.is_live(&asking).await);
        let second = two.begin().await.unwrap();
        assert!(!two.is_live(&first).await && two.is_live(&asking).await);
        // One that asked is kept for a while, and one that is being answered for as long as that takes.
        let present = two.presence.hear(&asking).unwrap();
        assert_eq!(two.begin().await, None);
        tokio::time::advance(KEPT).await;
        assert!(two.begin().await.is_some());
        assert!(!two.is_live(&second).await && two.is_live(&asking).await);
        drop(present);
    }

    #[tokio::test]
    async fn who_ended_a_session_is_not_kept_in_mind() {
        let two = Two::new();
        let id = two.begin().await.unwrap();
        two.presence.hear(&id).unwrap().left();
        assert!(two.presence.hear(&id).is_none());
    }
}
