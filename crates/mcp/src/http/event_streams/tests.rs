use futures_util::{FutureExt, StreamExt};
use rmcp::model::{
    EmptyResult, ResourceUpdatedNotification, ResourceUpdatedNotificationParam, ServerResult,
};

use super::*;

fn streams() -> Arc<SessionStreams> {
    Arc::new(SessionStreams::new())
}

fn notice(number: usize) -> ServerJsonRpcMessage {
    let sent = ResourceUpdatedNotificationParam::new(number.to_string());
    ServerJsonRpcMessage::notification(ResourceUpdatedNotification::new(sent).into())
}

fn answer_to(request: i64) -> ServerJsonRpcMessage {
    ServerJsonRpcMessage::response(
        ServerResult::EmptyResult(EmptyResult {}),
        RequestId::Number(request),
    )
}

/// Returns whether a stream took the message.
fn sender(streams: &SessionStreams, message: ServerJsonRpcMessage) -> bool {
    match streams.poll_send(&mut Some(Arc::new(message)), None) {
        Poll::Ready(sent) => {
            sent.expect("it goes on");
            true
        }
        Poll::Pending => false,
    }
}

fn begin(streams: &Arc<SessionStreams>, request: i64) -> EventStream {
    streams
        .open_response(RequestId::Number(request))
        .expect("it goes on")
}

fn subscribe(streams: &Arc<SessionStreams>, after: Option<u64>) -> EventStream {
    streams
        .subscribe(StreamId::Standalone, after)
        .expect("it goes on")
}

/// Returns the name and message of each event that is ready; `END` at the end of the stream.
fn delivered(reader: &mut EventStream) -> Vec<String> {
    let mut all = Vec::new();
    while let Some(event) = reader.next().now_or_never() {
        let Some(event) = event else {
            all.push("END".to_owned());
            break;
        };
        let says = match event.message.as_deref() {
            None => "nothing".to_owned(),
            Some(ServerJsonRpcMessage::Response(response)) => {
                format!("open_response {}", response.id)
            }
            Some(other) => serde_json::to_value(other).expect("a message is JSON")["params"]["uri"]
                .as_str()
                .expect("a notice has one")
                .to_owned(),
        };
        all.push(format!(
            "{}: {says}",
            event.event_id.expect("every event has a name")
        ));
    }
    all
}

#[test]
fn the_latest_reader_gets_the_events() {
    let streams = streams();
    let mut first = subscribe(&streams, None);
    assert!(sender(&streams, notice(1)));
    assert_eq!(delivered(&mut first), ["1: 1"]);
    let mut second = subscribe(&streams, None);
    assert!(sender(&streams, notice(2)));
    assert_eq!(
        (delivered(&mut first), delivered(&mut second)),
        (vec![], vec!["2: 2".to_owned()])
    );
    assert!(sender(&streams, notice(3)));
    drop(second);
    assert_eq!(delivered(&mut first), ["3: 3"]);
}

#[test]
fn resumed_streams_repeat_nothing() {
    let streams = streams();
    let mut lost = subscribe(&streams, None);
    (1..=3).for_each(|number| assert!(sender(&streams, notice(number))));
    assert_eq!(delivered(&mut lost).len(), 3);
    assert_eq!(
        delivered(&mut subscribe(&streams, Some(1))),
        ["2: 2", "3: 3"]
    );
    assert_eq!(
        delivered(&mut subscribe(&streams, Some(0))),
        ["1: 1", "2: 2", "3: 3"]
    );
    // A client without an event id, or with one that was never sent, gets new events only.
    for after in [None, Some(9)] {
        assert_eq!(
            delivered(&mut subscribe(&streams, after)),
            Vec::<String>::new()
        );
    }
}

#[test]
fn a_slow_reader_blocks_the_sender() {
    let streams = streams();
    let mut slow = subscribe(&streams, None);
    (0..KEPT_EVENTS).for_each(|number| assert!(sender(&streams, notice(number))));
    assert!(!sender(&streams, notice(KEPT_EVENTS)));
    assert_eq!(delivered(&mut slow).len(), KEPT_EVENTS);
    assert!(sender(&streams, notice(KEPT_EVENTS)));
    assert_eq!(
        delivered(&mut slow),
        [format!("{}: {KEPT_EVENTS}", KEPT_EVENTS + 1)]
    );
}

