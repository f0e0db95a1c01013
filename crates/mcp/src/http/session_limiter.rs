//! For which sessions somebody is there.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};
use rmcp::transport::streamable_http_server::session::SessionManager;
use tokio::time::Instant;

#[derive(Clone)]
pub(super) struct SessionLimiter {
    most: usize,
    idle: Duration,
    known: Arc<Mutex<Known>>,
}

#[derive(Default)]
struct Known {
    begun: usize,
    heard: HashMap<Arc<str>, Activity>,
}

struct Activity {
    open: usize,
    last: Instant,
    has_asked: bool,
}

const KEPT: Duration = Duration::from_secs(60);

pub(super) struct SessionPermit(SessionLimiter);

pub(super) struct ActivityGuard(SessionLimiter, Arc<str>);

impl SessionLimiter {
    pub(super) fn new(most: usize, idle: Duration) -> SessionLimiter {
        SessionLimiter { most, idle, known: Arc::default() }
    }

    pub(super) async fn begin(&self, manager: &impl SessionManager, live: usize) -> Option<SessionPermit> {
        let silent: Vec<Arc<str>> = {
            let known = self.lock();
            let is_silent = |heard: &Activity| heard.open == 0 && heard.last.elapsed() >= self.idle;
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
                    return Some(SessionPermit(self.clone()));
                }
                let id = known.dispensable()?;
                known.heard.remove(&id);
                id
            };
            left -= ended(manager, &id).await.min(left);
        }
    }

    pub(super) fn hear(&self, id: &str) -> Option<ActivityGuard> {
        let mut known = self.lock();
        let (id, _) = known.heard.get_key_value(id)?;
        let id = Arc::clone(id);
        let heard = known.heard.get_mut(&id)?;
        (heard.open, heard.has_asked) = (heard.open + 1, true);
        drop(known);
        Some(ActivityGuard(self.clone(), id))
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock()
    }
}

async fn ended(manager: &impl SessionManager, id: &Arc<str>) -> usize {
    let was_live = manager.has_session(id).await.unwrap_or(false);
    if let Err(error) = manager.close_session(id).await {
        tracing::warn!(error = &error as &dyn std::error::Error, "a session could not be ended");
    }
    usize::from(was_live)
}

impl Known {
    fn dispensable(&self) -> Option<Arc<str>> {
        let is_kept = |heard: &Activity| heard.open > 0 || heard.has_asked && heard.last.elapsed() < KEPT;
        let idle = self.heard.iter().filter(|(_, heard)| !is_kept(heard));
        idle.min_by_key(|(_, heard)| (heard.has_asked, heard.last)).map(|(id, _)| Arc::clone(id))
    }
}

impl SessionPermit {
    pub(super) fn became(self, id: &str) {
        self.0.lock().heard.insert(id.into(), Activity { open: 0, last: Instant::now(), has_asked: false });
    }
}

impl ActivityGuard {
    pub(super) fn left(&self) {
        self.0.lock().heard.remove(&self.1);
    }
}

impl Drop for SessionPermit {
    fn drop(&mut self) {
        self.0.lock().begun -= 1;
    }
}

impl Drop for ActivityGuard {
    fn drop(&mut self) {
        if let Some(heard) = self.0.lock().heard.get_mut(&self.1) {
            heard.open -= 1;
            heard.last = Instant::now();
        }
    }
}

#[cfg(test)]
mod tests;
