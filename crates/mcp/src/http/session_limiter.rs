//! A limit of sessions at once, and the activity of their clients.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};
use rmcp::transport::streamable_http_server::session::SessionManager;
use tokio::time::Instant;

#[derive(Clone)]
pub(super) struct SessionLimiter {
    max: usize,
    idle: Duration,
    state: Arc<Mutex<LimiterState>>,
}

#[derive(Default)]
struct LimiterState {
    pending: usize,
    activity: HashMap<Arc<str>, Activity>,
}

struct Activity {
    open: usize,
    last: Instant,
    has_asked: bool,
}

const MIN_IDLE: Duration = Duration::from_secs(60);

pub(super) struct SessionPermit(SessionLimiter);

pub(super) struct ActivityGuard(SessionLimiter, Arc<str>);

impl SessionLimiter {
    pub(super) fn new(max: usize, idle: Duration) -> SessionLimiter {
        SessionLimiter {
            max,
            idle,
            state: Arc::default(),
        }
    }

    pub(super) async fn acquire(
        &self,
        manager: &impl SessionManager,
        live: usize,
    ) -> Option<SessionPermit> {
        let idle: Vec<Arc<str>> = {
            let state = self.lock();
            let idle = state
                .activity
                .iter()
                .filter(|(_, client)| client.open == 0 && client.last.elapsed() >= self.idle);
            idle.map(|(id, _)| Arc::clone(id)).collect()
        };
        let mut live = live;
        for id in idle {
            self.lock().activity.remove(&id);
            live -= end_session(manager, &id).await.min(live);
        }
        loop {
            let id = {
                let mut state = self.lock();
                if live + state.pending < self.max {
                    state.pending += 1;
                    return Some(SessionPermit(self.clone()));
                }
                let id = state.evictable()?;
                state.activity.remove(&id);
                id
            };
            live -= end_session(manager, &id).await.min(live);
        }
    }

    pub(super) fn track(&self, id: &str) -> Option<ActivityGuard> {
        let mut state = self.lock();
        let (id, _) = state.activity.get_key_value(id)?;
        let id = Arc::clone(id);
        let activity = state.activity.get_mut(&id)?;
        (activity.open, activity.has_asked) = (activity.open + 1, true);
        drop(state);
        Some(ActivityGuard(self.clone(), id))
    }

    fn lock(&self) -> MutexGuard<'_, LimiterState> {
        self.state.lock()
    }
}

async fn end_session(manager: &impl SessionManager, id: &Arc<str>) -> usize {
    let was_live = manager.has_session(id).await.unwrap_or(false);
    if let Err(error) = manager.close_session(id).await {
        tracing::warn!(
            error = &error as &dyn std::error::Error,
            "a session could not be ended"
        );
    }
    usize::from(was_live)
}

impl LimiterState {
    fn evictable(&self) -> Option<Arc<str>> {
        let is_needed = |activity: &Activity| {
            activity.open > 0 || activity.has_asked && activity.last.elapsed() < MIN_IDLE
        };
        let idle = self
            .activity
            .iter()
            .filter(|(_, activity)| !is_needed(activity));
        idle.min_by_key(|(_, activity)| (activity.has_asked, activity.last))
            .map(|(id, _)| Arc::clone(id))
    }
}

impl SessionPermit {
    pub(super) fn assign(self, id: &str) {
        self.0.lock().activity.insert(
            id.into(),
            Activity {
                open: 0,
                last: Instant::now(),
                has_asked: false,
            },
        );
    }
}

impl ActivityGuard {
    pub(super) fn forget(&self) {
        self.0.lock().activity.remove(&self.1);
    }
}

impl Drop for SessionPermit {
    fn drop(&mut self) {
        self.0.lock().pending -= 1;
    }
}

impl Drop for ActivityGuard {
    fn drop(&mut self) {
        if let Some(activity) = self.0.lock().activity.get_mut(&self.1) {
            activity.open -= 1;
            activity.last = Instant::now();
        }
    }
}

#[cfg(test)]
mod tests;