#[tokio::test]
async fn waiting_senders_are_woken() {
    for is_heard in [true, false] {
        let streams = streams();
        let mut slow = subscribe(&streams, None);
        (0..KEPT_EVENTS).for_each(|number| assert!(sender(&streams, notice(number))));
        let (telling, mut owed) = (Arc::clone(&streams), Some(Arc::new(notice(KEPT_EVENTS))));
        let sent = tokio::spawn(async move {
            std::future::poll_fn(|context| telling.poll_send(&mut owed, Some(context.waker())))
                .await
        });
        tokio::task::yield_now().await;
        assert!(!sent.is_finished());
        if is_heard {
            assert_eq!(delivered(&mut slow).len(), KEPT_EVENTS);
        } else {
            streams.end();
        }
        assert_eq!(sent.await.expect("no panic").is_ok(), is_heard);
    }
}

#[test]
fn unread_events_are_kept_within_limits() {
    let streams = streams();
    (0..KEPT_EVENTS + 2).for_each(|number| assert!(sender(&streams, notice(number))));
    let all = delivered(&mut subscribe(&streams, None));
    assert_eq!((all.len(), all[0].as_str()), (KEPT_EVENTS, "3: 2"));
}

#[test]
fn an_answer_ends_its_stream() {
    let streams = streams();
    let (mut one, mut other) = (begin(&streams, 7), begin(&streams, 8));
    assert_eq!(delivered(&mut one), ["0/1: nothing"]);
    assert!(sender(&streams, answer_to(8)) && sender(&streams, answer_to(7)));
    assert_eq!(delivered(&mut one), ["1/1: open_response 7", "END"]);
    assert_eq!(
        delivered(&mut other),
        ["0/2: nothing", "1/2: open_response 8", "END"]
    );
    drop(one);
    assert!(
        streams.subscribe(StreamId::Response(1), Some(0)).is_err(),
        "it was delivered"
    );
}

#[test]
fn an_answer_waits_for_who_lost_its_connection() {
    let streams = streams();
    for request in 0..MAX_UNREAD_RESPONSES as i64 + 2 {
        drop(begin(&streams, request));
        assert!(sender(&streams, answer_to(request)));
    }
    assert!(
        streams.subscribe(StreamId::Response(2), Some(0)).is_err(),
        "others count after it"
    );
    let mut reader = streams
        .subscribe(StreamId::Response(3), Some(0))
        .expect("it is there");
    assert_eq!(delivered(&mut reader), ["1/3: open_response 2", "END"]);
}

#[test]
fn cancelled_streams_end() {
    let streams = streams();
    let (mut given_up, mut standalone, mut asked) = (
        begin(&streams, 1),
        subscribe(&streams, None),
        begin(&streams, 2),
    );
    streams.cancel(&RequestId::Number(1));
    assert!(sender(&streams, answer_to(1)), "no stream is open");
    assert_eq!(delivered(&mut given_up), ["0/1: nothing", "END"]);
    streams.end();
    assert_eq!(
        (delivered(&mut standalone), delivered(&mut asked)),
        (
            vec!["END".to_owned()],
            vec!["0/2: nothing".to_owned(), "END".to_owned()]
        )
    );
    assert!(
        streams.subscribe(StreamId::Standalone, None).is_err()
            && streams.open_response(RequestId::Number(3)).is_err()
    );
    assert!(matches!(
        streams.poll_send(&mut Some(Arc::new(notice(1))), None),
        Poll::Ready(Err(SessionEnded))
    ));
}

#[test]
fn initialize_responses_return_to_their_request() {
    let streams = streams();
    let mut initialize_response = streams.initialize_response();
    assert!(sender(&streams, notice(1)));
    assert!(initialize_response.try_recv().is_err());
    assert!(sender(&streams, answer_to(0)));
    let open_response = initialize_response.try_recv().expect("it is responded_to");
    assert_eq!(
        serde_json::to_value(open_response).unwrap(),
        serde_json::to_value(answer_to(0)).unwrap()
    );
}

#[test]
fn event_ids_are_parsed_again() {
    for which in [StreamId::Standalone, StreamId::Response(3)] {
        assert_eq!(StreamId::parse(&which.name(5)), Some((which, 5)));
    }
    for name in ["", "x", "1/", "/1", "1/2/3", "-1"] {
        assert_eq!(StreamId::parse(name), None, "{name}");
    }
}
