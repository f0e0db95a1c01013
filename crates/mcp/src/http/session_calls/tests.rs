use futures_util::{FutureExt, StreamExt};
use rmcp::model::{EmptyResult, ServerResult};
use tokio::sync::oneshot;

use super::*;
use crate::http::event_streams::StreamId;

const REQUEST: RequestId = RequestId::Number(5);

fn response() -> ServerJsonRpcMessage {
    ServerJsonRpcMessage::response(ServerResult::EmptyResult(EmptyResult {}), REQUEST)
}

/// Returns a call that is answered after a message of the sender, and is dropped with the receiver of the sender.
fn call() -> (
    oneshot::Sender<()>,
    impl Future<Output = ServerJsonRpcMessage> + Send + 'static,
) {
    let (finish, finished) = oneshot::channel();
    let call = async move {
        let _ = finished.await;
        response()
    };
    (finish, call)
}

fn streams() -> Arc<SessionStreams> {
    Arc::new(SessionStreams::new())
}

/// Returns the id of each event that a stream has until its end, and whether the event is a message.
async fn events(stream: EventStream) -> Vec<(String, bool)> {
    let events = stream.map(|event| (event.event_id.unwrap_or_default(), event.message.is_some()));
    events.collect().await
}

fn event(id: &str, is_message: bool) -> (String, bool) {
    (id.to_owned(), is_message)
}

#[tokio::test]
async fn a_quick_response_has_all_events() {
    let (streams, slot) = (streams(), ResponseSlot::default());
    let call = async { response() };
    let stream = answer(&streams, REQUEST, &slot, call).await;
    let prepared = slot.take().expect("a response").into_events();
    let expected = "data: \nid: 0/1\nretry: 3000\n\ndata: \
                    {\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{}}\nid: 1/1\n\n";
    assert_eq!(String::from_utf8_lossy(&prepared), expected);
    assert_eq!(events(stream.expect("a stream")).await, []);
}

#[tokio::test(start_paused = true)]
async fn a_slow_response_comes_on_the_stream() {
    let (streams, slot, (finish, call)) = (streams(), ResponseSlot::default(), call());
    let stream = answer(&streams, REQUEST, &slot, call).await;
    assert!(slot.take().is_none());
    finish.send(()).expect("the call goes on");
    let events = events(stream.expect("a stream")).await;
    assert_eq!(events, [event("0/1", false), event("1/1", true)]);
}

#[tokio::test(start_paused = true)]
async fn a_call_outlives_its_connection() {
    let (streams, slot, (finish, call)) = (streams(), ResponseSlot::default(), call());
    let lost = Box::pin(answer(&streams, REQUEST, &slot, call));
    assert!(lost.now_or_never().is_none());
    let resumed = streams.subscribe(StreamId::Response(1), Some(0));
    finish.send(()).expect("the call goes on");
    let events = events(resumed.expect("a stream")).await;
    assert_eq!(events, [event("1/1", true)]);
}

#[tokio::test(start_paused = true)]
async fn cancelled_calls_are_dropped() {
    let (streams, slot, (mut finish, call)) = (streams(), ResponseSlot::default(), call());
    let cancelling = async {
        tokio::task::yield_now().await;
        streams.cancel(&REQUEST);
    };
    let (stream, ()) = tokio::join!(answer(&streams, REQUEST, &slot, call), cancelling);
    finish.closed().await;
    assert!(slot.take().is_none());
    assert_eq!(
        events(stream.expect("a stream")).await,
        [event("0/1", false)]
    );
}

#[tokio::test(start_paused = true)]
async fn calls_end_with_their_session() {
    let (streams, slot, (mut finish, call)) = (streams(), ResponseSlot::default(), call());
    let stream = answer(&streams, REQUEST, &slot, call).await;
    streams.end();
    finish.closed().await;
    assert_eq!(
        events(stream.expect("a stream")).await,
        [event("0/1", false)]
    );
}
