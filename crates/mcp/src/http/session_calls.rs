//! Calls of tools in a session, which run in the task of their HTTP request.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use rmcp::model::{RequestId, ServerJsonRpcMessage};
use tokio::runtime::Handle;

use super::ResponseSlot;
use super::event_streams::{EventStream, SessionEnded, SessionStreams};
use crate::response_text::json;

/// The time after which the stream of a call begins, so that the client has an id to resume it with.
///
/// A response that is ready earlier is one packet.
const PRIMING_DELAY: Duration = Duration::from_millis(20);

/// Answers `request` with `call`: with a response in `slot`, or later on the stream.
///
/// # Cancel safety
/// May be dropped at any await. The call goes on, because a lost connection does not cancel a request.
pub(super) async fn answer(
    streams: &Arc<SessionStreams>,
    request: RequestId,
    slot: &ResponseSlot,
    call: impl Future<Output = ServerJsonRpcMessage> + Send + 'static,
) -> Result<EventStream, SessionEnded> {
    let mut stream = streams.open_response(request)?;
    let call = stream.cancelled().run_until_cancelled_owned(call);
    let running = RunningCall {
        call: Some(Box::pin(call)),
        streams: Arc::clone(streams),
    };
    // The call that is dropped after the delay goes on.
    if let Ok(Some(response)) = tokio::time::timeout(PRIMING_DELAY, running).await
        && let Some(prepared) = stream.prepare(json(&response))
    {
        slot.fill(prepared);
    }
    Ok(stream)
}

/// A call, which goes on in a task of its own when it is dropped.
struct RunningCall {
    /// `None` once it has ended.
    call: Option<CallFuture>,
    streams: Arc<SessionStreams>,
}

/// A call, without a response if it is cancelled.
type CallFuture = Pin<Box<dyn Future<Output = Option<ServerJsonRpcMessage>> + Send>>;

impl Future for RunningCall {
    type Output = Option<ServerJsonRpcMessage>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let Some(call) = &mut self.call else {
            return Poll::Ready(None);
        };
        let response = ready!(call.as_mut().poll(context));
        self.call = None;
        Poll::Ready(response)
    }
}

impl Drop for RunningCall {
    fn drop(&mut self) {
        if let (Some(call), Ok(runtime)) = (self.call.take(), Handle::try_current()) {
            let streams = Arc::clone(&self.streams);
            runtime.spawn(async move {
                if let Some(response) = call.await {
                    streams.finish(response);
                }
            });
        }
    }
}

#[cfg(test)]
mod tests;
