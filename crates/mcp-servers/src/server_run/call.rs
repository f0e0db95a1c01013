//! Calls of tools, which wait for their server.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};
use tokio::time::Instant;

use super::{LiveServer, ServerRun, ServerSlot, described};
use crate::error::{AskError, seconds};
use crate::supervisor_options::SupervisorMode;
use crate::tool_list::call_result;
use crate::{CallError, ServerState};

/// The longest time that a call waits for a server that is started again.
const RESTART_WAIT: Duration = Duration::from_secs(4);

/// A call in progress.
struct CallInProgress<'a>(&'a ServerRun);

impl ServerRun {
    pub(crate) async fn call(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
    ) -> Result<Value, CallError> {
        let (server, tool): (Arc<str>, Arc<str>) = (Arc::clone(&self.definition.id), tool.into());
        let in_progress = CallInProgress::begin(self);
        let live = self.live(&tool).await?;
        if !self.tools().iter().any(|known| known.name == tool) {
            return Err(CallError::UnknownTool { server, tool });
        }
        let limit = self.definition.call;
        match live.connection.call_tool(&tool, arguments, limit).await {
            Ok(answer) => {
                in_progress.answered();
                let result = call_result(answer, &live.redaction);
                result.map_err(|reason| CallError::Protocol {
                    server,
                    tool,
                    reason: reason.into(),
                })
            }
            Err(AskError::Timeout(_)) => Err(CallError::Timeout { server, tool }),
            Err(AskError::Closed(error)) => Err(CallError::Ended {
                server,
                tool,
                reason: described(&error, &live.redaction),
            }),
            Err(AskError::Answer(error)) => {
                in_progress.answered();
                Err(CallError::Protocol {
                    server,
                    tool,
                    reason: described(&error, &live.redaction),
                })
            }
        }
    }

    /// Returns the connection, and waits for it if the server is started.
    async fn live(&self, tool: &Arc<str>) -> Result<Arc<LiveServer>, CallError> {
        let mut slots = self.slot.subscribe();
        let limit = match slots.borrow().is_recovering {
            true => RESTART_WAIT,
            false => self.definition.start,
        };
        let end = Instant::now() + limit;
        loop {
            let (state, last_error) = {
                let slot = slots.borrow_and_update();
                match (self.refusal(&slot, end), &slot.live) {
                    (Some(reason), _) => return Err(self.not_running(tool, slot.state, reason)),
                    (None, Some(live)) => return Ok(Arc::clone(live)),
                    (None, None) => (slot.state, slot.last_error.clone()),
                }
            };
            if state == ServerState::Stopped {
                self.wanted.send_replace(true);
            }
            if tokio::time::timeout_at(end, slots.changed()).await.is_err() {
                let state = self.slot.borrow().state;
                let waited = format!("it did not start within {}", seconds(limit));
                let reason = match last_error {
                    Some(error) => format!("{waited}; {error}").into(),
                    None => waited.into(),
                };
                return Err(self.not_running(tool, state, reason));
            }
        }
    }

    /// Returns the reason for which a call does not wait until `end` for the server.
    fn refusal(&self, slot: &ServerSlot, end: Instant) -> Option<Arc<str>> {
        match *self.shared.mode.borrow() {
            SupervisorMode::Running => {}
            SupervisorMode::Paused => return Some("nothing begins during a pause".into()),
            SupervisorMode::Ended => return Some("the supervisor has ended".into()),
        }
        if *self.ending.borrow() {
            return Some("its definition has changed".into());
        }
        let last_error = slot.last_error.as_deref().unwrap_or_default();
        match (slot.state, slot.attempt_at) {
            (ServerState::Failed, _) => {
                self.wanted.send_replace(true);
                Some(last_error.into())
            }
            (ServerState::BackingOff, Some(attempt_at)) if attempt_at >= end => {
                let wait = attempt_at.saturating_duration_since(Instant::now());
                let reason = format!("the next start is in {}; {}", seconds(wait), last_error);
                Some(reason.into())
            }
            _ => None,
        }
    }

    fn not_running(&self, tool: &Arc<str>, state: ServerState, reason: Arc<str>) -> CallError {
        CallError::NotRunning {
            server: Arc::clone(&self.definition.id),
            tool: Arc::clone(tool),
            state,
            reason,
        }
    }
}

impl<'a> CallInProgress<'a> {
    fn begin(run: &'a ServerRun) -> CallInProgress<'a> {
        run.usage.lock().calls += 1;
        CallInProgress(run)
    }

    fn answered(&self) {
        self.0.usage.lock().has_answered = true;
    }
}

impl Drop for CallInProgress<'_> {
    fn drop(&mut self) {
        let mut usage = self.0.usage.lock();
        usage.calls -= 1;
        usage.last = Instant::now();
    }
}
