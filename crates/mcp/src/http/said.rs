//! The answer in a stream of events.

use axum::body::Body;
use futures_util::StreamExt;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use sse_stream::SseStream;

/// What tells an answer from what is said ahead of it.
#[derive(Deserialize)]
struct Kind {
    method: Option<IgnoredAny>,
}

/// Returns the answer that a body holds: the document itself, or the first event that is an answer. `None` where it ends without one.
pub(super) async fn said(body: Body) -> Option<Box<RawValue>> {
    let mut events = SseStream::new(body);
    while let Some(Ok(event)) = events.next().await {
        let is_answer = |data: &String| serde_json::from_str::<Kind>(data).is_ok_and(|kind| kind.method.is_none());
        if let Some(data) = event.data.filter(is_answer) {
            return RawValue::from_string(data).ok();
        }
    }
    None
}
