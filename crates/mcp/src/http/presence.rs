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
}

/// A session that is being begun, and has a place.
pub(super) struct Beginning(Presence);

/// A client that is there.
pub(super) struct Present(Presence, Arc<str>);

impl Presence {
    pub(super) fn new(most: usize, idle: Duration) -> Presence {
        Presence { most, idle, known: Arc::default() }
    }

    /// A place for one more beside `live` sessions of `manager`, unless there are too many. Those whose clients were silent
    /// for too long are ended.
    pub(super) async fn begin(&self, manager: &impl SessionManager, live: usize) -> Option<Beginning> {
        let silent: Vec<Arc<str>> = {
            let known = self.lock();
            let is_silent = |heard: &Heard| heard.open == 0 && heard.last.elapsed() >= self.idle;
            known.heard.iter().filter(|(_, heard)| is_silent(heard)).map(|(id, _)| Arc::clone(id)).collect()
        };
        let mut ended = 0;
        for id in silent {
            ended += usize::from(manager.has_session(&id).await.unwrap_or(false));
            if let Err(error) = manager.close_session(&id).await {
                tracing::warn!(error = &error as &dyn std::error::Error, "a session could not be ended");
            }
            self.lock().heard.remove(&id);
        }
        let mut known = self.lock();
        if live.saturating_sub(ended) + known.begun >= self.most {
            return None;
        }
        known.begun += 1;
        Some(Beginning(self.clone()))
    }

    /// Notes that the client of this session is there, until what it gives back is dropped.
    pub(super) fn hear(&self, id: &str) -> Option<Present> {
        let mut known = self.lock();
        let (id, _) = known.heard.get_key_value(id)?;
        let id = Arc::clone(id);
        known.heard.get_mut(&id)?.open += 1;
        drop(known);
        Some(Present(self.clone(), id))
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Beginning {
    /// It has begun, and is called `id`.
    pub(super) fn became(self, id: &str) {
        self.0.lock().heard.insert(id.into(), Heard { open: 0, last: Instant::now() });
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
            Two { manager: LocalSessionManager::default(), presence: Presence::new(2, IDLE) }
        }

        async fn place(&self) -> Option<Beginning> {
            let live = self.manager.sessions.read().await.len();
            self.presence.begin(&self.manager, live).await
        }

        async fn begin(&self) -> Option<Arc<str>> {
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

    #[tokio::test]
    async fn who_ended_a_session_is_not_kept_in_mind() {
        let two = Two::new();
        let id = two.begin().await.unwrap();
        two.presence.hear(&id).unwrap().left();
        assert!(two.presence.hear(&id).is_none());
    }
}
