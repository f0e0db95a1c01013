//! What one session tells its client, and in which stream.

use std::collections::VecDeque;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use futures_util::Stream;
use parking_lot::{Mutex, MutexGuard};
use rmcp::model::{RequestId, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_server::session::ServerSseMessage;
use tokio::sync::oneshot;

use super::sessions::Ended;
use crate::incoming::supports_batches;

const KEPT: usize = 16;

const WAITING: usize = 32;

const UNHEARD: usize = 4;

const RETRY: Duration = Duration::from_secs(3);

pub(super) struct Streams(Mutex<State>);

struct State {
    introduced: Option<oneshot::Sender<ServerJsonRpcMessage>>,
    standing: Events,
    answers: Vec<Answer>,
    begun: u64,
    active: Instant,
    has_ended: bool,
    has_batches: bool,
}

struct Answer {
    number: u64,
    request: RequestId,
    events: Events,
}

#[derive(Default)]
struct Events {
    kept: VecDeque<Arc<ServerJsonRpcMessage>>,
    dropped: u64,
    heard: u64,
    is_over: bool,
    readers: Vec<(u64, Option<Waker>)>,
    came: u64,
    senders: Vec<Waker>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StreamId {
    Standing,
    Answer(u64),
}

pub(super) struct EventStream {
    streams: Arc<Streams>,
    which: StreamId,
    number: u64,
    first: Option<ServerSseMessage>,
}

impl Streams {
    pub(super) fn new() -> Streams {
        Streams(Mutex::new(State {
            introduced: None,
            standing: Events::default(),
            answers: Vec::new(),
            begun: 0,
            active: Instant::now(),
            has_ended: false,
            has_batches: false,
        }))
    }

    pub(super) fn introduced(&self) -> oneshot::Receiver<ServerJsonRpcMessage> {
        let (tell, introduced) = oneshot::channel();
        self.lock().introduced = Some(tell);
        introduced
    }

    pub(super) fn active(&self) -> Instant {
        self.lock().active
    }

    pub(super) fn has_batches(&self) -> bool {
        self.lock().has_batches
    }

    pub(super) fn touch(&self) {
        self.lock().active = Instant::now();
    }

    pub(super) fn answer(self: &Arc<Streams>, request: RequestId) -> Result<EventStream, Ended> {
        let mut state = self.lock();
        if state.has_ended {
            return Err(Ended);
        }
        let mut events = Events::default();
        let number = events.come();
        state.begun += 1;
        let which = StreamId::Answer(state.begun);
        let answer = Answer { number: state.begun, request, events };
        state.answers.push(answer);
        let first = Some(ServerSseMessage::priming(which.name(0), RETRY));
        Ok(EventStream { streams: Arc::clone(self), which, number, first })
    }

    pub(super) fn give_up(&self, request: &RequestId) {
        self.lock().answers.retain_mut(|answer| {
            let is_kept = answer.request != *request || answer.events.is_over;
            if !is_kept {
                answer.events.end();
            }
            is_kept
        });
    }

    pub(super) fn hear(self: &Arc<Streams>, which: StreamId, after: Option<u64>) -> Result<EventStream, Ended> {
        let mut state = self.lock();
        if state.has_ended {
            return Err(Ended);
        }
        let events = state.events(which).ok_or(Ended)?;
        if let Some(after) = after {
            events.heard = after.clamp(events.dropped, events.heard);
        }
        let number = events.come();
        Ok(EventStream { streams: Arc::clone(self), which, number, first: None })
    }

    pub(super) fn poll_send(
        &self,
        message: &mut Option<Arc<ServerJsonRpcMessage>>,
        waker: Option<&Waker>,
    ) -> Poll<Result<(), Ended>> {
        let mut state = self.lock();
        if state.has_ended {
            return Poll::Ready(Err(Ended));
        }
        let Some(owed) = message.take() else { return Poll::Ready(Ok(())) };
        state.active = Instant::now();
        let answered = match &*owed {
            ServerJsonRpcMessage::Response(response) => Some(&response.id),
            ServerJsonRpcMessage::Error(error) => error.id.as_ref(),
            _ => None,
        };
        let Some(answered) = answered else {
            *message = state.standing.push(owed, waker).err();
            return if message.is_some() { Poll::Pending } else { Poll::Ready(Ok(())) };
        };
        if let Some(introduced) = state.introduced.take() {
            state.has_batches = supports_batches(&owed);
            return Poll::Ready(introduced.send(Arc::unwrap_or_clone(owed)).map_err(|_| Ended));
        }
        // To a request that was given up there is no answer.
        if let Some(answer) =
            state.answers.iter_mut().find(|answer| answer.request == *answered && !answer.events.is_over)
        {
            answer.events.finish(owed);
        }
        Poll::Ready(Ok(()))
    }

    pub(super) fn end(&self) {
        let mut state = self.lock();
        state.has_ended = true;
        state.introduced = None;
        state.standing.end();
        state.answers.iter_mut().for_each(|answer| answer.events.end());
        state.answers.clear();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock()
    }
}

impl State {
    fn events(&mut self, which: StreamId) -> Option<&mut Events> {
        match which {
            StreamId::Standing => Some(&mut self.standing),
            StreamId::Answer(number) => {
                self.answers.iter_mut().find(|answer| answer.number == number).map(|answer| &mut answer.events)
            }
        }
    }

    fn forget_unheard(&mut self) {
        let is_unheard = |answer: &Answer| answer.events.readers.is_empty();
        if self.answers.iter().filter(|answer| is_unheard(answer)).count() > UNHEARD
            && let Some(oldest) = self.answers.iter().position(is_unheard)
        {
            self.answers.remove(oldest);
        }
    }
}

impl Events {
    fn come(&mut self) -> u64 {
        if self.readers.len() >= WAITING {
            self.readers.remove(0).1.into_iter().for_each(Waker::wake);
        }
        self.came += 1;
        self.readers.push((self.came, None));
        self.came
    }

    fn go(&mut self, number: u64) {
        self.readers.retain(|(reader, _)| *reader != number);
        self.wake();
    }

    fn push(
        &mut self,
        message: Arc<ServerJsonRpcMessage>,
        waker: Option<&Waker>,
    ) -> Result<(), Arc<ServerJsonRpcMessage>> {
        if self.kept.len() >= KEPT {
            if self.heard == self.dropped && !self.readers.is_empty() {
                self.senders.extend(waker.cloned());
                return Err(message);
            }
            self.kept.pop_front();
            self.dropped += 1;
            self.heard = self.heard.max(self.dropped);
        }
        self.kept.push_back(message);
        self.wake();
        Ok(())
    }

    fn finish(&mut self, message: Arc<ServerJsonRpcMessage>) {
        self.kept.push_back(message);
        self.is_over = true;
        self.wake();
    }

    fn end(&mut self) {
        self.readers.drain(..).filter_map(|(_, waker)| waker).for_each(Waker::wake);
        self.room();
    }

    fn wake(&mut self) {
        if let Some(waker) = self.readers.last_mut().and_then(|(_, waker)| waker.take()) {
            waker.wake();
        }
        if self.readers.is_empty() {
            self.room();
        }
    }

    fn room(&mut self) {
        self.senders.drain(..).for_each(Waker::wake);
    }

    fn poll(&mut self, number: u64, context: &Context<'_>) -> Poll<Option<(u64, Arc<ServerJsonRpcMessage>)>> {
        let last = self.readers.len().saturating_sub(1);
        let Some(at) = self.readers.iter().position(|(reader, _)| *reader == number) else {
            return Poll::Ready(None);
        };
        if at == last {
            let next = usize::try_from(self.heard - self.dropped).expect("no more are kept than fit");
            if let Some(message) = self.kept.get(next).map(Arc::clone) {
                self.heard += 1;
                self.room();
                return Poll::Ready(Some((self.heard, message)));
            }
            if self.is_over {
                return Poll::Ready(None);
            }
        }
        self.readers[at].1 = Some(context.waker().clone());
        Poll::Pending
    }
}

impl StreamId {
    pub(super) fn name(self, event: u64) -> String {
        match self {
            StreamId::Standing => event.to_string(),
            StreamId::Answer(number) => format!("{event}/{number}"),
        }
    }

    pub(super) fn parse(name: &str) -> Option<(StreamId, u64)> {
        match name.split_once('/') {
            None => Some((StreamId::Standing, name.parse().ok()?)),
            Some((event, number)) => Some((StreamId::Answer(number.parse().ok()?), event.parse().ok()?)),
        }
    }
}

impl Stream for EventStream {
    type Item = ServerSseMessage;

    fn poll_next(mut self: std::pin::Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<ServerSseMessage>> {
        if let Some(first) = self.first.take() {
            return Poll::Ready(Some(first));
        }
        let mut state = self.streams.lock();
        let Some(events) = state.events(self.which) else { return Poll::Ready(None) };
        events.poll(self.number, context).map(|event| {
            event.map(|(number, message)| {
                let mut event = ServerSseMessage::default();
                event.event_id = Some(self.which.name(number));
                event.message = Some(message);
                event
            })
        })
    }
}

impl Drop for EventStream {
    fn drop(&mut self) {
        let mut state = self.streams.lock();
        let Some(events) = state.events(self.which) else { return };
        events.go(self.number);
        let is_heard = events.is_over && events.heard == events.dropped + events.kept.len() as u64;
        if let (StreamId::Answer(number), true) = (self.which, is_heard) {
            state.answers.retain(|answer| answer.number != number);
        } else {
            state.forget_unheard();
        }
    }
}

#[cfg(test)]
mod tests;
