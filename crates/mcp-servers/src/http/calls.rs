//! Calls that are posted without the service of `rmcp`.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::stream::{self, StreamExt};
use parking_lot::Mutex;
use reqwest::Method;
use rmcp::model::{ClientJsonRpcMessage, GetExtensions, RequestId};
use rmcp::transport::streamable_http_client::{
    SseError, StreamableHttpError, StreamableHttpResponseLimits,
};
use serde_json::Value;
use sse_stream::Sse;

use super::{Events, HttpClient, HttpError, Received, SHOWN, not_a_message, status_error};
use crate::tool_calls::ToolCall;
use crate::waiting_calls::answered_id;

/// The time in which the rest of an answered stream ends, so that its connection is used again.
const REST: Duration = Duration::from_millis(50);

/// The outcome of a call that was posted.
pub(crate) enum PostedCall {
    /// The message that answers it.
    Answer(Value),
    /// Its stream needs the service, which gets it with a request.
    Stream(HandedStream),
    /// No session has it. The tool was not called.
    Expired,
}

/// The stream of a call that was posted, for the service. The answer has a different id there until all clones are dropped.
#[derive(Debug, Clone)]
pub(crate) struct HandedStream(Arc<HandedCall>);

struct HandedCall {
    posted: PostedId,
    events: Mutex<Option<Events>>,
}

/// The calls that were posted, by id. Clones share them.
#[derive(Debug, Clone, Default)]
pub(super) struct PostedCalls(Arc<Mutex<HashMap<i64, CallState>>>);

#[derive(Debug)]
enum CallState {
    /// The call waits for its response.
    Posted,
    /// The stream of the session had the answer, which may come before the response.
    Answered(Value),
    /// The service waits for the answer, with a request of its own.
    Handed(RequestId),
}

/// A call that was posted, until this is dropped.
#[derive(Debug)]
struct PostedId {
    id: i64,
    calls: PostedCalls,
}

impl HttpClient {
    /// Posts a call.
    ///
    /// # Errors
    /// An error of the connection, or an answer that is not a message.
    pub(crate) async fn call(&self, call: ToolCall) -> Result<PostedCall, HttpError> {
        let Some(session) = self.session.load_full() else {
            return Ok(PostedCall::Expired);
        };
        let mut request = reqwest::Request::new(Method::POST, session.url.clone());
        *request.headers_mut() = session.headers.clone();
        *request.body_mut() = Some(call.text.into());
        let posted = self.posted.add(call.id);
        let response = self.http.execute(request).await;
        let response = response.map_err(StreamableHttpError::Client)?;
        let mut limits = StreamableHttpResponseLimits::default();
        limits.max_sse_event_size = self.message_bytes;
        limits.max_json_response_size = self.message_bytes;
        let received = self.receive(response, session.has_id, true, limits);
        match received.await {
            Ok(Received::Events(events)) => Ok(follow(events, posted).await),
            Ok(Received::Body(body, status, retry)) => {
                match serde_json::from_slice::<Value>(&body) {
                    Ok(message) if status.is_success() || message.get("error").is_some() => {
                        Ok(PostedCall::Answer(message))
                    }
                    Err(error) if status.is_success() => Err(not_a_message(&error, &body)),
                    _ => Err(status_error(status, retry, &body[..body.len().min(SHOWN)])),
                }
            }
            Ok(Received::Accepted) => Ok(match posted.set(CallState::Posted) {
                Some(answer) => PostedCall::Answer(answer),
                // The answer comes on the stream of the session.
                None => hand(posted, stream::pending().boxed()),
            }),
            Err(StreamableHttpError::SessionExpired) => Ok(PostedCall::Expired),
            Err(error) => Err(error),
        }
    }
}

/// Follows the events of a call until its answer, or until the first one that the service has to handle.
async fn follow(mut events: Events, posted: PostedId) -> PostedCall {
    let mut before: Vec<Result<Sse, SseError>> = Vec::new();
    while let Some(event) = events.next().await {
        let data = event.as_ref().ok().and_then(|event| event.data.as_deref());
        match data {
            // It has the id with which the stream is resumed.
            Some("") | None if event.is_ok() => before.push(event),
            data => {
                let message = data.and_then(|data| serde_json::from_str::<Value>(data).ok());
                if let Some(message) = message
                    && answered_id(&message) == Some(posted.id)
                {
                    read_rest(events);
                    return PostedCall::Answer(message);
                }
                before.push(event);
                break;
            }
        }
    }
    hand(posted, stream::iter(before).chain(events).boxed())
}

fn hand(posted: PostedId, events: Events) -> PostedCall {
    PostedCall::Stream(HandedStream(Arc::new(HandedCall {
        posted,
        events: Mutex::new(Some(events)),
    })))
}

fn read_rest(mut events: Events) {
    if let Some(None) = events.next().now_or_never() {
        return;
    }
    tokio::spawn(tokio::time::timeout(REST, async move {
        while events.next().await.is_some() {}
    }));
}

impl fmt::Debug for HandedCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HandedCall")
            .field("posted", &self.posted)
            .finish_non_exhaustive()
    }
}

impl PostedId {
    /// Sets the state of the call, and returns the answer that the stream of the session had.
    fn set(&self, state: CallState) -> Option<Value> {
        match self.calls.0.lock().insert(self.id, state) {
            Some(CallState::Answered(answer)) => Some(answer),
            _ => None,
        }
    }
}

impl Drop for PostedId {
    fn drop(&mut self) {
        self.calls.0.lock().remove(&self.id);
    }
}

impl PostedCalls {
    fn add(&self, id: i64) -> PostedId {
        self.0.lock().insert(id, CallState::Posted);
        let calls = self.clone();
        PostedId { id, calls }
    }

    /// Returns the stream that came with a request, instead of a response to it.
    pub(super) fn resume(&self, message: &ClientJsonRpcMessage) -> Option<Events> {
        let ClientJsonRpcMessage::Request(request) = message else {
            return None;
        };
        let HandedStream(handed) = request.request.extensions().get()?;
        let events = handed.events.lock().take()?;
        let answer = handed.posted.set(CallState::Handed(request.id.clone()));
        let answer = answer.map(|answer| Ok(Sse::default().data(answer.to_string())));
        Some(self.routed(stream::iter(answer).chain(events).boxed()))
    }

    /// Returns `events`, in which an answer to a call of the service has the id of its request. Answers to others are stored.
    pub(super) fn routed(&self, events: Events) -> Events {
        let calls = self.clone();
        let events = events.map(move |event| {
            let mut event = event?;
            if let Some(data) = event.data.as_deref().and_then(|data| calls.route(data)) {
                event.data = Some(data);
            }
            Ok(event)
        });
        events.boxed()
    }

    fn route(&self, data: &str) -> Option<String> {
        if self.0.lock().is_empty() {
            return None;
        }
        let mut message = serde_json::from_str::<Value>(data).ok()?;
        let id = answered_id(&message)?;
        let mut calls = self.0.lock();
        match calls.get_mut(&id)? {
            CallState::Handed(request) => message["id"] = request.clone().into_json_value(),
            state => {
                *state = CallState::Answered(message);
                return None;
            }
        }
        Some(message.to_string())
    }
}
