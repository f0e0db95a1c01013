use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;

use super::*;

const IDLE: Duration = Duration::from_secs(30);

/// A server with room for two.
struct Two {
    manager: LocalSessionManager,
    limiter: SessionLimiter,
}

impl Two {
    fn new() -> Two {
        Two::idle_for(IDLE)
    }

    fn idle_for(idle: Duration) -> Two {
        Two {
            manager: LocalSessionManager::default(),
            limiter: SessionLimiter::new(2, idle),
        }
    }

    async fn place(&self) -> Option<SessionPermit> {
        let live = self.manager.sessions.read().await.len();
        self.limiter.acquire(&self.manager, live).await
    }

    /// A session whose client asks for something.
    async fn acquire(&self) -> Option<Arc<str>> {
        let id = self.begin_in_silence().await?;
        drop(self.limiter.track(&id));
        Some(id)
    }

    async fn begin_in_silence(&self) -> Option<Arc<str>> {
        let beginning = self.place().await?;
        let (id, transport) = self.manager.create_session().await.unwrap();
        beginning.assign(&id);
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
    let first = two.acquire().await.unwrap();
    assert!(two.acquire().await.is_some() && two.acquire().await.is_none());
    two.manager.close_session(&first).await.unwrap();
    assert!(two.acquire().await.is_some() && two.acquire().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn an_idle_session_is_evicted() {
    let two = Two::new();
    let [silent, there] = [two.acquire().await.unwrap(), two.acquire().await.unwrap()];
    let present = two.limiter.track(&there).unwrap();
    tokio::time::advance(IDLE - Duration::from_millis(1)).await;
    assert_eq!(two.acquire().await, None);
    tokio::time::advance(Duration::from_millis(1)).await;
    let third = two.acquire().await.unwrap();
    assert!(!two.is_live(&silent).await && two.is_live(&there).await);
    assert!(two.limiter.track(&silent).is_none());
    // From now on it is silent too.
    drop(present);
    tokio::time::advance(IDLE - Duration::from_millis(1)).await;
    drop(two.limiter.track(&third));
    tokio::time::advance(Duration::from_millis(1)).await;
    assert!(two.acquire().await.is_some());
    assert!(!two.is_live(&there).await && two.is_live(&third).await);
}

#[tokio::test(start_paused = true)]
async fn a_session_without_requests_is_evicted() {
    let two = Two::idle_for(60 * MIN_IDLE);
    let [mute, asking] = [
        two.begin_in_silence().await.unwrap(),
        two.acquire().await.unwrap(),
    ];
    let first = two.begin_in_silence().await.unwrap();
    assert!(!two.is_live(&mute).await && two.is_live(&asking).await);
    let second = two.acquire().await.unwrap();
    assert!(!two.is_live(&first).await && two.is_live(&asking).await);
    // One that asked is kept for a while, and one that is being answered for as long as that takes.
    let present = two.limiter.track(&asking).unwrap();
    assert_eq!(two.acquire().await, None);
    tokio::time::advance(MIN_IDLE).await;
    assert!(two.acquire().await.is_some());
    assert!(!two.is_live(&second).await && two.is_live(&asking).await);
    drop(present);
}

#[tokio::test]
async fn ended_sessions_are_forgotten() {
    let two = Two::new();
    let id = two.acquire().await.unwrap();
    two.limiter.track(&id).unwrap().forget();
    assert!(two.limiter.track(&id).is_none());
}
