use futures_util::{FutureExt, StreamExt};
use rmcp::model::{EmptyResult, ResourceUpdatedNotification, ResourceUpdatedNotificationParam, ServerResult};

use super::*;

fn streams() -> Arc<Streams> {
    Arc::new(Streams::new())
}

fn notice(number: usize) -> ServerJsonRpcMessage {
    let told = ResourceUpdatedNotificationParam::new(number.to_string());
    ServerJsonRpcMessage::notification(ResourceUpdatedNotification::new(told).into())
}

fn answer_to(request: i64) -> ServerJsonRpcMessage {
    ServerJsonRpcMessage::response(ServerResult::EmptyResult(EmptyResult {}), RequestId::Number(request))
}

/// Whether there was room for it.
fn tell(streams: &Streams, message: ServerJsonRpcMessage) -> bool {
    match streams.poll_send(&mut Some(Arc::new(message)), None) {
        Poll::Ready(told) => {
            told.expect("it goes on");
            true
        }
        Poll::Pending => false,
    }
}

fn begin(streams: &Arc<Streams>, request: i64) -> EventStream {
    streams.answer(RequestId::Number(request)).expect("it goes on")
}

fn hear(streams: &Arc<Streams>, after: Option<u64>) -> EventStream {
    streams.hear(StreamId::Standing, after).expect("it goes on")
}

/// What there is to hear now: each event's name and message; `END` where the stream ends.
fn heard(reader: &mut EventStream) -> Vec<String> {
    let mut all = Vec::new();
    while let Some(event) = reader.next().now_or_never() {
        let Some(event) = event else {
            all.push("END".to_owned());
            break;
        };
        let says = match event.message.as_deref() {
            None => "nothing".to_owned(),
            Some(ServerJsonRpcMessage::Response(response)) => format!("answer {}", response.id),
            Some(other) => serde_json::to_value(other).expect("a message is JSON")["params"]["uri"]
                .as_str()
                .expect("a notice has one")
                .to_owned(),
        };
        all.push(format!("{}: {says}", event.event_id.expect("every event has a name")));
    }
    all
}

#[test]
fn whoever_came_last_hears_and_the_others_take_over() {
    let streams = streams();
    let mut first = hear(&streams, None);
    assert!(tell(&streams, notice(1)));
    assert_eq!(heard(&mut first), ["1: 1"]);
    let mut second = hear(&streams, None);
    assert!(tell(&streams, notice(2)));
    assert_eq!((heard(&mut first), heard(&mut second)), (vec![], vec!["2: 2".to_owned()]));
    assert!(tell(&streams, notice(3)));
    drop(second);
    assert_eq!(heard(&mut first), ["3: 3"]);
}

#[test]
fn who_comes_back_hears_what_it_missed_and_nothing_twice() {
    let streams = streams();
    let mut lost = hear(&streams, None);
    (1..=3).for_each(|number| assert!(tell(&streams, notice(number))));
    assert_eq!(heard(&mut lost).len(), 3);
    assert_eq!(heard(&mut hear(&streams, Some(1))), ["2: 2", "3: 3"]);
    assert_eq!(heard(&mut hear(&streams, Some(0))), ["1: 1", "2: 2", "3: 3"]);
    // Who names no event, or one that nobody was told of yet, hears what is new.
    for after in [None, Some(9)] {
        assert_eq!(heard(&mut hear(&streams, after)), Vec::<String>::new());
    }
}

#[test]
fn a_slow_hearer_holds_up_whoever_tells_and_loses_nothing() {
    let streams = streams();
    let mut slow = hear(&streams, None);
    (0..KEPT).for_each(|number| assert!(tell(&streams, notice(number))));
    assert!(!tell(&streams, notice(KEPT)));
    assert_eq!(heard(&mut slow).len(), KEPT);
    assert!(tell(&streams, notice(KEPT)));
    assert_eq!(heard(&mut slow), [format!("{}: {KEPT}", KEPT + 1)]);
}

