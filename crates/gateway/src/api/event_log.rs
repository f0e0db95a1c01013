//! The last events, for clients that follow them.

use std::collections::VecDeque;
use std::time::{SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use parking_lot::Mutex;
use serde::Serialize;
use tokio::sync::watch;

/// The number of events that a client may miss before it has to read the lists again.
const MOST_EVENTS: usize = 1024;

/// The last events as frames of an event stream, which all clients share.
///
/// Nothing is queued for a client: each has a position in this log. The memory does not depend on the number of clients.
#[derive(Debug)]
pub(super) struct EventLog {
    /// Differs between processes, so that an id of an earlier process is not taken for one of this log.
    instance: u128,
    frames: Mutex<Frames>,
    head: watch::Sender<LogHead>,
    alive: watch::Sender<()>,
}

#[derive(Debug, Default)]
struct Frames {
    /// The number of the first frame.
    first: u64,
    last: VecDeque<Bytes>,
}

/// The number of the next event, and whether one will come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LogHead {
    pub(super) next: u64,
    pub(super) is_closed: bool,
}

/// The result of reading at a position.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ReadFrame {
    Frame(Bytes),
    /// The event is not there yet.
    NotYet,
    /// The event is not there any more.
    Missed,
}

impl Default for EventLog {
    fn default() -> EventLog {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let head = LogHead {
            next: 0,
            is_closed: false,
        };
        EventLog {
            instance: now.map_or(0, |now| now.as_millis()),
            frames: Mutex::default(),
            head: watch::Sender::new(head),
            alive: watch::Sender::default(),
        }
    }
}

impl EventLog {
    /// Adds an event.
    pub(super) fn push(&self, name: &str, data: &impl Serialize) {
        let mut frames = self.frames.lock();
        let number = frames.first + frames.last.len() as u64;
        let frame = self.frame(number, name, data);
        frames.last.push_back(frame);
        if frames.last.len() > MOST_EVENTS {
            frames.last.pop_front();
            frames.first += 1;
        }
        // Inside the lock, so that the number never goes down.
        self.head.send_modify(|head| head.next = number + 1);
    }

    /// Returns a frame with the id of event `number`.
    pub(super) fn frame(&self, number: u64, name: &str, data: &impl Serialize) -> Bytes {
        let data = serde_json::to_string(data).expect("it has text keys");
        let id = self.id(number);
        // JSON has no line breaks outside of texts, and none in texts.
        format!("id: {id}\nevent: {name}\ndata: {data}\n\n").into()
    }

    fn id(&self, number: u64) -> String {
        format!("{:x}-{number}", self.instance)
    }

    /// Returns the number of the event after that with this id, if it is an id of this log.
    pub(super) fn after(&self, id: &str) -> Option<u64> {
        let (instance, number) = id.split_once('-')?;
        let number: u64 = number.parse().ok()?;
        let is_ours = u128::from_str_radix(instance, 16) == Ok(self.instance);
        (is_ours && number < self.head.borrow().next).then_some(number + 1)
    }

    pub(super) fn read(&self, number: u64) -> ReadFrame {
        let frames = self.frames.lock();
        let Some(place) = number.checked_sub(frames.first) else {
            return ReadFrame::Missed;
        };
        let place = usize::try_from(place).unwrap_or(usize::MAX);
        match frames.last.get(place) {
            Some(frame) => ReadFrame::Frame(frame.clone()),
            None => ReadFrame::NotYet,
        }
    }

    /// Returns the last events with their numbers, the latest first.
    pub(super) fn latest(&self, most: usize) -> Vec<(u64, Bytes)> {
        let frames = self.frames.lock();
        let earlier = frames.last.len().saturating_sub(most);
        let numbered = (frames.first..).zip(&frames.last).skip(earlier);
        let mut latest: Vec<_> = numbered
            .map(|(number, frame)| (number, frame.clone()))
            .collect();
        latest.reverse();
        latest
    }

    /// Returns a receiver that follows the number of the next event.
    pub(super) fn head(&self) -> watch::Receiver<LogHead> {
        self.head.subscribe()
    }

    /// Returns a future that resolves once the log is dropped.
    pub(super) fn dropped(&self) -> impl Future<Output = ()> + use<> {
        let mut alive = self.alive.subscribe();
        async move { while alive.changed().await.is_ok() {} }
    }

    /// Ends all streams behind the last event.
    pub(super) fn close(&self) {
        self.head.send_modify(|head| head.is_closed = true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_of_another_log_is_unknown() {
        let mut log = EventLog::default();
        log.push("a", &1);
        let id = log.id(0);
        assert_eq!((log.after(&id), log.after(&log.id(1))), (Some(1), None));
        log.instance += 1;
        assert_eq!((log.after(&id), log.after("x")), (None, None));
    }

    #[test]
    fn old_events_are_dropped() {
        let log = EventLog::default();
        for number in 0..=MOST_EVENTS {
            log.push("n", &number);
        }
        assert_eq!(log.read(0), ReadFrame::Missed);
        assert!(matches!(log.read(1), ReadFrame::Frame(_)));
        assert_eq!(log.read(MOST_EVENTS as u64 + 1), ReadFrame::NotYet);
        let latest = log.latest(2).into_iter().map(|(number, _)| number);
        let last = MOST_EVENTS as u64;
        assert_eq!(latest.collect::<Vec<_>>(), [last, last - 1]);
        assert_eq!(log.latest(usize::MAX).len(), MOST_EVENTS);
    }
}
