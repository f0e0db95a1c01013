//! Calls that wait for the message that answers them.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::Value;
use tokio::sync::oneshot;

/// The calls that wait for their answer, by id. Clones share them.
#[derive(Debug, Clone, Default)]
pub(crate) struct WaitingCalls(Arc<Mutex<HashMap<i64, oneshot::Sender<Value>>>>);

/// A call that waits until it is dropped.
pub(crate) struct WaitingCall<'w> {
    calls: &'w WaitingCalls,
    id: i64,
    answer: oneshot::Receiver<Value>,
}

impl WaitingCalls {
    /// Adds the call with this id.
    pub(crate) fn add(&self, id: i64) -> WaitingCall<'_> {
        let (sender, answer) = oneshot::channel();
        self.0.lock().insert(id, sender);
        WaitingCall {
            calls: self,
            id,
            answer,
        }
    }

    /// Delivers a message if it answers a call. Returns `false` for any other one.
    pub(crate) fn deliver(&self, message: &[u8]) -> bool {
        if self.0.lock().is_empty() {
            return false;
        }
        let Ok(message) = serde_json::from_slice::<Value>(message) else {
            return false;
        };
        let call = answered_id(&message).and_then(|id| self.0.lock().remove(&id));
        let is_answer = call.is_some();
        if let Some(call) = call {
            // The caller may have gone.
            let _ = call.send(message);
        }
        is_answer
    }
}

impl WaitingCall<'_> {
    /// Waits for the message that answers the call. Returns `None` if a call with the same id replaced it.
    pub(crate) async fn message(mut self) -> Option<Value> {
        (&mut self.answer).await.ok()
    }
}

impl Drop for WaitingCall<'_> {
    fn drop(&mut self) {
        self.calls.0.lock().remove(&self.id);
    }
}

/// Returns the id of the request that `message` answers. Some servers return the number as a text.
pub(crate) fn answered_id(message: &Value) -> Option<i64> {
    if message.get("method").is_some() {
        return None;
    }
    match message.get("id")? {
        Value::String(text) => text.parse().ok(),
        id => id.as_i64(),
    }
}