#[tokio::test]
async fn who_waits_for_room_is_woken_when_there_is_some_or_never_will_be() {
    for is_heard in [true, false] {
        let streams = streams();
        let mut slow = hear(&streams, None);
        (0..KEPT).for_each(|number| assert!(tell(&streams, notice(number))));
        let (telling, mut owed) = (Arc::clone(&streams), Some(Arc::new(notice(KEPT))));
        let told = tokio::spawn(async move {
            std::future::poll_fn(|context| telling.poll_send(&mut owed, Some(context.waker()))).await
        });
        tokio::task::yield_now().await;
        assert!(!told.is_finished());
        if is_heard {
            assert_eq!(heard(&mut slow).len(), KEPT);
        } else {
            streams.end();
        }
        assert_eq!(told.await.expect("no panic").is_ok(), is_heard);
    }
}

#[test]
fn what_nobody_hears_is_kept_as_far_as_it_goes() {
    let streams = streams();
    (0..KEPT + 2).for_each(|number| assert!(tell(&streams, notice(number))));
    let all = heard(&mut hear(&streams, None));
    assert_eq!((all.len(), all[0].as_str()), (KEPT, "3: 2"));
}

#[test]
fn an_answer_ends_its_stream() {
    let streams = streams();
    let (mut one, mut other) = (begin(&streams, 7), begin(&streams, 8));
    assert_eq!(heard(&mut one), ["0/1: nothing"]);
    assert!(tell(&streams, answer_to(8)) && tell(&streams, answer_to(7)));
    assert_eq!(heard(&mut one), ["1/1: answer 7", "END"]);
    assert_eq!(heard(&mut other), ["0/2: nothing", "1/2: answer 8", "END"]);
    drop(one);
    assert!(streams.hear(StreamId::Answer(1), Some(0)).is_err(), "it was heard");
}

#[test]
fn an_answer_waits_for_who_lost_its_connection() {
    let streams = streams();
    for request in 0..UNHEARD as i64 + 2 {
        drop(begin(&streams, request));
        assert!(tell(&streams, answer_to(request)));
    }
    assert!(streams.hear(StreamId::Answer(2), Some(0)).is_err(), "others came after it");
    let mut reader = streams.hear(StreamId::Answer(3), Some(0)).expect("it is there");
    assert_eq!(heard(&mut reader), ["1/3: answer 2", "END"]);
}

#[test]
fn what_is_given_up_and_what_has_ended_ends() {
    let streams = streams();
    let (mut given_up, mut standing, mut asked) = (begin(&streams, 1), hear(&streams, None), begin(&streams, 2));
    streams.give_up(&RequestId::Number(1));
    assert!(tell(&streams, answer_to(1)), "there is nobody to tell");
    assert_eq!(heard(&mut given_up), ["0/1: nothing", "END"]);
    streams.end();
    assert_eq!(
        (heard(&mut standing), heard(&mut asked)),
        (vec!["END".to_owned()], vec!["0/2: nothing".to_owned(), "END".to_owned()])
    );
    assert!(streams.hear(StreamId::Standing, None).is_err() && streams.answer(RequestId::Number(3)).is_err());
    assert!(matches!(streams.poll_send(&mut Some(Arc::new(notice(1))), None), Poll::Ready(Err(Ended))));
}

#[test]
fn an_introduction_is_answered_to_whoever_brought_it() {
    let streams = streams();
    let mut introduced = streams.introduced();
    assert!(tell(&streams, notice(1)));
    assert!(introduced.try_recv().is_err());
    assert!(tell(&streams, answer_to(0)));
    let answer = introduced.try_recv().expect("it is answered");
    assert_eq!(serde_json::to_value(answer).unwrap(), serde_json::to_value(answer_to(0)).unwrap());
}

#[test]
fn the_name_of_an_event_leads_back_to_it() {
    for which in [StreamId::Standing, StreamId::Answer(3)] {
        assert_eq!(StreamId::parse(&which.name(5)), Some((which, 5)));
    }
    for name in ["", "x", "1/", "/1", "1/2/3", "-1"] {
        assert_eq!(StreamId::parse(name), None, "{name}");
    }
}
